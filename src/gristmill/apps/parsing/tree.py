"""A sentence with its tree, as Python has it: words with heads and relations; and what else people call a sentence."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeVar

import numpy as np

from gristmill import _core
from gristmill.apps.parsing.arc_drawing import draw_arcs
from gristmill.apps.parsing.arc_svg import svg_arcs
from gristmill.base.arrays import Int32s

COLUMNS = ("form", "lemma", "upos", "xpos", "feats")  # of words, as templates see them
NOTHING = "_"

_T = TypeVar("_T")


@dataclass(frozen=True)
class Word:
    """A word as CoNLL-U has it; heads count from 1, 0 is the root's."""

    form: str
    lemma: str = NOTHING
    upos: str = NOTHING
    xpos: str = NOTHING
    feats: str = NOTHING
    head: int | None = None
    deprel: str | None = None

    @property
    def cells(self) -> tuple[str, str, str, str, str]:
        return self.form, self.lemma, self.upos, self.xpos, self.feats

    @property
    def known_cells(self) -> tuple[str, ...]:
        """The same; what is not given is empty, as the core has it."""
        form, *more = self.cells
        return form, *("" if cell == NOTHING else cell for cell in more)


Token = str | Word | Sequence[str] | Mapping[str, Any]
Sentences = Iterable[Iterable[Token]]


@dataclass(frozen=True)
class DependencyTree:
    """A sentence, and on which word each of its words depends."""

    words: tuple[Word, ...]

    def __len__(self) -> int:
        return len(self.words)

    def __iter__(self) -> Iterator[Word]:
        return iter(self.words)

    def __getitem__(self, place: int) -> Word:
        return self.words[place]

    @property
    def heads(self) -> list[int]:
        """Counted from 1; 0 is the root's."""
        return [_given(word.head) for word in self.words]

    @property
    def relations(self) -> list[str]:
        return [_given(word.deprel) for word in self.words]

    def draw(self, style: Literal["arcs", "tree"] = "arcs", *, width: int | None = None) -> str:
        """The tree for a terminal; see `gristmill.apps.parsing.arc_drawing`."""
        return draw_arcs(self._forms, self.heads, self.relations, tags=self._tags, style=style, width=width)

    def svg(self) -> str:
        """The tree as a picture."""
        return svg_arcs(self._forms, self.heads, self.relations, tags=self._tags)

    def _repr_svg_(self) -> str:
        return self.svg()

    def _repr_html_(self) -> str:
        """The picture within the page, where it takes the colour of the text around it."""
        from gristmill.display.markup import Html
        from gristmill.display.page import notebook, scroll

        return notebook(scroll("A dependency tree", Html(self.svg())))

    def __str__(self) -> str:
        return self.draw()

    @property
    def _forms(self) -> list[str]:
        return [word.form for word in self.words]

    @property
    def _tags(self) -> list[str] | None:
        tags = [word.upos for word in self.words]
        return tags if any(tag != NOTHING for tag in tags) else None

    def conllu(self) -> str:
        """Lines of CoNLL-U, and the empty one behind them."""
        lines = []
        for number, word in enumerate(self.words, 1):
            head = NOTHING if word.head is None else str(word.head)
            lines.append("\t".join([str(number), *word.cells, head, word.deprel or NOTHING, NOTHING, NOTHING]))
        return "\n".join([*lines, "", ""])


def _given(value: _T | None) -> _T:
    if value is None:
        raise ValueError("a word has no head yet")
    return value


# --- what may be a sentence ------------------------------------------------------------------------------------------


def as_word(token: Token) -> Word | None:
    """A word of a form; of a form, upos, xpos, lemma and feats, as many as there are; or as `conllu` reads it.

    None where it is no word: an empty node, or a token of several words.
    """
    if isinstance(token, Word):
        return token
    if isinstance(token, str):
        return Word(token)
    if isinstance(token, Mapping):
        return _of_mapping(token)
    if not isinstance(token, Sequence) or not 1 <= len(token) <= 5 or not all(isinstance(cell, str) for cell in token):
        raise ValueError(f"expected a form, then upos, xpos, lemma and feats where they are known, got {token!r:.60}")
    form, upos, xpos, lemma, feats = [*token, *[NOTHING] * 4][:5]
    return Word(form, lemma, upos, xpos, feats)


def _of_mapping(token: Mapping[str, Any]) -> Word | None:
    if not str(token.get("id", 1)).isdecimal():
        return None
    if token.get("form") is None:
        raise ValueError(f"expected a word that has a form, got {token!r:.60}")
    cells = {name: token[name] for name in COLUMNS if token.get(name) is not None}
    if isinstance(cells.get("feats"), Mapping):
        cells["feats"] = "|".join(f"{name}={value}" for name, value in cells["feats"].items()) or NOTHING
    return Word(**cells, head=token.get("head"), deprel=token.get("deprel"))


def sentences_of(sentences: Sentences) -> list[tuple[Word, ...]]:
    """Words of all sentences, checked."""
    found = list[tuple[Word, ...]]()
    for number, sentence in enumerate(sentences):
        if isinstance(sentence, str) or not isinstance(sentence, Iterable):
            raise ValueError(f"{place_of(number)}: expected a list of words, got {sentence!r:.60}")
        words = list[Word]()
        for token in sentence:
            try:
                word = as_word(token)
                words += [] if word is None else [_checked(word)]
            except ValueError as error:
                raise ValueError(f"{place_of(number, len(words) + 1)}: {error}") from error
        found.append(tuple(words))
    return found


def place_of(sentence: int, word: int | None = None) -> str:
    return f"sentence {sentence}, counted from 0" + ("" if word is None else f", word {word}")


def _checked(word: Word) -> Word:
    """The word, if CoNLL-U can spell it."""
    given = [*zip(COLUMNS, word.cells, strict=True), *([] if word.deprel is None else [("deprel", word.deprel)])]
    for name, cell in given:
        if not isinstance(cell, str) or not cell or any(blank in cell for blank in "\t\r\n"):
            raise ValueError(f"expected its {name} to be text, without tabs and ends of lines, got {cell!r}")
        if not cell.isascii() and any("\ud800" <= letter <= "\udfff" for letter in cell):
            raise ValueError(f"its {name} holds half a surrogate pair, which UTF-8 cannot spell")
    return word


def conllu_of(sentences: Sequence[tuple[Word, ...]]) -> _core.Conllu:
    """Sentences as CoNLL-U."""
    return _core.Conllu.parse("".join(DependencyTree(words).conllu() for words in sentences if words).encode())


def columns_of_words(sentences: Sequence[tuple[Word, ...]]) -> _core.Columns:
    cells = [cell for words in sentences for word in words for cell in word.known_cells]
    lengths = np.array([len(words) for words in sentences], dtype=np.int64)
    return _core.Columns.of_cells(cells, len(COLUMNS), lengths)


def trees_of(
    sentences: Sequence[tuple[Word, ...]], heads: Int32s, relations: Int32s, names: Sequence[str]
) -> list[DependencyTree]:
    """The words again, with heads and relations."""
    found, at = list[DependencyTree](), 0
    for words in sentences:
        end = at + len(words)
        given = zip(words, heads[at:end].tolist(), relations[at:end].tolist(), strict=True)
        found.append(DependencyTree(tuple(replace(w, head=h + 1, deprel=names[r]) for w, h, r in given)))
        at = end
    return found
