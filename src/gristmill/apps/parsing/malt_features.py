r"""MaltParser's feature models as templates of ours: its XML files, and the .par files of its versions 0.x.

    InputColumn(POSTAG, Stack[0])                        s0.xpos
    OutputColumn(DEPREL, ldep(Input[0]))                 b0.ldep.deprel
    Merge(InputColumn(FORM, Stack[0]),
          InputColumn(FORM, Input[0]))                   s0.form/b0.form      Merge3 likewise
    Suffix(InputColumn(FORM, Input[0]), 3)               b0.form:suffix:3     Prefix likewise
    Split(InputColumn(FEATS, Input[0]), \|)              b0.feats:parts
    NumOf(Stack[0], ldeps, 0|1|2|3)                      s0.lefts             rdeps: rights
    Distance(Stack[0], Input[0], 0|1|2|3|4|5|7|11)       distance(s0,b0)

A line of a .par file is a column (LEX LEMMA CPOS POS FEATS DEP), STACK or INPUT, and up to six numbers: which word,
then how far along the text, heads up, dependents down (left ones below 0), siblings aside, and a suffix's length.

    DEP  STACK  0  0  0  -1                              s0.ldep.deprel

What means something else here, or nothing, is an error. One difference remains: MaltParser takes a word that is shorter
than a prefix or suffix as a whole, templates see nothing of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from xml.parsers import expat

from gristmill.base.errors import FormatError

STRUCTURES = {  # whose words templates can name, by parsing algorithm
    "nivreeager": ("Stack", "Input"),
    "nivrestandard": ("Stack", "Input"),
    "stackproj": ("Stack", "Lookahead"),  # Input is always empty
    "stacklazy": ("Stack",),  # Input are words that were swapped back, Lookahead those behind: b0 is one or the other
    "stackeager": ("Stack",),
}
OURS = ("arc-standard", "arc-eager", "swap")  # our own names, which mean one or another of these
DEEPEST = 40  # functions in a feature
LONGEST = 1000  # characters of a prefix or suffix

_SHOWN = 120  # characters of what is wrong

_COLUMNS = {"FORM": "form", "LEMMA": "lemma", "FEATS": "feats"}
_COLUMNS |= {"CPOSTAG": "upos", "POSTAG": "xpos"}  # of CoNLL-X
_COLUMNS |= {"UPOSTAG": "upos", "XPOSTAG": "xpos"}  # of CoNLL-U
_STEPS = ("head", "ldep", "rdep", "lsib", "rsib", "pred", "succ")
_COUNTS = {"ldeps": "lefts", "rdeps": "rights"}
_COUNTED = "0|1|2|3"
_MEASURED = "0|1|2|3|4|5|7|11"

_NO_HEADS = "sentences come without heads: leave the feature out"
_RELATION = "all that a word is given is its relation: write OutputColumn(DEPREL, word)"
_INSTEAD = {
    "Distance": f"distances fall into {_MEASURED} here: write Distance(word, word, {_MEASURED})",
    "Exists": "any column of a word tells whether there is one: write InputColumn(UPOSTAG, word)",
    "InputArc": _NO_HEADS,
    "InputArcDir": _NO_HEADS,
    "Merge": "expected two features",
    "Merge3": "expected three features",
    "NumOf": f"dependents are counted as {_COUNTED} here: write NumOf(word, ldeps or rdeps, {_COUNTED})",
    "OutputArc": _RELATION,
    "OutputColumn": _RELATION,
    "OutputTable": _RELATION,
    "Prefix": f"expected an InputColumn and a length from 1 to {LONGEST}",
    "Split": r"only features are split, and only at bars: write Split(InputColumn(FEATS, word), \|)",
    "Suffix": f"expected an InputColumn and a length from 1 to {LONGEST}",
}


@dataclass(frozen=True)
class _Feature:
    text: str
    line: int
    column: int


@dataclass(frozen=True)
class _Call:
    """A function, a structure or a plain word."""

    name: str
    inside: tuple[_Call, ...] = ()

    def __str__(self) -> str:
        return f"{self.name}({', '.join(map(str, self.inside))})" if self.inside else self.name


def read_feature_model(text: str, *, algorithm: str | None = None) -> str:
    """Templates, one a line.

    Parameters
    ----------
    text : str
        A feature model file.
    algorithm : str or None
        For which of MaltParser's parsing algorithms the model was written (`STRUCTURES`), or which of ours it is for:
        arc-eager is nivreeager, swap stacklazy, and arc-standard stackproj if the file speaks of Lookahead, else
        nivrestandard, whose arcs join Stack[0] and Input[0], which are s1 and s0 here. By default the file tells:
        stackproj if it speaks of Lookahead, stacklazy if of Lookahead and Input, nivreeager otherwise.

    Raises
    ------
    FormatError
        With line and column, where a feature cannot be written in templates.
    """
    if algorithm is not None and algorithm not in (*STRUCTURES, *OURS):
        known = ", ".join([*STRUCTURES, *OURS])
        raise ValueError(f"models can be read for the algorithms {known}, got {algorithm!r}")
    text = text.removeprefix("\ufeff")
    is_xml = text.lstrip().startswith("<")
    features = _XmlModel(text).features if is_xml else list(_par_features(text))
    if not features:
        raise FormatError("a feature model without features")
    algorithm = _algorithm_of(features, algorithm)
    return "\n".join(dict.fromkeys(_item(feature, algorithm) for feature in features)) + "\n"


def _algorithm_of(features: list[_Feature], algorithm: str | None) -> str:
    """MaltParser's name."""
    if algorithm in STRUCTURES:
        return algorithm
    used = {name for feature in features for name in re.findall(r"\b(Input|Lookahead)\s*\[", feature.text)}
    if algorithm == "swap":
        return "stacklazy"
    if algorithm == "arc-standard":
        return "stackproj" if "Lookahead" in used else "nivrestandard"
    if algorithm == "arc-eager" or "Lookahead" not in used:
        return "nivreeager"
    return "stacklazy" if "Input" in used else "stackproj"


