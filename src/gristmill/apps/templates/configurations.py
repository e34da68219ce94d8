"""Templates of a parser: which words of the stack, of the buffer and around them in the tree so far make features.

    s0.form:lower           the word on top of the stack, in lower case; s1 is below it
    b0.upos b1.upos         the next word of the buffer, and the one behind it
    s0.ldep.deprel          the relation of its leftmost dependent so far
    s0.form/b0.upos         both in one feature
    s0.lefts s0.rights      how many dependents it has on either side, 3 for more
    distance(s0,b0)         1 to 4, 5 for 5 and 6, 7 for 7 to 10, 11 for more
    {s0,b0}.{form,upos}     four features; braces may stand anywhere

Steps: head, ldep, rdep (outermost dependents), ldep2, rdep2 (the second ones), lsib, rsib (siblings on the same side
of their head), pred, succ (neighbours in the text). Views are those of other templates: lower, prefix:n, suffix:n,
shape, brief, type, grams:n, pieces, and parts, what bars separate. What is not there makes no feature. `#` begins a
comment.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from gristmill import _core
from gristmill.apps.templates.reading import parse_views
from gristmill.apps.templates.template import View
from gristmill.base.errors import FormatError

DEEPEST = 100  # places of the stack or buffer
RELATION = "deprel"

_BASES = {"s": _core.Base.stack, "b": _core.Base.buffer}
_STEPS = ("head", "ldep", "rdep", "ldep2", "rdep2", "lsib", "rsib", "pred", "succ")
_MOST_ITEMS = 10_000  # features of all templates together
_MOST_PARTS = 100  # of a feature
_MOST_WRITTEN = 10_000_000  # characters on the way to one template without braces
_SHOWN = 80

_BASE = re.compile(r"([sb])([0-9]{1,3})")
_BRACES = re.compile(r"\{([^{}]*)\}")
_DISTANCE = re.compile(r"distance\(([^,()]*),([^,()]*)\)")

_WHOLE = View()


@dataclass(frozen=True)
class Address:
    """The way to a word: from a place of the stack or buffer, step by step."""

    base: str
    depth: int
    steps: tuple[str, ...] = ()

    def __str__(self) -> str:
        return ".".join([f"{self.base}{self.depth}", *self.steps])

    @property
    def core(self) -> _core.Address:
        return _core.Address(_BASES[self.base], self.depth, [getattr(_core.Step, step) for step in self.steps])


@dataclass(frozen=True)
class Seen:
    """A cell of a word, or its relation if there is no column."""

    address: Address
    column: int | None
    view: View = _WHOLE


@dataclass(frozen=True)
class Fact:
    """lefts, rights (then `other` is the same word) or distance."""

    kind: str
    address: Address
    other: Address


@dataclass(frozen=True)
class ConfigurationItem:
    """A feature: the name of its template, and what makes its value."""

    name: str
    parts: tuple[Seen | Fact, ...]


@dataclass(frozen=True)
class ConfigurationTemplates:
    """All items."""

    items: tuple[ConfigurationItem, ...]

    def compile(self, relations: list[str]) -> _core.ConfigurationFeatures:
        """The core's own, for parsers that give these relations."""
        parts = [part for item in self.items for part in item.parts]
        facts = list(dict.fromkeys(part for part in parts if isinstance(part, Fact)))
        sights = list(dict.fromkeys((p.column, p.view) for p in parts if isinstance(p, Seen) and p.column is not None))
        addresses = list(dict.fromkeys([p.address for p in parts] + [fact.other for fact in facts]))
        place = {address: number for number, address in enumerate(addresses)}
        fact_place = {fact: number for number, fact in enumerate(facts)}
        sight_place = {sight: number for number, sight in enumerate(sights)}

        def piece(before: str, part: Seen | Fact) -> _core.TemplatePiece:
            if isinstance(part, Fact):
                return _core.TemplatePiece.of_fact(before, fact_place[part])
            if part.column is None:
                return _core.TemplatePiece.of_label(before, place[part.address])
            return _core.TemplatePiece.of_cell(before, place[part.address], sight_place[part.column, part.view])

        items = [_core.TemplateItem([*map(piece, _texts(item), item.parts)]) for item in self.items]
        core_sights = [_core.Sight(column, *view.parts) for column, view in sights]
        extractor = _core.Extractor(
            len(addresses), 1, core_sights, items, _core.Outside(), relations, facts=len(facts), silent=True
        )
        core_facts = [
            _core.Fact(getattr(_core.FactKind, fact.kind), place[fact.address], place[fact.other]) for fact in facts
        ]
        return _core.ConfigurationFeatures(extractor, [address.core for address in addresses], core_facts)


