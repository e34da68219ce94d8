"""A tagger of another kind beside ours, where it is installed: python-crfsuite, conditional random fields."""

from __future__ import annotations

import importlib
import importlib.util
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, pairwise
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.corpus import Token
from benchmarks.measure import Missing, cpu_seconds_of
from gristmill import _core
from gristmill.apps.columns import columns_of
from gristmill.apps.templates import parse_templates

Features = Sequence[Sequence[list[str]]]  # of each token of each sentence

EXAMPLE = {"max_iterations": 50, "c1": 1.0, "c2": 1e-3}  # of python-crfsuite's own example


def program() -> Any:
    """The module; Missing where it is not installed."""
    if importlib.util.find_spec("pycrfsuite") is None:
        raise Missing("no python-crfsuite, which PyPI has")
    return importlib.import_module("pycrfsuite")


class CrfTags:
    """Tags of a test part, and the CPU seconds of learning and of tagging; features are made before."""

    def __init__(
        self, train: Features, tags: Sequence[Sequence[str]], test: Features, settings: Mapping[str, float]
    ) -> None:
        trainer, tagger = program().Trainer(verbose=False), program().Tagger()
        trainer.set_params(settings)
        with tempfile.TemporaryDirectory() as folder:
            model = str(Path(folder) / "model")
            self.learning = cpu_seconds_of(lambda: _learn(trainer, train, tags, model))
            tagger.open(model)
            self.tags: list[list[str]] = []
            self.tagging = cpu_seconds_of(lambda: self.tags.extend(map(tagger.tag, test)))
            tagger.close()


def _learn(trainer: Any, train: Features, tags: Sequence[Sequence[str]], model: str) -> None:
    for features, own in zip(train, tags, strict=True):
        trainer.append(features, own)
    trainer.train(model)


# --- features ---------------------------------------------------------------------------------------------------------


def window_features(sentences: Sequence[Sequence[Token]], templates: str) -> Features:
    """Those that our templates make of tokens without their tag, by their names; none of tags given before."""
    columns = columns_of([[token[:-1] for token in sentence] for sentence in sentences])
    names, no_tags = _core.Strings([]), np.full(columns.tokens, -1, dtype=np.int32)
    window = parse_templates(templates, columns.columns).compile(["O"])
    offsets, ids = _core.extract_rows(window, columns, no_tags, names, True, False)
    spelled, rows = names.words(), pairwise(offsets.tolist())
    tokens = [[spelled[number] for number in ids[begin:end]] for begin, end in rows]
    return [tokens[begin:end] for begin, end in pairwise(columns.starts().tolist())]


def with_pairs(features: Features, sentences: Sequence[Sequence[Token]]) -> Features:
    """With neighbouring cells of each column together, as the example has them, who knows no other conjunctions."""
    return [
        [[*own, *pairs] for own, pairs in zip(known, _pairs(sentence), strict=True)]
        for known, sentence in zip(features, sentences, strict=True)
    ]


def _pairs(sentence: Sequence[Token]) -> Iterator[list[str]]:
    cells = list(zip(*(token[:-1] for token in sentence), strict=True))
    for at in range(len(sentence)):
        near = range(max(at - 2, 0), min(at + 3, len(sentence)))
        yield [
            f"{column}:{one - at}:{own[one]}|{own[other]}"
            for column, own in enumerate(cells)
            for one, other in pairwise(near)
        ]


def tags_of(sentences: Sequence[Sequence[Token]]) -> list[list[str]]:
    return [[token[-1] for token in sentence] for sentence in sentences]


def token_count(sentences: Sequence[Sequence[Token]]) -> int:
    return sum(1 for _ in chain.from_iterable(sentences))
