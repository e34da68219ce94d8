"""What machines keep and solvers learn from: Rows, a Forest or Examples; and these as plain data for files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gristmill.data.examples import Examples
from gristmill.data.forest import Forest
from gristmill.data.rows import Rows, as_rows

# All have `kind` (the key of engines), `noun` (for messages), `len`, `take(numbers)` and `copy()`.
ExampleSet = Rows | Forest | Examples

_FOREST = ("texts", "text_ends", "marks", "node_ends", "nodes", "roots")
_TYPES = {
    "texts": np.uint8,
    "text_ends": np.int64,
    "marks": np.uint32,
    "node_ends": np.int64,
    "nodes": np.uint32,
    "roots": np.uint32,
    "offsets": np.int64,
    "ids": np.int32,
    "values": np.float64,
}


def arrays_of(data: ExampleSet) -> dict[str, NDArray[Any]]:
    """What the examples consist of, as plain arrays by name."""
    if isinstance(data, Forest):
        texts, *rest = data.flat()
        return dict(zip(_FOREST, [np.frombuffer(texts, dtype=np.uint8).copy(), *rest], strict=True))
    if isinstance(data, Rows):
        return {"offsets": data.offsets, "ids": data.ids, "values": data.values}
    return {
        f"{number}/{key}": array
        for number, field in enumerate(data.fields.values())
        for key, array in arrays_of(field).items()
    }


def layout_of(data: ExampleSet) -> dict[str, Any]:
    """What the arrays mean, as something JSON can hold."""
    if isinstance(data, Forest):
        return {"kind": "forest"}
    if isinstance(data, Rows):
        names = None if data.feature_names is None else list(data.feature_names)
        return {"kind": "rows", "n_features": data.n_features, "feature_names": names}
    return {"kind": "examples", "fields": [[name, layout_of(field)] for name, field in data.fields.items()]}


def from_arrays(layout: Any, arrays: Mapping[str, NDArray[Any]]) -> ExampleSet:
    """The examples of these arrays; ValueError where they do not fit."""
    if layout["kind"] == "examples":
        fields = {}
        for number, (name, inner) in enumerate(layout["fields"]):
            prefix = f"{number}/"
            own = {key.removeprefix(prefix): array for key, array in arrays.items() if key.startswith(prefix)}
            fields[name] = from_arrays(inner, own)
        return Examples(**fields)
    for name, array in arrays.items():
        if array.dtype != _TYPES[name] or array.ndim != 1:
            raise ValueError(f"the array {name!r} must be one of {_TYPES[name].__name__}, got {array.dtype}")
    if layout["kind"] == "forest":
        texts, *rest = (arrays[name] for name in _FOREST)
        return Forest.from_flat(texts.tobytes(), *rest)
    if layout["kind"] == "rows":
        names = layout["feature_names"]
        rows = Rows(arrays["offsets"], arrays["ids"], arrays["values"], int(layout["n_features"]))
        checked = as_rows(rows.to_csr(), binarize=False)
        return replace(checked, feature_names=None if names is None else tuple(names))
    raise ValueError(f"examples of an unknown kind {layout['kind']!r}")