# --- files ------------------------------------------------------------------------------------------------------------


_WITHIN = {"": "featuremodels", "featuremodels": "featuremodel", "featuremodel": "feature"}


class _XmlModel:
    """The features of an XML file, by expat itself because ElementTree does not tell where an element was."""

    def __init__(self, text: str) -> None:
        self.features = list[_Feature]()
        self._text = text.encode("utf-8", "replace")
        self._open, self._models = [""], 0
        self._said, self._place = "", (0, 0)
        self._parser = expat.ParserCreate("utf-8")
        self._parser.StartDoctypeDeclHandler = self._refuse_declarations
        self._parser.StartElementHandler = self._begin
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._say
        try:
            self._parser.Parse(self._text, True)
        except expat.ExpatError as error:
            reason = expat.ErrorString(error.code)
            raise FormatError(f"this is not XML: {reason}", None, error.lineno, error.offset + 1) from error

    def _here(self, skipped: int = 0) -> tuple[int, int]:
        before = self._text[: self._parser.CurrentByteIndex]
        return before.count(b"\n") + 1, len(before) - before.rfind(b"\n") + skipped

    def _refuse_declarations(self, *_: object) -> None:
        raise FormatError("expected a feature model without a document type: take it out", None, *self._here())

    def _begin(self, name: str, _: dict[str, str]) -> None:
        self._models += name == "featuremodel"
        if name == "submodel":
            reason = "transition and relation are decided together here, so there are no submodels: leave one"
            raise FormatError(reason, None, *self._here())
        expected = _WITHIN.get(self._open[-1])
        if name != expected:
            raise FormatError(f"expected {f'<{expected}>' if expected else 'text'}, got <{name}>", None, *self._here())
        if self._models > 1:
            raise FormatError("expected one <featuremodel>, got a second one", None, *self._here())
        self._open.append(name)
        self._said = ""

    def _say(self, data: str) -> None:
        if not data.strip():
            self._said += data
            return
        if self._open[-1] != "feature":
            raise FormatError(f"expected text in <feature> alone, got {data.strip()[:_SHOWN]!r}", None, *self._here())
        if not self._said.strip():
            self._place = self._here(len(data) - len(data.lstrip()))
        self._said += data

    def _end(self, name: str) -> None:
        if name == "feature" and self._said.strip():
            self.features.append(_Feature(self._said.strip(), *self._place))
        self._open.pop()


