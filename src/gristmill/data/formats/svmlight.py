"""svmlight / libsvm data files: one example a line, `label [qid:n] id:value ... [# comment]`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from numbers import Integral
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gristmill import _core
from gristmill.base.arrays import Floats, Int64s
from gristmill.base.errors import FormatError
from gristmill.base.files import PathLike, decoded, line_blocks, read_bytes, write_bytes
from gristmill.base.progress import Progress
from gristmill.data.formats.kinds import GRAM, LABELS, ROWS
from gristmill.data.formats.reading import reading
from gristmill.data.rows import LARGEST_ID, Rows, as_rows

ZeroBased = bool | Literal["auto"]

NO_FEATURES = f"no example has a feature; expected {ROWS.title}, `label id:value id:value ...`"
_BASES = {
    "auto": _core.IdBase.automatic,
    True: _core.IdBase.zero,
    False: _core.IdBase.one,
    "lenient": _core.IdBase.one_lenient,
}


_WORD = re.compile("[^\0-\x20()|#\ufeff]+")
_FEATURE = re.compile(rb"(?:\d+|qid|sid|cost):")


def read_svmlight(
    path: PathLike,
    *,
    n_features: int | None = None,
    zero_based: ZeroBased = "auto",
    query_id: bool = False,
    words: bool = False,
) -> tuple[Any, ...]:
    """Read a data file.

    Parameters
    ----------
    path : path or '-'
        Compressed files are unpacked; '-' is standard input.
    n_features : int or None
        Number of columns; None takes what the file needs.
    zero_based : bool or 'auto'
        Whether ids count from 0. 'auto': from 0 if an id 0 occurs, else from 1. Say which for a file that is one of
        several and may lack the id by chance.
    query_id : bool
        Also return the query ids.
    words : bool
        Labels may be words, as for `gristmill train`. False: a label that is no number is an error, so that no other
        kind of file is taken for this one.

    Returns
    -------
    X : csr_matrix of float64
    y : float64 array of labels, an array of strings with words=True
    qid : int64 array, with query_id=True

    Examples
    --------
    >>> import gristmill as gm
    >>> X, y = gm.read_svmlight("examples.svm")  # doctest: +SKIP
    """
    try:
        found = read_rows(path, n_features=n_features, zero_based=zero_based, words=words)
    except FormatError as error:
        if error.message.startswith("expected a label"):
            error.message += "; if labels are words, say words=True"
        raise
    X = found.rows.to_csr()
    return (X, found.labels, found.queries) if query_id else (X, found.labels)


class DataFile(NamedTuple):
    """What a data file holds."""

    rows: Rows
    labels: NDArray[Any]  # float64, or strings
    queries: Int64s  # empty without qid:
    zero_based: bool


def read_rows(path: PathLike, **options: Any) -> DataFile:
    """Read a data file; the options are those of `parse_rows`."""
    with reading(path, ROWS, also=[GRAM, LABELS]) as looked:
        return parse_rows(looked.content(read_bytes(path)), **options)


def read_training_rows(path: PathLike, **options: Any) -> DataFile:
    """Read a data file to learn from: some example must have a feature."""
    with reading(path, ROWS, also=[LABELS]) as looked:
        return with_features(parse_rows(looked.content(read_bytes(path)), **options))


def with_features(found: DataFile) -> DataFile:
    """The same; FormatError if there is no example, or none has a feature."""
    _check_counts(len(found.rows), len(found.rows.ids))
    return found


def _check_counts(examples: int, features: int) -> None:
    if not examples:
        raise FormatError("there are no examples in it")
    if not features:
        raise FormatError(NO_FEATURES)


def read_training_blocks(path: PathLike, size: int, **options: Any) -> Iterator[DataFile]:
    """The same for a file of any size, in blocks of about `size` bytes; a lack of features shows at the end."""
    examples = features = 0
    with reading(path, ROWS, also=[LABELS]) as looked:
        for found in parsed_blocks(looked.blocks(line_blocks(path, size)), options):
            examples, features = examples + len(found.rows), features + len(found.rows.ids)
            yield found
        _check_counts(examples, features)


def parsed_blocks(blocks: Iterator[bytes], options: dict[str, Any]) -> Iterator[DataFile]:
    lines = 0
    for block in blocks:
        try:
            yield parse_rows(block, **options)
        except FormatError as error:
            error.line = None if error.line is None else error.line + lines
            raise
        lines += block.count(b"\n")


def parse_rows(
    data: bytes,
    *,
    n_features: int | None = None,
    zero_based: ZeroBased | Literal["lenient"] = "auto",
    words: bool = False,
    progress: Progress | None = None,
) -> DataFile:
    """The examples in the bytes of a data file; labels are numbers unless `words` is true."""
    if zero_based not in _BASES:
        raise ValueError(f"zero_based must be True, False or 'auto', got {zero_based!r}")
    kind = _core.LabelKind.words if words else _core.LabelKind.numbers
    found = _core.parse_svmlight(data, _BASES[zero_based], kind, progress)
    labels, lists = found.labels, found.rows
    needed = int(lists.ids.max()) + 1 if len(lists.ids) else 0
    width = needed if n_features is None else n_features
    if not isinstance(width, Integral) or not needed <= width <= LARGEST_ID + 1:
        raise ValueError(f"n_features must lie between the {needed} of the file and 2^31 - 1, got {n_features}")
    if words:
        _check_labels(found.words, data)
        labels = np.array([decoded(word) for word in found.words], dtype=str)[labels.astype(np.intp)]
    return DataFile(Rows(lists.offsets, lists.ids, lists.values, int(width)), labels, found.queries, lists.zero_based)


def _check_labels(names: Iterable[bytes], data: bytes) -> None:
    """Refuse features where labels should be: any word may be a label, so a file without labels would be read."""
    wrong = next((name for name in names if _FEATURE.match(name)), None)
    if wrong is not None:
        begin = re.search(rb"^\s*" + re.escape(wrong), data, re.MULTILINE)
        line = None if begin is None else data.count(b"\n", 0, begin.end()) + 1
        raise FormatError(f"expected a label, got the feature {decoded(wrong)}", None, line, 1)


def write_svmlight(
    path: PathLike, X: Any, y: ArrayLike, *, zero_based: bool = False, query_id: ArrayLike | None = None
) -> None:
    """Write a data file, whole or not at all; numbers read back to the same doubles.

    Parameters
    ----------
    path : path or '-'
    X : sparse matrix, array, frame or list of id lists
    y : array of numbers or of words, one per row
        Words (strings) are written as they are, for `gristmill train` and ``read_svmlight(path, words=True)``; other
        programs need numbers. They hold no white space, brackets, '#' and '|'.
    zero_based : bool
        Write ids from 0 instead of from 1.
    query_id : array of int or None
    """
    rows = as_rows(X, binarize=False)
    names = _words(y)
    labels = _numbers(y) if names is None else np.zeros(len(names))
    numbers = np.asarray([] if query_id is None else query_id)
    queries = np.ascontiguousarray(numbers, dtype=np.int64)
    if not np.array_equal(numbers, queries):
        raise ValueError("query_id must hold whole numbers")
    if labels.shape != (len(rows),):
        raise ValueError(f"y must hold one label for each of {len(rows)} rows, got shape {labels.shape}")
    if not np.isfinite(labels).all():
        raise ValueError("y must be finite")
    if query_id is not None and queries.shape != labels.shape:
        raise ValueError(f"query_id must hold one number for each of {len(rows)} rows, got shape {queries.shape}")
    text = _core.format_svmlight(labels, queries, rows.offsets, rows.ids, rows.values, one_based=not zero_based)
    write_bytes(path, text if names is None else _with_words(text, names))


def _words(y: ArrayLike) -> list[str] | None:
    """Labels that are words, checked; None where they are not strings."""
    values = np.asarray(y)
    words: list[str] = values.tolist()
    if values.ndim != 1 or not words or not all(isinstance(label, str) for label in words):
        return None
    if isinstance(y, list | tuple) and all(isinstance(label, str) for label in y):
        words = [str(label) for label in y]  # arrays of strings end them before zeros
    for label in words:
        if _FEATURE.match(label.encode()):
            raise ValueError(f"a label must not look like a feature, got {label!r}")
        if _WORD.fullmatch(label) is None:
            raise ValueError(f"a label must be a word without white space, brackets, '#' and '|', got {label!r}")
    return words


def _numbers(y: ArrayLike) -> Floats:
    try:
        return np.ascontiguousarray(y, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"y must hold numbers, or words alone: {error}") from error


def _with_words(text: bytes, names: list[str]) -> bytes:
    """Lines that begin with 0, with a word in its place."""
    lines = text.split(b"\n")
    return b"".join(name.encode() + line[1:] + b"\n" for name, line in zip(names, lines[:-1], strict=True))
