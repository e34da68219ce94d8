"""Examples: several named fields per example; each kernel reads one. Any set of examples as plain arrays."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from gristmill.base.arrays import Indices
from gristmill.data.forest import Forest, undecided
from gristmill.data.rows import Rows, as_rows

Field = Forest | Rows

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


class Examples:
    """Examples with named fields: forests of trees, and vectors.

    A field given as a Forest, or as a list of bracketed strings or nested tuples, holds trees, anything else vectors.
    `len`, `.shape` and slicing work as on an array, so cross-validation and pipelines do; kernels name a field:
    ``k.on("trees")``.

    Examples
    --------
    >>> import gristmill as gm
    >>> trees = gm.Forest.from_strings(["(S a)", "(S b)"])
    >>> X = gm.Examples(trees=trees, vectors=gm.ids([[1, 2], [2, 3]]))
    >>> kernel = gm.SubsetTreeKernel().on("trees") + 0.5 * gm.PolynomialKernel(2).on("vectors")
    >>> kernel(X)
    array([[4.9, 2. ],
           [2. , 4.9]])
    """

    kind: ClassVar[str] = "examples"
    noun: ClassVar[str] = "example"

    def __init__(self, **fields: Any) -> None:
        if not fields:
            raise ValueError("Examples needs at least one field, as in Examples(trees=forest)")
        self._fields: dict[str, Field] = {name: _as_field(value) for name, value in fields.items()}
        sizes = {name: len(value) for name, value in self._fields.items()}
        if len(set(sizes.values())) != 1:
            raise ValueError(f"all fields must have the same number of examples, got {sizes}")

    @property
    def fields(self) -> Mapping[str, Field]:
        return dict(self._fields)

    def __len__(self) -> int:
        return len(next(iter(self._fields.values())))

    @property
    def shape(self) -> tuple[int]:
        return (len(self),)

    @property
    def ndim(self) -> int:
        return 1

    def __getitem__(self, which: Any) -> Any:
        """The field with this name, or the examples with these numbers."""
        if isinstance(which, str):
            if which not in self._fields:
                raise ValueError(f"there is no field {which!r}; the fields are {', '.join(map(repr, self._fields))}")
            return self._fields[which]
        if isinstance(which, tuple) and len(which) == 2 and which[1] is Ellipsis:
            which = which[0]
        numbers = np.atleast_1d(np.arange(len(self))[which if not isinstance(which, list) or which else slice(0, 0)])
        return self.take(numbers)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Examples) and self._fields == other._fields

    __hash__ = None  # type: ignore[assignment]

    def take(self, numbers: Indices) -> Examples:
        """The examples with these numbers, in this order."""
        return Examples(**{name: field.take(numbers) for name, field in self._fields.items()})

    def copy(self) -> Examples:
        """The same examples in arrays of their own."""
        return Examples(**{name: field.copy() for name, field in self._fields.items()})

    def __iter__(self) -> Iterator[Examples]:
        return (self[number : number + 1] for number in range(len(self)))

    def __repr__(self) -> str:
        return f"Examples({len(self)} of {', '.join(f'{name}: {kind}' for name, kind in self._kinds().items())})"

    def _repr_html_(self) -> str:
        from gristmill.display.page import notebook
        from gristmill.display.tables import facts

        return notebook(facts(f"{len(self):,} examples", self._kinds().items()))

    def _kinds(self) -> dict[str, str]:
        return {name: "trees" if isinstance(field, Forest) else "vectors" for name, field in self._fields.items()}


def aligned(data: Any, like: Any) -> Any:
    """Data with columns in the order of those of `like`, wherever both have names; ValueError where names differ.

    Fields of Examples are aligned one by one; trees have no columns.
    """
    if isinstance(data, Rows) and isinstance(like, Rows):
        return data if like.feature_names is None else data.aligned(like.feature_names)
    if isinstance(data, Examples) and isinstance(like, Examples):
        return Examples(**{name: aligned(field, like.fields.get(name)) for name, field in data.fields.items()})
    return data


def _as_field(value: Any) -> Field:
    if isinstance(value, Forest):
        own: Forest = value[:]  # a forest may grow
        return own
    if isinstance(value, Rows):
        return value
    if isinstance(value, list | tuple | np.ndarray) and len(value) and all(map(_is_tree, value)):
        return undecided(value)
    return as_rows(value, binarize=False)


def _is_tree(item: Any) -> bool:
    """A bracketed string, or a nested tuple, whose first item is the label."""
    nested = isinstance(item, list | tuple) and len(item) > 0 and isinstance(item[0], str)
    return isinstance(item, str) or nested or callable(getattr(item, "label", None))


# All have `kind` (the key of engines), `noun` (for messages), `len`, `take(numbers)` and `copy()`.
ExampleSet = Rows | Forest | Examples


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