_PAR_COLUMNS = {"LEX": "FORM", "LEMMA": "LEMMA", "CPOS": "CPOSTAG", "POS": "POSTAG", "FEATS": "FEATS", "DEP": "DEPREL"}


def _par_features(text: str) -> Iterator[_Feature]:
    for number, line in enumerate(text.splitlines(), 1):
        words = line.split()
        if words and not words[0].startswith("--"):  # a comment
            place = number, 1 + len(line) - len(line.lstrip())
            try:
                yield _Feature(_par_feature(words), *place)
            except ValueError as error:
                raise FormatError(f"{error}, in {line.strip()[:_SHOWN]!r}", None, *place) from error


def _par_feature(words: list[str]) -> str:
    """The same as XML files spell it."""
    if words[0] not in _PAR_COLUMNS:
        raise ValueError(f"expected a column ({', '.join(_PAR_COLUMNS)}), got {words[0]!r}")
    structure = words[1].upper() if len(words) > 1 else ""
    if structure not in ("STACK", "INPUT"):
        other = f"{words[1]!r}, which is not in our algorithms" if structure else "nothing"
        raise ValueError(f"expected STACK or INPUT behind the column, got {other}")
    if len(words) > 8 or not all(re.fullmatch("[+-]?[0-9]{1,3}", word) for word in words[2:]):
        raise ValueError("expected up to six numbers: word, text, heads, dependents, siblings, suffix")
    which, text, heads, dependents, siblings, suffix = [*map(int, words[2:]), *[0] * (8 - len(words))]
    if min(which, heads, suffix) < 0:
        raise ValueError("the numbers of the word, of heads and of a suffix's characters cannot be below 0")
    word = f"{structure.capitalize()}[{which}]"
    for times, name in ((text, "pred succ"), (heads, " head"), (dependents, "ldep rdep"), (siblings, "lsib rsib")):
        step = name.split(" ")[times > 0]
        word = f"{step}(" * abs(times) + word + ")" * abs(times)
    return _par_column(_PAR_COLUMNS[words[0]], word, suffix)


def _par_column(column: str, word: str, suffix: int) -> str:
    cell = f"{'Output' if column == 'DEPREL' else 'Input'}Column({column}, {word})"
    if suffix:
        return f"Suffix({cell}, {suffix})"
    return rf"Split({cell}, \|)" if column == "FEATS" else cell


# --- features ---------------------------------------------------------------------------------------------------------


def _item(feature: _Feature, algorithm: str) -> str:
    try:
        return "/".join(_parts(_parsed(feature.text), algorithm))
    except ValueError as error:
        raise FormatError(f"{error}, in {feature.text[:_SHOWN]!r}", None, feature.line, feature.column) from error


def _parsed(text: str) -> _Call:
    marks = re.findall(r"[()\[\],]|[^()\[\],\s]+", text)
    if sum(mark in "([" for mark in marks) > DEEPEST:
        raise ValueError(f"more than {DEEPEST} functions")
    call, end = _next_call(marks, 0)
    if end != len(marks):
        raise ValueError(f"expected the end behind {call}, got {marks[end]!r}")
    return call


def _next_call(marks: list[str], at: int) -> tuple[_Call, int]:
    """The one that begins there, and where it ends."""
    if at == len(marks) or marks[at] in "()[],":
        raise ValueError(f"expected a name, got {repr(marks[at]) if at < len(marks) else 'the end'}")
    name, inside = marks[at], list[_Call]()
    at += 1
    if at == len(marks) or marks[at] not in "([":
        return _Call(name), at
    closing = ")" if marks[at] == "(" else "]"
    while marks[at] != closing:
        argument, at = _next_call(marks, at + 1)
        inside.append(argument)
        if at == len(marks) or marks[at] not in (",", closing):
            raise ValueError(f"expected , or {closing} behind {argument}")
    return _Call(name, tuple(inside)), at + 1


