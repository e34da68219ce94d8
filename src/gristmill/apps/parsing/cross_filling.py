"""Columns of a treebank as a model finds them that was learned from its other sentences, for parsers to learn from."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import nullcontext
from itertools import groupby

from gristmill import _core
from gristmill.apps.cross_prediction import FOLDS, cross_predict
from gristmill.apps.parsing.tree import COLUMNS
from gristmill.apps.parsing.treebank import (
    Source,
    Treebank,
    fill_tags,
    is_path,
    read_treebank,
    read_trees,
    tags_of_conllu,
)
from gristmill.apps.tagging.tagger import Tagger
from gristmill.base.errors import naming
from gristmill.base.files import display_name

Fill = Callable[[_core.Conllu], _core.Conllu]  # a text with more of its columns filled in


def cross_fill(text: _core.Conllu, learn: Callable[[_core.Conllu], Fill], folds: int = FOLDS) -> _core.Conllu:
    """A text, each fold of which is filled in by what was learned from the other folds; see `cross_predict`.

    Comments and lines that are no words stay; between sentences there is one empty line.
    """

    def learn_sentences(known: list[bytes]) -> Callable[[list[bytes]], list[bytes]]:
        fill = learn(_joined(known))
        return lambda others: [fill(_joined(others)).filled()]

    return _joined(cross_predict([*_sentences(text.filled())], learn_sentences, folds))


def cross_tag(text: _core.Conllu, taggers: Iterable[Tagger], folds: int = FOLDS) -> _core.Conllu:
    """A text with tags as taggers like these find them that were learned from its other folds.

    With 0 folds, and where a column is empty in the whole text, tags are those of the tagger itself.
    """
    for tagger in taggers:
        column = tagger.conllu_column_
        is_itself = folds == 0 or not any(text.columns.column(COLUMNS.index(column)))
        text = fill_tags(text, [tagger]) if is_itself else cross_fill(text, _learn_like(tagger, column), folds)
    return text


def read_tagged(treebank: Source, taggers: Iterable[Tagger], folds: int = FOLDS) -> Treebank:
    """A file in CoNLL-U, or sentences of words that have heads and relations, with tags of `cross_tag`."""
    taggers = [*taggers]
    if not taggers:
        return read_treebank(treebank)
    text = read_trees(treebank)
    with naming(display_name(treebank)) if is_path(treebank) else nullcontext():
        return Treebank.of_conllu(cross_tag(text, taggers, folds))


def _learn_like(tagger: Tagger, column: str) -> Callable[[_core.Conllu], Fill]:
    def learn(text: _core.Conllu) -> Fill:
        another = Tagger(**tagger.get_params()).fit_columns(tags_of_conllu(text, column), conllu=column)
        return lambda other: fill_tags(other, [another])

    return learn


def _sentences(text: bytes) -> Iterator[bytes]:
    """The lines of each sentence and of its comments, and an empty one."""
    for is_blank, lines in groupby(text.split(b"\n"), lambda line: not line.strip(b" \t\r")):
        if not is_blank:
            yield b"\n".join([*lines, b"", b""])


def _joined(sentences: Iterable[bytes]) -> _core.Conllu:
    return _core.Conllu.parse(b"".join(sentences))
