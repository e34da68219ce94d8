"""Machines on trees and on examples of several fields."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gristmill.base.lazy import late
from gristmill.data.examples import Examples, aligned
from gristmill.data.forest import Forest
from gristmill.data.rows import Rows, as_rows
from gristmill.display.words import counted
from gristmill.kernels import Kernel, as_kernel
from gristmill.machines.machine import Machine

if TYPE_CHECKING:
    from gristmill.base.files import PathLike
    from gristmill.base.progress import Progress
    from gristmill.data.rows import Binarize
    from gristmill.machines.probability import Probability
    from gristmill.scoring.scorer import Scorer


class StructuredMachine(Machine):
    """A machine whose kernel is not polynomial: `Machine(kernel, forest, ...)` makes one.

    `support` is what the kernel compares: a Forest, or Examples for kernels that name fields.

    Examples
    --------
    >>> import gristmill as gm
    >>> support = gm.Forest.from_strings(["(S (A a) (B b))", "(S (A c))"])
    >>> machine = gm.Machine(gm.SubsetTreeKernel(decay=1.0), support, [1.0, -0.5], 0.25, classes=["no", "yes"])
    >>> machine.compile().predict(["(S (A a) (B c))", "(S (A c))"])
    array(['yes', 'no'], dtype='<U3')
    """

    _PARTS = tuple(name for name in Machine._PARTS if name not in ("feature_names", "first_id"))

    kernel: Kernel  # type: ignore[assignment]
    support: Forest | Examples | Rows  # type: ignore[assignment]

    def __init__(
        self,
        kernel: Kernel | str,
        support: Any,
        coef: Any,
        intercept: ArrayLike,
        classes: Sequence[Any] | NDArray[Any] | None = None,
        scheme: str | None = None,
        *,
        zero_class: int = 0,
        probability: Probability | None = None,
        provenance: Mapping[str, Any] | None = None,
    ) -> None:
        self.kernel = as_kernel(kernel)
        data = self.kernel.examples(support)
        self.support = data.copy() if isinstance(data, Rows) else data[:]
        self._set_outputs(coef, intercept, classes, scheme, zero_class, probability, provenance)
        self.feature_names = None
        self.first_id = None
        self._freeze()

    @property
    def n_features(self) -> int:
        return 0

    @property
    def is_binary_valued(self) -> bool:
        return False

    def examples(self, X: Any, *, binarize: Binarize = False) -> Any:
        """X as the kernel compares it; values of rows are used as given, columns are matched by their names."""
        return aligned(self.kernel.examples(X), self.support)

    def compile(  # type: ignore[override]
        self,
        engine: str = "auto",
        *,
        max_bytes: int | None = None,
        progress: Progress | None = None,
        cache: PathLike | None = None,
    ) -> Scorer:
        """Build a scorer.

        Parameters
        ----------
        engine : {'auto', 'direct', 'forest', 'converted'}
            'direct' is the definition, 'forest' folds the machine onto the different subtrees of its support trees.
            'converted' is for trees that were converted together with the support trees (`ConvertedForest`). 'auto' is
            'forest'. All give the same labels, and the same scores up to rounding.
        max_bytes : int or None
            Memory the scorer may take; 'auto' falls back to 'direct' where 'forest' would take more, a named engine
            that does raises ValueError.
        progress : callable or None
            Called with (done, total) while the trees are folded and taken apart.
        cache : path or None
            A file that keeps the compiled scorer: mapped if it belongs to this machine, else written.
        """
        compile_structured = late("gristmill.scoring.structured_scorer:compile_structured")
        return compile_structured(self, engine, max_bytes, progress, cache)  # type: ignore[no-any-return]

    def _support_arrays(self) -> list[NDArray[Any]]:
        return list(support_arrays(self.support).values())

    def __repr__(self) -> str:
        labels = "" if self.classes is None else f", {counted(self.n_classes, 'class', 'classes')}"
        outputs = counted(self.n_outputs, "output")
        return f"Machine({self.kernel!r}, {counted(self.n_support, self._supporting)}, {outputs}{labels})"

    def _support_facts(self) -> list[tuple[str, Any]]:
        return [(f"{self._supporting}s", self.n_support)]

    @property
    def _supporting(self) -> str:
        return "support tree" if isinstance(self.support, Forest) else "support example"


# --- the support as plain data ----------------------------------------------------------------------------------------

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


def support_arrays(support: Forest | Examples | Rows) -> dict[str, NDArray[Any]]:
    """What the support consists of, as plain arrays by name."""
    if isinstance(support, Forest):
        texts, *rest = support.flat()
        return dict(zip(_FOREST, [np.frombuffer(texts, dtype=np.uint8).copy(), *rest], strict=True))
    if isinstance(support, Rows):
        return {"offsets": support.offsets, "ids": support.ids, "values": support.values}
    return {
        f"{number}/{key}": array
        for number, field in enumerate(support.fields.values())
        for key, array in support_arrays(field).items()
    }


def support_layout(support: Forest | Examples | Rows) -> dict[str, Any]:
    """What the arrays mean, as something JSON can hold."""
    if isinstance(support, Forest):
        return {"kind": "forest"}
    if isinstance(support, Rows):
        names = None if support.feature_names is None else list(support.feature_names)
        return {"kind": "rows", "n_features": support.n_features, "feature_names": names}
    return {"kind": "examples", "fields": [[name, support_layout(field)] for name, field in support.fields.items()]}


def support_from(layout: Any, arrays: Mapping[str, NDArray[Any]]) -> Forest | Examples | Rows:
    """The support of these arrays; ValueError where they do not fit."""
    if layout["kind"] == "examples":
        fields = {}
        for number, (name, inner) in enumerate(layout["fields"]):
            prefix = f"{number}/"
            own = {key.removeprefix(prefix): array for key, array in arrays.items() if key.startswith(prefix)}
            fields[name] = support_from(inner, own)
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
    raise ValueError(f"support of an unknown kind {layout['kind']!r}")
