"""Templates as values: items made of looks at cells and tags, and how they are compiled for the core."""

from __future__ import annotations

from dataclasses import dataclass

from gristmill import _core

VIEWS = {kind.name: kind for kind in (_core.View.prefix, _core.View.suffix, _core.View.grams)}  # those that have a size
PLAIN_VIEWS = {
    kind.name: kind
    for kind in (_core.View.shape, _core.View.brief, _core.View.type, _core.View.pieces, _core.View.parts)
}

YAMCHA_OUTSIDE = ("-", "__BOS__", "+", "__EOS__")
CRFPP_OUTSIDE = ("_B-", "", "_B+", "")


@dataclass(frozen=True)
class View:
    """What is seen of a cell: all of it, or less."""

    kind: str = "whole"
    size: int = 0
    lower: bool = False

    @property
    def is_bag(self) -> bool:
        return self.kind in ("grams", "pieces", "parts")

    @property
    def parts(self) -> tuple[_core.View, int, bool]:
        """As the core takes it."""
        return getattr(_core.View, self.kind), self.size, self.lower

    def __str__(self) -> str:
        """As templates spell it: lower+suffix:3."""
        parts = ["lower"] * self.lower
        if self.kind != "whole":
            parts.append(f"{self.kind}:{self.size}" if self.size else self.kind)
        return "+".join(parts)

    def values(self, cell: str) -> list[str]:
        """What is seen of a cell."""
        return _core.see(*self.parts, cell)


@dataclass(frozen=True)
class Look:
    """At a cell of the token so far away, or at its tag if there is no column."""

    distance: int
    column: int | None
    view: View = View()


@dataclass(frozen=True)
class Item:
    """Text and looks in turn: (before, look), ..., after. The feature is what they spell."""

    pieces: tuple[tuple[str, Look], ...]
    after: str = ""


@dataclass(frozen=True)
class Templates:
    """All items, and what is seen before the first token and behind the last one."""

    items: tuple[Item, ...]
    outside: tuple[str, str, str, str]

    @property
    def looks(self) -> list[Look]:
        return [look for item in self.items for _, look in item.pieces]

    @property
    def columns(self) -> int:
        """How many a token must have."""
        return max((look.column + 1 for look in self.looks if look.column is not None), default=0)

    @property
    def uses_tags(self) -> bool:
        return any(look.column is None for look in self.looks)

    def compile(self, tags: list[str]) -> _core.Window:
        """The core's own, for sentences whose tokens have these tags."""
        distances = sorted({look.distance for look in self.looks})
        place = {distance: number for number, distance in enumerate(distances)}
        sights = list(dict.fromkeys((look.column, look.view) for look in self.looks if look.column is not None))
        number = {sight: at for at, sight in enumerate(sights)}

        def piece(before: str, look: Look) -> _core.TemplatePiece:
            if look.column is None:
                return _core.TemplatePiece.of_label(before, place[look.distance])
            return _core.TemplatePiece.of_cell(before, place[look.distance], number[look.column, look.view])

        items = [_core.TemplateItem([piece(*one) for one in item.pieces], item.after) for item in self.items]
        reach = max(map(abs, distances), default=0)
        core_sights = [_core.Sight(column, *view.parts) for column, view in sights]
        outside = _core.Outside(*self.outside)
        extractor = _core.Extractor(len(distances), reach, core_sights, items, outside, tags)
        return _core.Window(extractor, distances)
