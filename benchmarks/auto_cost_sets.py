"""Data sets on which the factors of C="auto" are judged: rows of words and of tables, trees; training parts only."""

from __future__ import annotations

import gzip
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn import datasets

import gristmill as gm
from benchmarks import conll, links
from benchmarks.examples import Example, matrices
from benchmarks.measure import corpora
from gristmill.kernels import Kernel

SEED = 0
DEGREES = {f"degree {degree}": gm.PolynomialKernel(degree) for degree in (1, 2, 3)}
TREES = {"SST": gm.Normalized(gm.SubsetTreeKernel()), "PTK": gm.Normalized(gm.PartialTreeKernel())}
_TARGETS = {"adult": "income", "bank": "y", "german": "Risk"}
_BUNDLED = ("breast_cancer", "digits", "wine", "iris")
_LEAST = 5  # examples of a class in a sample
_FEW = 50  # methods of a clone class, at least


@dataclass(frozen=True)
class DataSet:
    """Examples, their classes, and the kernels that are tried on them."""

    load: Callable[[], tuple[Any, NDArray[Any]]]
    kernels: Mapping[str, Kernel]

    def sample(self, size: int) -> tuple[Any, NDArray[Any]]:
        """A random part, in the given order, with class numbers; classes that are too rare for folds are left out."""
        X, y = self.load()
        chosen = np.sort(np.random.default_rng(SEED).permutation(len(y))[:size])
        _, numbers, counts = np.unique(y[chosen], return_inverse=True, return_counts=True)
        kept = counts[numbers] >= _LEAST
        return X[chosen[kept]], np.unique(numbers[kept], return_inverse=True)[1]


def _binary(name: str) -> DataSet:
    return DataSet(lambda: gm.read_svmlight(corpora() / f"binary/{name}.gz"), DEGREES)


def _table(load: Callable[[], tuple[pd.DataFrame, Any]]) -> DataSet:
    def encoded() -> tuple[Any, NDArray[Any]]:
        frame, target = load()
        return gm.TableEncoder().fit_transform(frame), np.asarray(target)

    return DataSet(encoded, DEGREES)


def _csv(name: str) -> tuple[pd.DataFrame, Any]:
    path = corpora() / f"tables/{name}.csv.gz"
    with gzip.open(path, "rt", encoding="utf-8") as file:
        separator = ";" if ";" in file.readline() else ","
    frame = pd.read_csv(path, sep=separator).drop(columns="Unnamed: 0", errors="ignore")
    return frame.drop(columns=_TARGETS[name]), frame[_TARGETS[name]]


def _bundled(name: str) -> tuple[pd.DataFrame, Any]:
    found = getattr(datasets, f"load_{name}")(as_frame=True)
    return found.data, found.target


def _diabetes() -> tuple[pd.DataFrame, Any]:
    frame, target = _bundled("diabetes")
    return frame, target > target.median()


def _questions() -> tuple[Any, NDArray[Any]]:
    return gm.read_trees(corpora() / "qc/train.tk.gz")


def _of_words(examples: Callable[[], Iterator[Example]]) -> DataSet:
    return DataSet(lambda: matrices(examples(), [])[0], DEGREES)


def _sentiment() -> Iterator[Example]:
    """Words of sentences that are not neutral."""
    with gzip.open(corpora() / "sst/train.txt.gz", "rt", encoding="utf-8") as file:
        for line in file:
            if line[1] != "2":
                yield sorted({word.lower() for word in re.findall(r" ([^ ()]+)\)", line)}), line[1] > "2"


def _clones() -> Iterator[Example]:
    """Parents with a child in the syntax trees of Java methods, of the larger clone classes."""
    with gzip.open(corpora() / "ast/java_methods.trees.gz", "rt", encoding="utf-8") as file:
        methods = [line.rstrip("\n").split("\t") for line in file]
    classes, counts = np.unique([label for label, *_ in methods], return_counts=True)
    large = {str(name) for name in classes[counts >= _FEW]} - {"-"}
    for label, _, tree in methods:
        if label in large:
            yield sorted(_pairs(tree)), label


def _pairs(tree: str) -> set[str]:
    found, above = set(), list[str]()
    for opening, name, closing in re.findall(r"(\()?([^\s()]+)|(\))", tree):
        if closing:
            above.pop()
            continue
        if above:
            found.add(f"{above[-1]} {name}")
        if opening:
            above.append(name)
    return found


SETS: dict[str, DataSet] = {
    **{name: _table(lambda name=name: _csv(name)) for name in _TARGETS},  # type: ignore[misc]
    **{name: _table(lambda name=name: _bundled(name)) for name in _BUNDLED},  # type: ignore[misc]
    "diabetes": _table(_diabetes),
    "a9a": _binary("a9a"),
    "w8a": _binary("w8a"),
    "agaricus": _binary("agaricus.train"),
    "BaseNP": DataSet(lambda: conll.load()[0], DEGREES),
    "links": DataSet(lambda: links.load()[0], DEGREES),
    "sentiment": _of_words(_sentiment),
    "Java clones": _of_words(_clones),
    "questions": DataSet(_questions, TREES),
}