def _parts(call: _Call, algorithm: str) -> list[str]:
    """What is joined by / in a template."""
    match call.name, call.inside:
        case "InputColumn" | "InputTable", (_Call(column, ()), word):
            return [f"{_address(word, algorithm)}.{_column(column)}"]
        case "OutputColumn" | "OutputTable", (_Call("DEPREL", ()), word):
            return [f"{_address(word, algorithm)}.deprel"]
        case ("Merge", (_, _)) | ("Merge3", (_, _, _)):
            return [part for one in call.inside for part in _merged(one, algorithm)]
        case "Split", (_Call("InputColumn", (_Call("FEATS", ()), word)), _Call(r"\|", ())):
            return [f"{_address(word, algorithm)}.feats:parts"]
        case "Prefix" | "Suffix", (_Call("InputColumn" | "InputTable") as cell, _Call(length, ())) if _is_length(
            length
        ):
            return [f"{_parts(cell, algorithm)[0]}:{call.name.lower()}:{int(length)}"]
        case "NumOf", (word, _Call(which, ()), _Call(steps, ())) if which.lower() in _COUNTS and steps == _COUNTED:
            return [f"{_address(word, algorithm)}.{_COUNTS[which.lower()]}"]
        case "Distance", (one, other, _Call(steps, ())) if steps == _MEASURED:
            return [f"distance({_address(one, algorithm)},{_address(other, algorithm)})"]
    raise ValueError(_INSTEAD.get(call.name, f"expected a feature such as InputColumn(FORM, Stack[0]), got {call}"))


def _merged(call: _Call, algorithm: str) -> list[str]:
    if call.name == "Split":
        raise ValueError("a feature with several values cannot be merged: let Split stand alone")
    return _parts(call, algorithm)


def _is_length(text: str) -> bool:
    return re.fullmatch("[0-9]{1,4}", text) is not None and 1 <= int(text) <= LONGEST


def _column(name: str) -> str:
    if name not in _COLUMNS:
        raise ValueError(f"expected a column ({', '.join(_COLUMNS)}), got {name!r}")
    return _COLUMNS[name]


# --- words ------------------------------------------------------------------------------------------------------------


def _address(call: _Call, algorithm: str) -> str:
    steps = list[str]()
    while call.name in _STEPS and len(call.inside) == 1:
        steps.append(call.name)
        call = call.inside[0]
    return ".".join([_word(call, algorithm), *reversed(steps)])


def _word(call: _Call, algorithm: str) -> str:
    """Both sides count outwards from the gap between stack and buffer: s1 s0 | b0 b1, here -2 -1 | 0 1."""
    match call:
        case _Call("Stack" | "Input" | "Lookahead" as structure, (_Call(number, ()),)):
            if not re.fullmatch("[0-9]{1,2}", number):
                raise ValueError(f"expected {structure}[0] to {structure}[99], got {call}")
            if structure not in STRUCTURES[algorithm]:
                raise ValueError(_no_structure(structure, algorithm))
            place = -1 - int(number) if structure == "Stack" else int(number)
            place -= algorithm == "nivrestandard"  # its Input[0] is on the stack already
            return f"b{place}" if place >= 0 else f"s{-1 - place}"
        case _Call("rdep2"):
            raise ValueError("rdep2 imitates a fault of MaltParser 0.4: write rdep")
    raise ValueError(f"expected Stack[n], Input[n] or Lookahead[n], and steps ({', '.join(_STEPS)}), got {call}")


def _no_structure(structure: str, algorithm: str) -> str:
    if algorithm in ("stacklazy", "stackeager"):
        why = "templates have no name for words that were swapped back, nor for those that were not"
        return f"{structure} of {algorithm}: {why} (b0 is the next one of both): write templates instead"
    return f"there are no words in {structure} of {algorithm}: use {' and '.join(STRUCTURES[algorithm])}"
