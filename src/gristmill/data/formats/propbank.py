"""PropBank files: sentences (trees), and propositions (predicates with their arguments)."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from gristmill.base.errors import FormatError
from gristmill.base.files import PathLike, read_bytes, write_bytes
from gristmill.base.progress import Progress
from gristmill.data.forest import Forest
from gristmill.data.formats.bracketed import parse_trees
from gristmill.data.formats.kinds import PROPOSITIONS, TREES
from gristmill.data.formats.reading import reading

PREDICATE, CONTINUED = "V", "C-V"
NO_ROLESET = NO_DOCUMENT = "-"

SPAN = re.compile(r"([0-9]{1,9})-([0-9]{1,9}):([^\s()]+)")
NAME = re.compile(r"[^\s()\ufeff]([^\t\n\v\f\r()]*[^\s()])?")
_BYTE_ORDER = b"\xef\xbb\xbf"  # some editors begin a file with it
_TOKEN = re.compile(r"[0-9]{1,9}")
_WORD = re.compile(r"\S+")

Name = tuple[str, str]  # a sentence: its document and its number there
Tokens = tuple[int, int]  # the first and the last


class Argument(NamedTuple):
    """Tokens and the role they play.

    Parameters
    ----------
    first, last : int
        Tokens, counted from 0; the last one belongs to it.
    role : str
        As ARG0; a word without brackets, and not V, which is the predicate.
    """

    first: int
    last: int
    role: str

    def __str__(self) -> str:
        return f"{self.first}-{self.last}:{self.role}"


@dataclass(frozen=True)
class Proposition:
    """A predicate and its arguments; the predicate itself is none of them.

    Parameters
    ----------
    sentence : (str, str)
        The name: document, and number there.
    token : int
        The predicate, or one token of it.
    roleset : str
        Its sense, as give.01.
    arguments : tuple of Argument
    predicate : (int, int) or None
        The first and the last token of a predicate of several, as `grow up`. None is the token alone.
    """

    sentence: Name
    token: int
    roleset: str = NO_ROLESET
    arguments: tuple[Argument, ...] = ()
    predicate: Tokens | None = None

    def __post_init__(self) -> None:
        if self.predicate == (self.token, self.token):
            object.__setattr__(self, "predicate", None)

    @property
    def own(self) -> tuple[Tokens, ...]:
        """Tokens of the predicate itself: two pieces, where the token is that of the second, as in `flip - flop`."""
        token = (self.token, self.token)
        return (token,) if self.predicate is None else (self.predicate, token)

    def __str__(self) -> str:
        """A line of a file."""
        spans = sorted([*self.arguments, Argument(*self.own[0], PREDICATE)])
        return "\t".join([*self.sentence, str(self.token), self.roleset, " ".join(map(str, spans))])


def checked_propositions(propositions: Iterable[Proposition]) -> list[Proposition]:
    """The propositions as a list; ValueError for one that a file cannot hold."""
    found: dict[tuple[Name, int], Proposition] = {}
    for proposition in propositions:
        _check(proposition)
        key = proposition.sentence, proposition.token
        if key in found:
            raise ValueError(f"{_place(proposition)}: the predicate is there twice")
        found[key] = proposition
    return list(found.values())


def _checked_names(*names: str) -> tuple[str, ...]:
    for name in names:
        if NAME.fullmatch(name) is None:
            raise ValueError(f"a name must be a word without brackets, tabs and line ends, got {name!r}")
    return names


def holds_token(proposition: Proposition) -> bool:
    """Whether the token is in the span of the predicate, or where that is continued."""
    pieces = [argument[:2] for argument in proposition.arguments if argument.role == CONTINUED]
    return any(first <= proposition.token <= last for first, last in (proposition.own[0], *pieces))


def outside(token: int, size: float) -> str:
    return f"token {token} is outside the sentence, which has {size}, counted from 0"


def backwards(first: int, last: int) -> str:
    return f"the span {first}-{last} ends before it begins"


def elsewhere(proposition: Proposition) -> str:
    first, last = proposition.own[0]
    return f"the predicate is token {proposition.token}, but {PREDICATE} is {first}-{last}"


# --- checks -----------------------------------------------------------------------------------------------------------


def _check(proposition: Proposition) -> None:
    _checked_names(*proposition.sentence, proposition.roleset)
    spans = [*proposition.arguments, *(Argument(*tokens, PREDICATE) for tokens in proposition.own)]
    for span in spans:
        if SPAN.fullmatch(str(span)) is None or span.first > span.last:
            expected = "two tokens and a role, a word without white space and brackets"
            raise ValueError(f"{_place(proposition)}: an argument is {expected}, got {span!r}")
    if any(argument.role == PREDICATE for argument in proposition.arguments):
        raise ValueError(f"{_place(proposition)}: {PREDICATE} is the predicate itself, not the role of an argument")
    if len(set(proposition.arguments)) < len(proposition.arguments):
        raise ValueError(f"{_place(proposition)}: an argument is there twice")
    if not holds_token(proposition):
        raise ValueError(f"{_place(proposition)}: {elsewhere(proposition)}")


def _place(proposition: Proposition) -> str:
    return f"sentence {' '.join(proposition.sentence)!r}, token {proposition.token}"


class Sentences:
    """Trees with the names of their sentences.

    Parameters
    ----------
    trees : Forest
    names : sequence of (str, str), or None
        Document and number; None counts them.
    """

    def __init__(self, trees: Forest, names: Sequence[Name] | None = None) -> None:
        self.trees = trees
        self.names = [(NO_DOCUMENT, str(number)) for number in range(len(trees))] if names is None else list(names)
        self.numbers = {name: number for number, name in enumerate(self.names)}
        if len(self.names) != len(trees):
            raise ValueError(f"expected a name for each of {len(trees)} trees, got {len(self.names)}")
        if len(self.numbers) != len(self.names):
            twice = next(name for number, name in enumerate(self.names) if self.numbers[name] != number)
            raise ValueError(f"two sentences are called {' '.join(twice)!r}")

    def __len__(self) -> int:
        return len(self.names)

    def __repr__(self) -> str:
        return f"Sentences({len(self)} sentences)"

    def number(self, name: Name) -> int:
        """Which tree it is; ValueError where there is none."""
        found = self.numbers.get(name)
        if found is None:
            raise ValueError(f"there is no sentence {' '.join(name)!r} among {len(self)} trees")
        return found

    def check(self, proposition: Proposition) -> None:
        """ValueError where the sentence of a proposition is not there, or does not have its tokens."""
        size = self.sizes[self.number(proposition.sentence)]
        for first, last in (*proposition.own, *(argument[:2] for argument in proposition.arguments)):
            if not 0 <= first <= last < size:
                fault = outside(last if last >= size else first, size) if first <= last else backwards(first, last)
                raise ValueError(f"sentence {' '.join(proposition.sentence)!r}: {fault}")

    @cached_property
    def sizes(self) -> list[int]:
        """Tokens of each."""
        tokens: list[int] = self.trees.sizes()[1].tolist()
        return tokens


def read_sentences(
    path: PathLike, *, marks: bool = False, lowercase: bool = False, progress: Progress | None = None
) -> Sentences:
    """Read the trees of sentences; with marks, ``VBD*1`` is VBD with mark 1. Options are those of `read_trees`."""
    with reading(path, TREES) as looked:
        data = looked.content(read_bytes(path))
        found = parse_trees(data, marks=marks, lowercase=lowercase, equal_columns=True, progress=progress)
        if not any(found.columns):
            return Sentences(found.forest)
        return Sentences(found.forest, _names(data, found.columns))


def read_propositions(path: PathLike, sentences: Sentences | None = None) -> list[Proposition]:
    """Read propositions; with sentences, all must be about tokens of these.

    Raises
    ------
    FormatError
        With file, line and column.
    """
    with reading(path, PROPOSITIONS) as looked:
        return parse_propositions(looked.content(read_bytes(path)), sentences)


def parse_propositions(data: bytes, sentences: Sentences | None = None) -> list[Proposition]:
    """The propositions in the bytes of a file."""
    found: dict[tuple[Name, int], tuple[int, Proposition]] = {}
    for number, line in enumerate(data.removeprefix(_BYTE_ORDER).split(b"\n"), 1):
        if line.strip():
            proposition = _parsed(line, number, sentences)
            first, _ = found.setdefault((proposition.sentence, proposition.token), (number, proposition))
            if first != number:
                raise FormatError(f"the predicate of line {first} again", line=number, column=1)
    return [proposition for _, proposition in found.values()]


def read_propbank(
    trees: PathLike, propositions: PathLike, *, lowercase: bool = False, progress: Progress | None = None
) -> tuple[Sentences, list[Proposition]]:
    """Read both files; see `read_sentences` and `read_propositions`."""
    sentences = read_sentences(trees, lowercase=lowercase, progress=progress)
    return sentences, read_propositions(propositions, sentences)


def write_sentences(path: PathLike, sentences: Sentences) -> None:
    """Write trees behind the names of their sentences, whole or not at all."""
    rows = zip(sentences.names, sentences.trees, strict=True)
    _write(path, ("\t".join([*_checked_names(*name), tree]) for name, tree in rows))


def write_propositions(path: PathLike, propositions: Iterable[Proposition]) -> None:
    """Write propositions, whole or not at all."""
    _write(path, map(str, checked_propositions(propositions)))


# --- parsing ----------------------------------------------------------------------------------------------------------


def _write(path: PathLike, lines: Iterable[str]) -> None:
    write_bytes(path, "".join(f"{line}\n" for line in lines).encode())


def _names(data: bytes, columns: list[list[str]]) -> list[Name]:
    """Names from the columns before trees; FormatError unless there are two columns and no name occurs twice."""
    names: dict[Any, None] = {}
    for number, found in enumerate(columns):
        if len(found) != 2:
            raise FormatError(f"expected 2 columns before the tree, got {len(found)}", line=_row(data, number))
        if tuple(found) in names:
            raise FormatError(f"a second sentence {' '.join(found)!r}", line=_row(data, number))
        names[tuple(found)] = None
    return list(names)


def _row(data: bytes, number: int) -> int | None:
    """The line of a tree, if each begins a line of its own."""
    filled = (at for at, line in enumerate(data.split(b"\n"), 1) if b"\t" in line)
    return next((at for skipped, at in enumerate(filled) if skipped == number), None)


class _Cells:
    """The columns of a line; errors say where."""

    def __init__(self, line: bytes, number: int) -> None:
        self.number = number
        try:
            self.texts = line.rstrip(b"\r").decode().split("\t")
        except UnicodeDecodeError as error:
            raise FormatError("not UTF-8", line=number, column=error.start + 1) from error
        if not 3 <= len(self.texts) <= 5:
            expected = "document, sentence, token, roleset and spans with tabs between"
            raise FormatError(f"expected {expected}, got {len(self.texts)} columns", line=number, column=1)

    def fail(self, cell: int, message: str, within: int = 0) -> FormatError:
        before = "\t".join(self.texts[:cell]) + "\t" * (cell > 0) + self.texts[cell][:within]
        return FormatError(message, line=self.number, column=len(before.encode()) + 1)

    def name(self, cell: int, what: str) -> str:
        if NAME.fullmatch(self.texts[cell]) is None:
            raise self.fail(cell, f"expected {what}, got {self.texts[cell]!r}")
        return self.texts[cell]


def _parsed(line: bytes, number: int, sentences: Sentences | None) -> Proposition:
    cells = _Cells(line, number)
    name = cells.name(0, "a document"), cells.name(1, "a sentence")
    size = _size(cells, name, sentences)
    if _TOKEN.fullmatch(cells.texts[2]) is None:
        raise cells.fail(2, f"expected the number of a token, counted from 0, got {cells.texts[2]!r}")
    token = int(cells.texts[2])
    if token >= size:
        raise cells.fail(2, outside(token, size))
    roleset = cells.name(3, "a roleset") if len(cells.texts) > 3 else NO_ROLESET
    spans = list(_spans(cells, size))
    arguments = tuple(span for span in spans if span.role != PREDICATE)
    own = [(span.first, span.last) for span in spans if span.role == PREDICATE]
    if len(own) > 1:
        raise cells.fail(4, f"there are {len(own)} spans of the predicate, the role {PREDICATE}")
    proposition = Proposition(name, token, roleset, arguments, own[0] if own else None)
    if not holds_token(proposition):
        raise cells.fail(4, elsewhere(proposition))
    return proposition


def _size(cells: _Cells, name: Name, sentences: Sentences | None) -> float:
    """The number of tokens of the sentence; infinity if it is not known."""
    try:
        return math.inf if sentences is None else sentences.sizes[sentences.number(name)]
    except ValueError as error:
        raise cells.fail(0, str(error)) from error


def _spans(cells: _Cells, size: float) -> Iterator[Argument]:
    seen: set[Argument] = set()
    for word in _WORD.finditer(cells.texts[4] if len(cells.texts) > 4 else ""):
        found = SPAN.fullmatch(word[0])
        if found is None:
            raise cells.fail(4, f"expected a span, first-last:ROLE, got {word[0]!r}", word.start())
        argument = Argument(int(found[1]), int(found[2]), found[3])
        if argument.first > argument.last:
            raise cells.fail(4, backwards(argument.first, argument.last), word.start())
        if argument.last >= size:
            raise cells.fail(4, outside(argument.last, size), word.start())
        if argument in seen:
            raise cells.fail(4, f"the span {word[0]!r} stands there twice", word.start())
        seen.add(argument)
        yield argument