def _texts(item: ConfigurationItem) -> list[str]:
    """What stands before the values of the parts."""
    return [f"{item.name}=", *["/"] * (len(item.parts) - 1)]


def parse_configurations(text: str, columns: Sequence[str]) -> ConfigurationTemplates:
    """Templates for words that have these columns; FormatError with line and column where they are none."""
    items = list[ConfigurationItem]()
    for number, line in enumerate(text.splitlines(), 1):
        for word in re.finditer(r"\S+", line.partition("#")[0]):
            try:
                for spelled in _expanded(word[0], _MOST_ITEMS - len(items)):
                    items += _items(spelled, columns, _MOST_ITEMS - len(items))
            except ValueError as error:
                raise FormatError(f"{error}, in {word[0][:_SHOWN]!r}", None, number, 1 + word.start()) from error
    if not items:
        raise FormatError("templates that make no feature")
    return ConfigurationTemplates(tuple(dict.fromkeys(items)))


def parse_address(text: str) -> Address:
    """A word's address: s0, b1, s0.ldep; ValueError if it is none."""
    base, *steps = text.split(".")
    found = _BASE.fullmatch(base)
    if found is None or int(found[2]) > DEEPEST:
        raise ValueError(f"expected a place s0 to s{DEEPEST} or b0 to b{DEEPEST}, got {base!r}")
    for step in steps:
        if step not in _STEPS:
            raise ValueError(f"expected a step ({', '.join(_STEPS)}), got {step!r}")
    return Address(found[1], int(found[2]), tuple(steps))


def _expanded(word: str, most: int) -> list[str]:
    """Braces written out, from left to right; ValueError before more than so many are made."""
    words, written = [word], 0
    while any("{" in one or "}" in one for one in words):
        braces = [_braces(one) for one in words]
        counts = [1 + inside[1].count(",") for inside in braces]
        _check_count(sum(counts), most)
        around = [len(one) - len(inside[0]) for one, inside in zip(words, braces, strict=True)]
        written += sum(len(word) + count * more for word, count, more in zip(words, counts, around, strict=True))
        if written > _MOST_WRITTEN:
            raise ValueError("braces that make too much text")
        words = [
            one[: inside.start()] + choice + one[inside.end() :]
            for one, inside in zip(words, braces, strict=True)
            for choice in inside[1].split(",")
        ]
    return words


def _braces(word: str) -> re.Match[str]:
    found = _BRACES.search(word)
    if found is None:
        raise ValueError("braces that do not match")
    return found


def _check_count(count: int, most: int) -> None:
    if count > most:
        raise ValueError(f"templates that make more than {_MOST_ITEMS:,} features")


def _items(spelled: str, columns: Sequence[str], most: int) -> Iterator[ConfigurationItem]:
    """One, or several where views have several sizes; ValueError before more than so many are made."""
    texts = spelled.split("/")
    if len(texts) > _MOST_PARTS:
        raise ValueError(f"a feature of {len(texts):,} parts: expected {_MOST_PARTS} at most")
    choices = [list(_parts(text, columns)) for text in texts]
    _check_count(math.prod(map(len, choices)), most)
    for parts in product(*choices):
        if len(parts) > 1 and any(isinstance(part, Seen) and part.view.is_bag for _, part in parts):
            raise ValueError("a view with several values (grams, pieces, parts) must be alone in its feature")
        yield ConfigurationItem("/".join(name for name, _ in parts), tuple(part for _, part in parts))


def _parts(text: str, columns: Sequence[str]) -> Iterator[tuple[str, Seen | Fact]]:
    distance = _DISTANCE.fullmatch(text)
    if distance is not None:
        yield text, Fact("distance", parse_address(distance[1]), parse_address(distance[2]))
        return
    head, colon, view = text.partition(":")
    where, _, what = head.rpartition(".")
    if not where:
        raise ValueError(f"expected a place and what is seen of it, such as s0.form, got {text!r}")
    address = parse_address(where)
    if what in ("lefts", "rights", RELATION) and not colon:
        yield text, Seen(address, None) if what == RELATION else Fact(what, address, address)
    elif what in columns:
        for one in parse_views(view) if colon else [_WHOLE]:
            name = f"{head}:{one}" if colon else head
            yield name, Seen(address, columns.index(what), one)
    else:
        known = ", ".join([*columns, RELATION, "lefts", "rights"])
        raise ValueError(f"expected one of {known}, got {what + colon + view!r}")
