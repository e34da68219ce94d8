"""Labelled examples for a learner: a data file in memory, or read again and again in constant memory."""

from __future__ import annotations

import functools
import hashlib
import warnings
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gristmill.base.arrays import Floats, Int32s, Int64s
from gristmill.base.errors import FormatError, naming, refusing
from gristmill.base.files import PathLike, display_name
from gristmill.base.progress import Progress
from gristmill.base.warnings import DataConversionWarning
from gristmill.data.formats.svmlight import read_training_blocks, read_training_rows
from gristmill.data.rows import Binarize, Rows, as_rows, check_features
from gristmill.display.words import listed_labels

BLOCK = 1 << 22  # bytes of text
_HEAD = 1000  # examples that identify a stream


class Block(NamedTuple):
    """Examples, their labels as class numbers."""

    rows: Rows
    labels: Int32s

    @property
    def checksum(self) -> str:
        """Of all examples."""
        return _digest(self.rows.offsets, self.rows.ids, self.labels)


def _digest(*arrays: NDArray[Any]) -> str:
    digest = hashlib.sha256()
    for array in arrays:
        digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()


def example_weights(weights: Sequence[float], labels: Int32s) -> Floats:
    """Factors of C by example, from those by class; empty where all are 1."""
    return np.empty(0) if all(weight == 1 for weight in weights) else np.array(weights)[labels]


class Labels:
    """Class labels as files spell them: numbers where all of them are."""

    def __init__(self, names: Iterable[str]) -> None:
        values = [_value(name) for name in names]
        self._read = str if any(isinstance(value, str) for value in values) else _value
        self.classes: NDArray[Any] = np.unique(np.array([self._read(name) for name in names]))
        self._places = {label: number for number, label in enumerate(self.classes.tolist())}

    def numbers(self, names: NDArray[Any]) -> Int32s:
        """Class numbers."""
        known, which = np.unique(names, return_inverse=True)
        return np.array([self.number(str(name)) for name in known], dtype=np.int32)[which]

    def number(self, name: str) -> int:
        """The class of this name."""
        number = self._places.get(self._read(name))
        if number is None:
            raise ValueError(f"{name!r} is not one of the classes {listed_labels(self.classes)}; name all of them")
        return number


def _value(name: str) -> int | float | str:
    for kind in (int, float):
        try:
            return kind(name)
        except ValueError:
            continue
    return name


class FileInMemory:
    """A data file, read once."""

    def __init__(
        self, path: PathLike, classes: Collection[str], zero_based: bool | None, binarize: Binarize, progress: Any
    ) -> None:
        base: Any = "auto" if zero_based is None else zero_based
        found = read_training_rows(path, zero_based=base, words=True, progress=progress)
        self.first_id = 0 if found.zero_based else 1
        self.labels = Labels(classes or set(found.labels.tolist()))
        with naming(display_name(path)), refusing():
            rows = check_features(as_rows(found.rows, binarize=binarize, training=True))
        self.all = Block(rows, self.labels.numbers(found.labels))

    @property
    def lengths(self) -> Int64s:
        """How many rows there are of each length."""
        return np.bincount(self.all.rows.lengths)

    @functools.cached_property
    def checksum(self) -> str:
        """Of all examples."""
        return self.all.checksum


class FileStream:
    """A data file that is never held in memory. One that can be read again is scanned first."""

    def __init__(
        self,
        path: PathLike,
        classes: Collection[str],
        zero_based: bool | None,
        binarize: Binarize,
        progress: Progress | None,
    ) -> None:
        self.path = path
        self.binarize = binarize
        self.lengths: Int64s | None = None
        self.features: Int32s | None = None  # by frequency
        self.size = 0  # examples
        self._head = _Head()
        self._warned = False
        names, lowest = set(classes), 1
        if path != "-":
            names, lowest = self._scan(names, progress)
        elif not names:
            raise ValueError("standard input is read once, so all classes must be named before")
        self.first_id = lowest if zero_based is None else int(not zero_based)
        if self.features is not None:
            self.features = self.features - np.int32(self.first_id)
        self.labels = Labels(names)

    def blocks(self) -> Iterator[Block]:
        """All examples, in order."""
        for found in read_training_blocks(self.path, BLOCK, zero_based=self.first_id == 0, words=True):
            block = Block(self._rows(found.rows), self.labels.numbers(found.labels))
            self._head.add(block)
            yield block
        self._head.is_whole = True

    def head(self, visited: int) -> str | None:
        """A checksum of the first examples, of so many at most; None before they are read."""
        return self._head.checksum(min(visited, _HEAD))

    def _rows(self, rows: Rows) -> Rows:
        with warnings.catch_warnings():
            if self._warned:  # once is enough
                warnings.simplefilter("ignore", DataConversionWarning)
            self._warned |= bool(((rows.values != 0) & (rows.values != 1)).any())
            return as_rows(rows, binarize=self.binarize)

    def _scan(self, names: set[str], progress: Progress | None) -> tuple[set[str], int]:
        """Labels, whether ids count from 0, lengths of rows, and features by frequency."""
        given, counts = bool(names), _Counts()
        lengths = np.zeros(1, dtype=np.int64)
        for found in read_training_blocks(self.path, BLOCK, zero_based=True, words=True):
            rows = self._rows(found.rows)
            names |= set() if given else set(found.labels.tolist())
            counts.add(rows.ids)
            here = np.bincount(rows.lengths, minlength=len(lengths))
            here[: len(lengths)] += lengths
            lengths, self.size = here, self.size + len(rows)
            if progress is not None:
                progress(self.size, 0)
        self.lengths, self.features = lengths, counts.by_frequency()
        if self.size and not len(self.features):
            raise FormatError("no example has a feature above the threshold of binarize", display_name(self.path))
        lowest = 0 if len(self.features) and self.features.min() == 0 else 1
        return names, lowest

    def __str__(self) -> str:
        return display_name(self.path)


class _Head:
    """The first examples of a stream, which identify it, whatever the blocks."""

    def __init__(self) -> None:
        self.is_whole = False
        self._lengths, self._labels, self._ids = (np.empty(0, dtype=kind) for kind in (np.int64, np.int32, np.int32))

    def add(self, block: Block) -> None:
        if not self.is_whole:
            self._lengths = np.concatenate([self._lengths, block.rows.lengths])
            self._labels = np.concatenate([self._labels, block.labels])
            self._ids = np.concatenate([self._ids, block.rows.ids])
            self.is_whole = len(self._labels) >= _HEAD

    def checksum(self, count: int) -> str | None:
        if len(self._labels) < count:
            return None
        lengths = self._lengths[:count]
        return _digest(lengths, self._labels[:count], self._ids[: lengths.sum()])


class _Counts:
    """How often each feature occurs, in memory for the features seen."""

    def __init__(self) -> None:
        self.ids = np.empty(0, dtype=np.int32)
        self.counts = np.empty(0, dtype=np.int64)

    def add(self, ids: Int32s) -> None:
        more, counts = np.unique(ids, return_counts=True)
        both, where = np.unique(np.concatenate([self.ids, more]), return_inverse=True)
        total = np.zeros(len(both), dtype=np.int64)
        np.add.at(total, where, np.concatenate([self.counts, counts]))
        self.ids, self.counts = both, total

    def by_frequency(self) -> Int32s:
        """Ties go to the smaller id."""
        return np.ascontiguousarray(self.ids[np.lexsort((self.ids, -self.counts))])
