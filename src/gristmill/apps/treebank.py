"""Sentences with trees: words of Python, and files in CoNLL-U."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, pairwise
from os import PathLike as OsPath
from typing import TYPE_CHECKING, Any, Literal, TypeGuard, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from gristmill import _core
from gristmill.apps.arc_drawing import draw_arcs
from gristmill.apps.arc_svg import svg_arcs
from gristmill.apps.word_files import utf8
from gristmill.errors import FormatError, naming
from gristmill.files import PathLike, display_name, line_blocks, read_bytes

if TYPE_CHECKING:
    from gristmill.apps.tagger import Tagger

COLUMNS = ("form", "lemma", "upos", "xpos", "feats")  # of words, as templates see them
BLOCK = 1 << 22  # bytes of a file that are worked on at once
NOTHING = "_"
_BOM = b"\xef\xbb\xbf"

Numbers = NDArray[np.int32]
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
Source = PathLike | Sentences  # a file in CoNLL-U, or sentences


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
        """The tree for a terminal; see `gristmill.apps.arc_drawing`."""
        return draw_arcs(self._forms, self.heads, self.relations, tags=self._tags, style=style, width=width)

    def svg(self) -> str:
        """The tree as a picture."""
        return svg_arcs(self._forms, self.heads, self.relations, tags=self._tags)

    def _repr_svg_(self) -> str:
        return self.svg()

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


# --- files ------------------------------------------------------------------------------------------------------------


def read_conllu(path: PathLike) -> _core.Conllu:
    """A whole file; FormatError with line and column where it is not CoNLL-U."""
    with naming(display_name(path)):
        return _core.Conllu.parse(read_bytes(path).removeprefix(_BOM))


def read_trees(treebank: Source) -> _core.Conllu:
    """A whole file, or sentences, all of which have trees."""
    if is_path(treebank):
        text = read_conllu(treebank)
        with naming(display_name(treebank)):
            text.heads()
        return text
    sentences = sentences_of(cast(Sentences, treebank))
    Treebank.of_words(sentences)
    return conllu_of(sentences)


def read_tags(path: PathLike, column: str) -> _core.Columns:
    """The forms of a file in CoNLL-U, each with one of its other columns."""
    columns = read_conllu(path).columns.picked([0, COLUMNS.index(column)])
    missing = next((number for number, cell in enumerate(columns.column(1), 1) if not cell), None)
    if missing is not None:
        raise FormatError(f"word {missing} of the file has no {column}", display_name(path))
    return columns


def conllu_blocks(path: PathLike) -> Iterator[_core.Conllu]:
    """A file of any size, some sentences at a time."""
    line, waiting = 1, list[bytes]()
    with naming(display_name(path)):
        for number, block in enumerate(chain(line_blocks(path, BLOCK), [None])):
            if block is not None:
                waiting.append(block.removeprefix(_BOM) if number == 0 else block)
            end = _end_of_sentences(waiting[-1]) if block is not None else len(waiting[-1]) if waiting else 0
            if end:
                text = b"".join([*waiting[:-1], waiting[-1][:end]])
                waiting = [waiting[-1][end:]] if end < len(waiting[-1]) else []
                parsed = _core.Conllu.parse(text, line)
                line += parsed.lines
                yield parsed


def text_blocks(path: PathLike) -> Iterator[_core.Conllu]:
    """A file of sentences, one a line, their words separated by blanks; some at a time."""
    line = 1
    with naming(display_name(path)):
        for number, block in enumerate(line_blocks(path, BLOCK)):
            text = utf8(block.removeprefix(_BOM) if number == 0 else block, line)
            sentences = [tuple(map(Word, one.split())) for one in text.splitlines()]
            yield conllu_of([words for words in sentences if words])
            line += block.count(b"\n")


def fill_tags(text: _core.Conllu, taggers: Iterable[Tagger]) -> _core.Conllu:
    """The text with parts of speech as taggers find them, each in the column that it was learned from."""
    for tagger in taggers:
        column, numbers = tagger.tag_conllu(text)
        filling = (numbers, tagger.tags_)
        filled = text.filled(upos=filling) if column == "upos" else text.filled(xpos=filling)
        text = _core.Conllu.parse(filled)
    return text


def _end_of_sentences(text: bytes) -> int:
    """How much of it is whole sentences, each with the empty line behind it."""
    return max(text.rfind(b"\n\n") + 2, text.rfind(b"\n\r\n") + 3) if b"\n\n" in text or b"\n\r\n" in text else 0


# --- sentences of Python ----------------------------------------------------------------------------------------------


def is_path(treebank: Source) -> TypeGuard[PathLike]:
    return isinstance(treebank, (str, OsPath))


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
            raise ValueError(f"{_place(number)}: expected a list of words, got {sentence!r:.60}")
        words = list[Word]()
        for token in sentence:
            try:
                word = as_word(token)
                words += [] if word is None else [_checked(word)]
            except ValueError as error:
                raise ValueError(f"{_place(number, len(words) + 1)}: {error}") from error
        found.append(tuple(words))
    return found


def _place(sentence: int, word: int | None = None) -> str:
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


@dataclass(frozen=True)
class Treebank:
    """Trees as the core takes them: words, heads within their sentence (-1 for the root), relations and their names."""

    columns: _core.Columns
    heads: Numbers
    relations: Numbers
    names: list[str]

    @classmethod
    def of_conllu(cls, text: _core.Conllu) -> Treebank:
        words = _core.Strings([])
        return cls(text.columns, text.heads(), text.relations(words), words.words())

    @classmethod
    def of_words(cls, sentences: Sequence[tuple[Word, ...]]) -> Treebank:
        heads, names, numbers = list[int](), dict[str, int](), list[int]()
        for number, words in enumerate(sentences):
            own = [_head_of(word, len(words), _place(number, at)) for at, word in enumerate(words, 1)]
            fault = _core.tree_fault(np.array(own, dtype=np.int32))
            if fault is not None:
                raise ValueError(f"{_place(number)}: {fault[1]}")
            heads += own
            numbers += [names.setdefault(str(word.deprel), len(names)) for word in words]
        columns = columns_of_words(sentences)
        return cls(columns, np.array(heads, dtype=np.int32), np.array(numbers, dtype=np.int32), list(names))

    def __len__(self) -> int:
        return len(self.columns)

    def sorted(self) -> Treebank:
        """The same with names in order, so that numbers do not depend on which sentence comes first."""
        order = sorted(range(len(self.names)), key=self.names.__getitem__)
        place = np.empty(len(order), dtype=np.int32)
        place[order] = np.arange(len(order), dtype=np.int32)
        return Treebank(self.columns, self.heads, place[self.relations], [self.names[at] for at in order])


def _head_of(word: Word, words: int, where: str) -> int:
    if not isinstance(word.head, (int, np.integer)) or word.deprel is None:
        raise ValueError(f"{where}: expected a head and a relation, got {word.head!r} and {word.deprel!r}")
    if not 0 <= word.head <= words:
        raise ValueError(f"{where}: the head {word.head} is no word of a sentence of {words}")
    return int(word.head) - 1


def read_treebank(treebank: Source, taggers: Iterable[Tagger] = ()) -> Treebank:
    """A file in CoNLL-U, or sentences of words that have heads and relations; tags as taggers find them."""
    name = display_name(treebank) if is_path(treebank) else None
    if is_path(treebank):
        with naming(display_name(treebank)):
            found = Treebank.of_conllu(fill_tags(read_conllu(treebank), taggers))
    else:
        found = Treebank.of_words(sentences_of(cast(Sentences, treebank)))
    if found.columns.tokens == 0:
        raise FormatError("there are no words", name)
    return found


def trees_of(
    sentences: Sequence[tuple[Word, ...]], heads: Numbers, relations: Numbers, names: Sequence[str]
) -> list[DependencyTree]:
    """The words again, with heads and relations."""
    found, at = list[DependencyTree](), 0
    for words in sentences:
        end = at + len(words)
        given = zip(words, heads[at:end].tolist(), relations[at:end].tolist(), strict=True)
        found.append(DependencyTree(tuple(replace(w, head=h + 1, deprel=names[r]) for w, h, r in given)))
        at = end
    return found


def trees_of_conllu(text: _core.Conllu) -> list[DependencyTree]:
    """All trees of a text; FormatError where there is none."""
    cells = zip(*(text.columns.column(column) for column in range(len(COLUMNS))), strict=True)
    words = [Word(*(cell or NOTHING for cell in one)) for one in cells]  # type: ignore[arg-type]
    starts = text.columns.starts().tolist()
    treebank = Treebank.of_conllu(text)
    sentences = [tuple(words[begin:end]) for begin, end in pairwise(starts)]
    return trees_of(sentences, treebank.heads, treebank.relations, treebank.names)
