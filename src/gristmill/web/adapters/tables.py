"""Machines that read tables: rows are objects, with a value for each column."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import chain
from typing import Any

import numpy as np

from gristmill.data.tables.coders import Coder, DateCoder, NumberCoder, WordCoder
from gristmill.data.tables.columns import column_of_cells
from gristmill.data.tables.encoding import Encoding
from gristmill.data.tables.words import in_order
from gristmill.explanations import Explainer, RowExplanation, Shape, shapes_of
from gristmill.explanations.shape_pictures import drawing
from gristmill.machines.table_files import TableSource
from gristmill.scoring.scorer import Scorer
from gristmill.web import openapi
from gristmill.web.adapters.base import Answer, Schema
from gristmill.web.adapters.rows import Row, RowsAdapter
from gristmill.web.limits import Limits, RefusedError, Watch, bad_input

_TYPES: dict[str, tuple[tuple[type, ...], str]] = {  # of values in JSON
    "number": ((int, float), "a number"),
    "date": ((str,), "a date, as 2024-05-31"),
    "boolean": ((bool,), "true or false"),
}
_ANY = (str, int, float, bool), "a text, a number or a boolean"
_MOST_OPTIONS = 300  # of a choice; more are typed
_CURVES, _MAPS = 12, 4  # of fields and of pairs, that are drawn


class TableAdapter(RowsAdapter):
    """Scores and explains rows of a table; says which columns there are."""

    kind = "table"
    option_names = ("output", "interactions", "changes")

    def __init__(self, scorer: Scorer, limits: Limits) -> None:
        super().__init__(scorer, limits)
        encoding = self.machine.encoding
        assert encoding is not None
        self._explainer = Explainer(self.machine, binarize=False)  # of columns, not of bins
        self._columns = _Columns(encoding)
        self._source = TableSource.of(self.machine)
        self._form = [column_facts(*column, self._source.typical) for column in self._columns.named()]

    def facts(self) -> Answer:
        return {**super().facts(), "values": False, "target": self._source.target, "form": self._form}

    def read(self, given: Any, where: str) -> Row:
        return self._columns.read(given, where)

    def _names(self, explanation: RowExplanation, row: Row) -> Sequence[str]:
        return explanation.names

    def examples(self) -> list[Any]:
        """A typical row."""
        return [{column["name"]: column["default"] for column in self._form}]

    def features(self, prefix: str, limit: int) -> list[Answer]:
        """None: columns are known."""
        return []

    def shapes(self, watch: Watch) -> list[Answer]:
        """None where the machine is no sum of tables of up to three fields."""
        try:
            found = shapes_of(self.machine)
        except ValueError:
            return []
        return [_drawn(one, watch) for one in chain(found.of(1)[:_CURVES], found.of(2)[:_MAPS])]

    @property
    def input_schema(self) -> Schema:
        return openapi.table_row(self._form)


class _Columns:
    """Reads objects as rows of one-hot columns."""

    def __init__(self, encoding: Encoding) -> None:
        self._encoding = encoding
        self._known = frozenset(encoding.names)

    def named(self) -> Iterator[tuple[str, Coder]]:
        """Those that are used."""
        pairs = zip(self._encoding.names, self._encoding.coders, strict=True)
        return ((name, coder) for name, coder in pairs if coder.fields)

    def read(self, given: Any, where: str) -> Row:
        """A value for each column; none where it is null, or lacks and training had missing values."""
        if not isinstance(given, dict):
            raise bad_input("a row is an object with a value for each column", given, where)
        for name in given:
            if name not in self._known:
                raise RefusedError("bad_input", f"there is no column {name!r:.60}", f"{where}.{name:.60}")
        ids, unknown = list[int](), list[str | int]()
        for name, coder in self.named():
            codes, is_unknown = _codes(name, coder, given, f"{where}.{name:.60}")
            ids += codes
            unknown += [name] * is_unknown
        starts = self._encoding.starts.tolist()
        columns = [start + code for start, code in zip(starts, ids, strict=False)]
        return Row(columns, [1.0] * len(columns), unknown)


def _drawn(shape: Shape, watch: Watch) -> Answer:
    """A picture of the output that it adds most to."""
    watch()
    drawn = drawing(shape, shape.heaviest_output)
    output = shape.output_names[shape.heaviest_output]
    return {"columns": list(shape.names), "output": output, "caption": drawn.caption, "svg": str(drawn.svg)}


def _codes(name: str, coder: Coder, given: dict[str, Any], where: str) -> tuple[list[int], bool]:
    """The bins of the fields of a column, and whether training had no such value."""
    if name not in given and coder.fields[0].missing is None:
        raise RefusedError("bad_input", f"the column {name!r:.60} is not there; give null if it is not known", where)
    value = given.get(name)
    types, expected = _TYPES.get(coder.fields[0].kind, _ANY)
    refusal = bad_input(f"{name!r:.60} is {expected} or null", value, where)
    if value is not None and (type(value) not in types or (types == (str,) and not value.strip())):
        raise refusal
    if isinstance(value, int | float) and abs(value) > openapi.LARGEST_CELL:
        raise refusal
    try:
        column = column_of_cells(name, [value])
        codes = np.empty((1, len(coder.fields)), dtype=np.uint16)
        coder.fill(column, codes)
        return codes[0].tolist(), bool(coder.unseen(column)[0])
    except ValueError:
        raise refusal from None


# --- facts of columns -------------------------------------------------------------------------------------------------


def column_facts(name: str, coder: Coder, typical: Mapping[str, Any]) -> Answer:
    """What a form needs to know of a column."""
    field = coder.fields[0]
    facts: Answer = {"name": name, "kind": field.kind, "missing": field.missing is not None, "options": None}
    facts["default"] = typical[name] if name in typical else default_of(coder)
    if field.kind == "boolean":
        facts["default"] = None if facts["default"] is None else str(facts["default"]) in ("True", "1")
    elif isinstance(coder, WordCoder):
        facts["options"] = _options(coder)
    facts["times"] = isinstance(coder, DateCoder) and "hour" in coder.parts
    return facts | {"fields": [{"name": one.name, "bins": list(one.bins)} for one in coder.fields]}


def _options(coder: WordCoder) -> list[str] | None:
    """The categories, of ordered ones those of lower bins first; None where they are too many to choose from."""
    texts = sorted(in_order(list(coder.bin_of)), key=coder.bin_of.__getitem__)
    return texts if len(texts) <= _MOST_OPTIONS else None


def default_of(coder: Coder) -> Any:
    """A value in the middle, or one that most rows had, as far as the bins show."""
    if isinstance(coder, NumberCoder):
        return _middle(coder)
    if isinstance(coder, DateCoder):
        year, month = (_middle(coder.parts[part]) if part in coder.parts else None for part in ("year", "month"))
        return f"{int(year or 2000):04d}-{int(month or 1):02d}-01"
    if isinstance(coder, WordCoder) and coder.field.kind == "boolean":
        return "True" if coder.default == 1 else "False"
    return next(iter(coder.bin_of), None) if isinstance(coder, WordCoder) else None


def _middle(coder: NumberCoder) -> float | None:
    """The value of a bin that is a spike, if most rows are there; else the upper end of the bin in the middle."""
    most = coder.default
    with suppress(ValueError):  # a range, or missing values
        value = math.nan if most is None else float(coder.field.bins[most])
        if math.isfinite(value) and coder.bins_of(np.array([value]))[0] == most:
            return value
    finite: Sequence[float] = coder.edges[np.isfinite(coder.edges)].tolist()
    return finite[(len(finite) - 1) // 2] if finite else None
