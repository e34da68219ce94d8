"""Dependency trees as pictures: words in a row, arcs above them with their relations. SVG without scripts or fonts.

Everything has the colour of the text around it, so the picture is for light and dark paper.
Cost: the sum of the lengths of arcs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from xml.sax.saxutils import escape

from gristmill.apps.parsing.arc_drawing import check_arcs, shown
from gristmill.display.markup import text_width

_WORD, _TAG, _LABEL = 16, 11, 11  # sizes of type
_EDGE = 10  # around the picture
_SPACE = 14  # between words
_STEP = 24  # from one level of arcs to the next
_ROUND = 9  # radius of corners
_BESIDE = 7  # from one leg of a word to the next
_ARROW = 7  # its length
_UNDER = 5  # between legs, words and tags

Place = tuple[float, float]


@dataclass(eq=False)
class _Arc:
    """From a head to a dependent, counted from 0; the head of a root is the root itself."""

    head: int
    dependent: int
    label: str
    level: int = 0  # from 1 on
    head_leg: float = 0.0
    dependent_leg: float = 0.0

    @property
    def first(self) -> int:
        return min(self.head, self.dependent)

    @property
    def last(self) -> int:
        return max(self.head, self.dependent)

    @property
    def is_root(self) -> bool:
        return self.head == self.dependent

    def leg(self, word: int) -> float:
        return self.dependent_leg if word == self.dependent else self.head_leg


def svg_arcs(
    forms: Sequence[str], heads: Sequence[int], relations: Sequence[str], *, tags: Sequence[str] | None = None
) -> str:
    """Draw a sentence as an SVG picture that can be a file or part of a page.

    Parameters
    ----------
    forms, heads, relations, tags
        As in `draw_arcs`; tags stand below the words.

    Examples
    --------
    >>> from gristmill.apps.parsing.arc_svg import svg_arcs
    >>> svg_arcs(["dogs", "bark"], [2, 0], ["nsubj", "root"]).splitlines()[1:3]
    ['<title>dogs bark</title>', '<desc>dogs: nsubj of bark; bark: root</desc>']
    """
    heads = check_arcs(forms, heads, relations, tags)
    words, labels = list(map(shown, forms)), list(map(shown, relations))
    picture = _Picture(words, list(map(shown, tags or ())), _arcs(heads, labels))
    description = (
        f"{word}: {label} of {words[head - 1]}" if head else f"{word}: {label}"
        for word, label, head in zip(words, labels, heads, strict=True)
    )
    return "".join(f"{line}\n" for line in picture.lines("; ".join(description)))


def _arcs(heads: Sequence[int], labels: Sequence[str]) -> list[_Arc]:
    """Shorter ones first, roots last; each above those that it covers or crosses."""
    given = enumerate(zip(heads, labels, strict=True))
    arcs = [_Arc(head - 1 if head else word, word, label) for word, (head, label) in given]
    arcs.sort(key=lambda arc: (arc.last - arc.first or len(heads), arc.first))
    tops = [0] * (len(arcs) + 1)  # of the gap before each word, and behind the last
    for arc in arcs:
        gaps = slice(arc.first, arc.last + 2) if arc.is_root else slice(arc.first + 1, arc.last + 1)
        arc.level = 1 + max(tops[gaps])
        tops[gaps] = [arc.level] * len(tops[gaps])
    return arcs


class _Picture:
    def __init__(self, forms: list[str], tags: list[str], arcs: list[_Arc]) -> None:
        self.forms = forms
        self.tags = tags
        self.arcs = arcs
        self.ends = _ends(arcs, len(forms))
        _set_legs(self.ends)
        widths = self._widths()
        self.places = _places(widths, arcs)  # the middle of each word
        self.width = round(self.places[-1] + widths[-1] / 2 + _EDGE) if widths else 2 * _EDGE
        self.ground = _EDGE + _LABEL + _STEP * max((arc.level for arc in arcs), default=0)  # where legs end
        for arc in arcs:
            arc.head_leg += self.places[arc.head]
            arc.dependent_leg += self.places[arc.dependent]

    def _widths(self) -> list[float]:
        """The room of each word: for its form, its tag, its legs and, of a root, the label above it."""
        widths = [max(text_width(form, _WORD), _BESIDE * len(self.ends[at])) for at, form in enumerate(self.forms)]
        for word, tag in enumerate(self.tags):
            widths[word] = max(widths[word], text_width(tag, _TAG))
        for arc in self.arcs:
            if arc.is_root:
                widths[arc.head] = max(widths[arc.head], text_width(arc.label, _LABEL))
        return widths

    def lines(self, description: str) -> Iterator[str]:
        words = self.ground + _UNDER + _WORD
        tags = words + _UNDER + _TAG
        height = (tags if self.tags else words) + _EDGE
        yield (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width} {height}" width="{self.width}" '
            f'height="{height}" role="img" font-family="sans-serif" text-anchor="middle" fill="currentColor">'
        )
        yield f"<title>{escape(' '.join(self.forms))}</title>"
        yield f"<desc>{escape(description)}</desc>"
        yield '<g fill="none" stroke="currentColor" stroke-opacity="0.6">'
        yield from (f'<path d="{self._line(arc)}"/>' for arc in self.arcs)
        yield "</g>"
        yield from (f'<path d="{self._arrow(arc)}"/>' for arc in self.arcs)
        yield from _texts(_LABEL, (arc.label for arc in self.arcs), map(self._label_place, self.arcs))
        yield from _texts(_WORD, self.forms, ((place, words) for place in self.places))
        yield from _texts(_TAG, self.tags, ((place, tags) for place in self.places[: len(self.tags)]))
        yield "</svg>"

    def _top(self, arc: _Arc) -> int:
        return self.ground - _STEP * arc.level

    def _line(self, arc: _Arc) -> str:
        """Up from the head, along, down to the base of the arrow."""
        top, foot = self._top(arc), self.ground - _ARROW
        begin, end = arc.head_leg, arc.dependent_leg
        if arc.is_root:
            return f"M{begin:.1f},{top}V{foot}"
        bend = _ROUND if begin < end else -_ROUND
        up = f"M{begin:.1f},{self.ground}V{top + _ROUND}q0,{-_ROUND} {bend},{-_ROUND}"
        return f"{up}H{end - bend:.1f}q{bend},0 {bend},{_ROUND}V{foot}"

    def _arrow(self, arc: _Arc) -> str:
        return f"M{arc.dependent_leg:.1f},{self.ground}l{-_ARROW / 2},{-_ARROW}h{_ARROW}z"

    def _label_place(self, arc: _Arc) -> Place:
        """In the middle of the widest part of the arc that no leg of another one crosses."""
        crossing = sorted(
            other.leg(word)
            for word in range(arc.first + 1, arc.last)
            for other in self.ends[word]
            if other.level > arc.level
        )
        stops = sorted([arc.head_leg, arc.dependent_leg])
        parts = pairwise([stops[0], *crossing, stops[1]])
        begin, end = max(parts, key=lambda part: part[1] - part[0])
        return (begin + end) / 2, self._top(arc) - 4


def _ends(arcs: Iterable[_Arc], words: int) -> list[list[_Arc]]:
    """Arcs of each word, from left to right so that their legs do not cross."""
    lefts, middles, rights = ([list[_Arc]() for _ in range(words)] for _ in range(3))
    for arc in arcs:
        if arc.is_root:
            middles[arc.head].append(arc)
        else:
            lefts[arc.last].append(arc)
            rights[arc.first].append(arc)
    return [left + middle + right[::-1] for left, middle, right in zip(lefts, middles, rights, strict=True)]


def _set_legs(ends: Iterable[Sequence[_Arc]]) -> None:
    """Where legs are, counted from the middle of their words."""
    for word, some in enumerate(ends):
        for at, arc in enumerate(some):
            leg = _BESIDE * (at - (len(some) - 1) / 2)
            if arc.head == word:
                arc.head_leg = leg
            if arc.dependent == word:
                arc.dependent_leg = leg


def _places(widths: Sequence[float], arcs: Iterable[_Arc]) -> list[float]:
    """Words in a row, so far apart that arcs are longer than their labels."""
    steps = [(one + other) / 2 + _SPACE for one, other in pairwise(widths)]
    for arc in arcs:
        length = sum(steps[arc.first : arc.last]) + arc.leg(arc.last) - arc.leg(arc.first)
        lacking = text_width(arc.label, _LABEL) + 2 * _ROUND - length
        if lacking > 0:
            for gap in range(arc.first, arc.last):
                steps[gap] += lacking / (arc.last - arc.first)
    return list(accumulate(steps, initial=_EDGE + widths[0] / 2)) if widths else []


def _texts(size: int, texts: Iterable[str], places: Iterable[Place]) -> Iterator[str]:
    yield f'<g font-size="{size}">'
    for text, (across, down) in zip(texts, places, strict=True):
        yield f'<text x="{across:.1f}" y="{down}">{escape(text)}</text>'
    yield "</g>"
