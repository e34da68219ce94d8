"""What was learned about a table: a coder for each column. It needs no scikit-learn, and models keep it."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from gristmill.base.arrays import Flags, Int64s
from gristmill.base.warnings import outside
from gristmill.data.rows import Rows, as_rows
from gristmill.data.tables.coders import Coder, Codes, coder_of_state, renamed, state_of
from gristmill.data.tables.columns import Column, WordColumn
from gristmill.data.tables.fields import Field, labels
from gristmill.data.tables.frames import Table, read_table
from gristmill.data.tables.learning import Kind, Settings, check_kind, learn_column


@dataclass(frozen=True, eq=False)
class Encoding:
    """Columns and their coders.

    Parameters
    ----------
    names : tuple of str
        Of the columns.
    is_named : bool
        Whether the table of training had these names; else columns go by their place.
    coders : tuple of Coder
        One for each column.
    counts : tuple of int64 arrays or None
        For each field how many rows of training were in each of its bins, where that is known.
    missing : tuple of str or None
        Texts that are missing values: cells of any table are then read as those of the file of training, where blanks
        around them do not count. None: texts are as they are.
    kinds : tuple of str or None
        What the columns of that file looked like, where that is known: texts of numbers and booleans are then spelled
        as there.
    """

    names: tuple[str, ...]
    is_named: bool
    coders: tuple[Coder, ...]
    counts: tuple[Int64s, ...] | None = None
    missing: tuple[str, ...] | None = None
    kinds: tuple[str, ...] | None = None

    @cached_property
    def fields(self) -> tuple[Field, ...]:
        return tuple(field for coder in self.coders for field in coder.fields)

    @cached_property
    def starts(self) -> Int64s:
        """The first one-hot column of each field, and the number of all."""
        return np.cumsum([0, *(len(field.bins) for field in self.fields)], dtype=np.int64)

    @cached_property
    def feature_names(self) -> list[str]:
        """The names of the one-hot columns; they differ."""
        return labels(self.fields)

    @classmethod
    def learn(cls, X: Any, settings: Settings, kinds: Mapping[str, Kind] | None = None) -> Encoding:
        """Learn from a table; `kinds` overrides what columns are taken for."""
        table, kinds = read_table(X), kinds or {}
        unknown = sorted(set(kinds) - set(table.names), key=str)
        if unknown:
            raise ValueError(f"kinds names columns that X does not have: {unknown}; it has {list(table.names)[:20]}")
        for name, kind in kinds.items():
            check_kind(name, kind)
        coders: list[Coder] = []
        counts: list[Int64s] = []
        for at, name in enumerate(table.names):
            column = table.read(at)
            coders.append(learn_column(column, kinds.get(name), settings))
            counts += _counts(coders[-1], column, table.n_rows)
        return cls(table.names, table.is_named, tuple(coders), tuple(counts))

    def codes(self, X: Any) -> Codes:
        """The bin of each row in each field, in columns that lie one behind the other."""
        table = read_table(X)
        codes = np.empty((table.n_rows, len(self.fields)), dtype=np.uint16, order="F")
        for coder, column, fields in self._matched(table):
            coder.fill(column, codes[:, fields])
        return codes

    def unseen(self, X: Any) -> Flags:
        """Whether a cell holds what training did not: a category, or a missing value."""
        table = read_table(X)
        unseen = np.empty((table.n_rows, len(self.fields)), dtype=np.bool_, order="F")
        for coder, column, fields in self._matched(table):
            unseen[:, fields] = coder.unseen(column)[:, None]
        return unseen

    def renamed(self, names: Sequence[str]) -> Encoding:
        """The same with other names of columns, one for each."""
        coders = (renamed(coder, name) for coder, name in zip(self.coders, names, strict=True))
        return replace(self, names=tuple(names), coders=tuple(coders))

    def coders_with_counts(self) -> Iterator[tuple[Coder, tuple[Int64s, ...] | None]]:
        """The coders, each with the counts of its fields where these are known."""
        begin = 0
        for coder in self.coders:
            end = begin + len(coder.fields)
            yield coder, None if self.counts is None else self.counts[begin:end]
            begin = end

    # --- columns of another table -------------------------------------------------------------------------------------

    def _matched(self, table: Table) -> Iterator[tuple[Coder, Column, slice]]:
        """Coders that have fields, the columns for them and the places of their fields."""
        read, begin = self._reader(table), 0
        for number, coder in enumerate(self.coders):
            end = begin + len(coder.fields)
            if end > begin:
                yield coder, self._as_in_training(read(number), number), slice(begin, end)
            begin = end

    def _reader(self, table: Table) -> Callable[[int], Column]:
        """Columns by the numbers of those of training: by name where both tables have names, else by place."""
        if self.is_named and table.is_named:
            self._check_names(table)
            place = {name: at for at, name in enumerate(table.names)}
            return lambda number: self._read(table, self.names[number], place)
        if len(table.names) != len(self.names):
            raise ValueError(
                f"X has {len(table.names)} features, but TableEncoder is expecting {len(self.names)} features as input"
            )
        if self.is_named != table.is_named:
            warnings.warn(_names_differ(table.is_named), UserWarning, stacklevel=outside())
        return table.read

    def _check_names(self, table: Table) -> None:
        if table.names == self.names and not table.lacking:
            return
        unexpected = sorted(set(table.names) - set(self.names))
        missing = sorted(name for name in set(self.names) - set(table.names) if not self._may_lack(table, name))
        lacking = [name for name in table.lacking or {} if name in self.names and not self._may_lack(table, name)]
        if unexpected or missing:
            lines = ["The feature names should match those that were passed during fit."]
            lines += _listed("Feature names unseen at fit time:", unexpected)
            lines += _listed("Feature names seen at fit time, yet now missing:", missing)
            raise ValueError("\n".join(lines))
        if lacking and table.lacking:
            rows = ", ".join(f"{name!r} (row {table.lacking[name]})" for name in lacking)
            raise ValueError(f"rows lack keys that all rows of training had: {rows}; give None for what is not known")

    def _may_lack(self, table: Table, name: str) -> bool:
        """Whether a table may do without: a column that is not used; of dicts, one that had missing values."""
        fields = self.coders[self.names.index(name)].fields
        return not fields or (table.lacking is not None and fields[0].missing is not None)

    def _as_in_training(self, column: Column, number: int) -> Column:
        """Texts of tables that are no files; a file has read its own."""
        if self.missing is None or not isinstance(column, WordColumn):
            return column
        return column.as_in_files(self.missing, "category" if self.kinds is None else self.kinds[number])

    def _read(self, table: Table, name: str, place: Mapping[str, int]) -> Column:
        if name in place:
            return table.read(place[name])
        return WordColumn(name, np.full(table.n_rows, -1, dtype=np.int32), [])

    # --- one-hot columns ----------------------------------------------------------------------------------------------

    def one_hot(self, codes: Codes) -> sp.csr_matrix:
        """A one for each field of each row."""
        n, p = codes.shape
        indices = (codes + self.starts[:-1]).astype(np.int32).ravel()
        heads = np.arange(0, n * p + 1, p, dtype=np.int32 if n * p < 2**31 else np.int64)
        return sp.csr_matrix((np.ones(n * p), indices, heads), shape=(n, int(self.starts[-1])))

    def reads(self, X: Any) -> bool:
        """Whether X is a table; Rows, sets of ids, sparse matrices and frames of one-hot columns are not."""
        if isinstance(X, Rows) or sp.issparse(X) or (isinstance(X, Sequence) and any(isinstance(x, Set) for x in X)):
            return False
        return set(getattr(X, "columns", ())) != set(self.feature_names)

    def rows(self, codes: Codes) -> Rows:
        """The bins of each row as features."""
        return as_rows(self.one_hot(codes))

    def codes_of_one_hot(self, X: Any) -> NDArray[np.intp]:
        """The codes that `one_hot` was made from; each field of a row needs a single one."""
        csr = sp.csr_matrix(X)
        csr.eliminate_zeros()
        n, p = csr.shape[0], len(self.fields)
        csr.sort_indices()
        whole = (
            csr.shape[1] == self.starts[-1] and bool((np.diff(csr.indptr) == p).all()) and bool((csr.data == 1).all())
        )
        codes = csr.indices.reshape(n, p) - self.starts[:-1] if whole else np.full((n, p), -1)
        if ((codes < 0) | (codes >= np.diff(self.starts))).any():
            raise ValueError(
                f"expected {self.starts[-1]} one-hot columns with a single 1 for each of {p} fields, got a matrix of "
                f"shape {csr.shape} that has others"
            )
        return np.asarray(codes, dtype=np.intp)

    def words(self, codes: NDArray[Any]) -> NDArray[np.object_]:
        """The words of bins, a column for each field."""
        found = np.empty(codes.shape, dtype=object)
        for number, field in enumerate(self.fields):
            found[:, number] = np.array(field.bins, dtype=object)[codes[:, number]]
        return found

    # --- state --------------------------------------------------------------------------------------------------------

    def __eq__(self, other: object) -> bool:
        """Equal in everything that is saved."""
        return isinstance(other, Encoding) and self.to_spec() == other.to_spec()

    __hash__ = None  # type: ignore[assignment]

    def to_spec(self) -> dict[str, Any]:
        """Plain data for JSON."""
        spec: dict[str, Any] = {
            "names": list(self.names),
            "is_named": self.is_named,
            "coders": [state_of(c) for c in self.coders],
        }
        if self.counts is not None:
            spec["counts"] = [own.tolist() for own in self.counts]
        for name, texts in (("missing", self.missing), ("kinds", self.kinds)):
            if texts is not None:
                spec[name] = list(texts)
        return spec

    @classmethod
    def from_spec(cls, spec: Mapping[str, Any]) -> Encoding:
        """What `to_spec` gave; ValueError for anything else."""
        try:
            coders = tuple(coder_of_state(state) for state in spec["coders"])
            read = (_texts_of_spec(spec, name) for name in ("missing", "kinds"))
            made = cls(tuple(map(str, spec["names"])), bool(spec["is_named"]), coders, _counts_of_spec(spec), *read)
        except (KeyError, TypeError, AttributeError, ArithmeticError, ValueError) as error:
            raise ValueError(f"not the state of a table encoder: {type(error).__name__} {error}") from error
        if not made.fields or len(set(made.names)) != len(coders):
            raise ValueError(f"not the state of a table encoder: {len(coders)} coders for columns {made.names}")
        if made.counts is not None and list(map(len, made.counts)) != [len(field.bins) for field in made.fields]:
            raise ValueError("not the state of a table encoder: counts do not fit the bins")
        if made.kinds is not None and len(made.kinds) != len(made.names):
            raise ValueError(f"not the state of a table encoder: {len(made.kinds)} kinds for columns {made.names}")
        return made


def _counts(coder: Coder, column: Column, n_rows: int) -> list[Int64s]:
    """How many rows of training fall into the bins of each field."""
    codes = np.empty((n_rows, len(coder.fields)), dtype=np.uint16, order="F")
    coder.fill(column, codes)
    return [np.bincount(own, minlength=len(field.bins)) for own, field in zip(codes.T, coder.fields, strict=True)]


def _counts_of_spec(spec: Mapping[str, Any]) -> tuple[Int64s, ...] | None:
    if spec.get("counts") is None:
        return None
    counts = tuple(np.array(own, dtype=np.int64) for own in spec["counts"])
    if any(own.ndim != 1 or (own < 0).any() for own in counts):
        raise ValueError("counts of rows are whole numbers from 0 on")
    return counts


def _texts_of_spec(spec: Mapping[str, Any], name: str) -> tuple[str, ...] | None:
    return None if spec.get(name) is None else tuple(map(str, spec[name]))


def _names_differ(given: bool) -> str:
    if given:
        return "X has feature names, but TableEncoder was fitted without feature names"
    return "X does not have valid feature names, but TableEncoder was fitted with feature names"


def _listed(heading: str, names: list[str], most: int = 20) -> list[str]:
    if not names:
        return []
    more = [f"- ... ({len(names)} in all)"] * (len(names) > most)
    return [heading, *(f"- {name}" for name in names[:most]), *more]
