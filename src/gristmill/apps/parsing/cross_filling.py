"""Columns of a treebank as a model finds them that was learned from its other sentences, for parsers to learn from."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import nullcontext
from itertools import groupby

from gristmill import _core
from gristmill.apps.columns import begin_of_last
from gristmill.apps.cross_prediction import FOLDS, cross_predict
from gristmill.apps.parsing.tree import COLUMNS
from gristmill.apps.parsing.treebank import (
    ColumnTagger,
    Source,
    Treebank,
    fill_tags,
    is_path,
    read_treebank,
    read_trees,
)
from gristmill.base.errors import naming
from gristmill.base.files import display_name

Fill = Callable[[_core.Conllu], _core.Conllu]  # a text with more of its columns filled in


def cross_fill(text: _core.Conllu, learn: Callable[[_core.Conllu], Fill], folds: int = FOLDS) -> _core.Conllu:
    """A text, each fold of which is filled in by what was learned from the other folds; see `cross_predict`.

    Comments and lines that are no words stay; between sentences there is one empty line. A single sentence stays as it
    is: there are no others to learn from.
    """
    sentences = [*_sentences(text.filled())]
    if len(sentences) < 2:
        return text

    def learn_sentences(known: list[bytes]) -> Callable[[list[bytes]], list[bytes]]:
        fill = learn(_joined(known))
        return lambda others: [fill(_joined(others)).filled()]

    return _joined(cross_predict(sentences, learn_sentences, folds))


def cross_tag(text: _core.Conllu, taggers: Iterable[ColumnTagger], folds: int = FOLDS) -> _core.Conllu:
    """A text with tags as taggers like these find them that were learned from its other folds.

    With 0 folds, and where one of its columns is empty in the whole text, tags are those of the tagger itself.
    """
    for tagger in taggers:
        is_known = all(any(text.columns.column(COLUMNS.index(column))) for column in tagger.conllu_columns_)
        text = cross_fill(text, _learning_of(tagger), folds) if folds and is_known else fill_tags(text, [tagger])
    return text


def with_cross_tags(text: _core.Conllu, taggers: Iterable[ColumnTagger], folds: int = FOLDS) -> _core.Conllu:
    """A treebank as it is, and once more with tags of `cross_tag`; with 0 folds only with those of the taggers.

    Right tags teach what depends on what, found ones how far tags can be trusted. Parsers that learn from both are
    better on new text than those that learn from either.
    """
    crossed = cross_tag(text, taggers, folds)
    return _joined([*_sentences(text.filled()), crossed.filled()]) if folds else crossed


def read_tagged(treebank: Source, taggers: Iterable[ColumnTagger], folds: int = FOLDS) -> Treebank:
    """A file in CoNLL-U, or sentences of words that have heads and relations, with tags of `with_cross_tags`."""
    taggers = [*taggers]
    if not taggers:
        return read_treebank(treebank)
    text = read_trees(treebank)
    with naming(display_name(treebank)) if is_path(treebank) else nullcontext():
        return Treebank.of_conllu(with_cross_tags(text, taggers, folds))


def _learning_of(tagger: ColumnTagger) -> Callable[[_core.Conllu], Fill]:
    def learn(text: _core.Conllu) -> Fill:
        another = tagger.relearned(text)
        return lambda other: fill_tags(other, [another])

    return learn


def split_conllu(text: _core.Conllu, share: float) -> tuple[_core.Conllu, _core.Conllu]:
    """The sentences of a text but for the last share of them, and these."""
    sentences = [*_sentences(text.filled())]
    at = begin_of_last(len(sentences), share)
    return _joined(sentences[:at]), _joined(sentences[at:])


def _sentences(text: bytes) -> Iterator[bytes]:
    """The lines of each sentence and of its comments, and an empty one."""
    for is_blank, lines in groupby(text.split(b"\n"), lambda line: not line.strip(b" \t\r")):
        if not is_blank:
            yield b"\n".join([*lines, b"", b""])


def _joined(sentences: Iterable[bytes]) -> _core.Conllu:
    return _core.Conllu.parse(b"".join(sentences))
