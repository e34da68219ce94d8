"""What is said about forgetting: how much, how well the rest is solved, and digests of what was and what is now."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from gristmill.data.examples import Examples, arrays_of
from gristmill.data.forest import Forest
from gristmill.data.rows import Rows
from gristmill.display.bars import aligned
from gristmill.display.words import counted


@dataclass(frozen=True)
class Receipt:
    """The receipt of `forget`.

    Parameters
    ----------
    forgotten, remaining : int
        Examples.
    support_forgotten : int
        How many of the forgotten ones supported the machine; of the others nothing was in it.
    solver : str
    steps : int
        Of the solver, from the solution before.
    tol, violation : float
        The largest violation of the optimality conditions on the remaining examples, as the solver measures it, and
        what was allowed.
    gap : float
        The objective on the remaining examples is proven to be at most so much above its minimum, relative to itself.
    recomputed : tuple of str
        What depends on all examples, and was found anew.
    data_before, data_after, machine_before, machine_after : str
        SHA-256 of the examples with their labels and weights, and of the machine.
    seconds : float
    """

    forgotten: int
    remaining: int
    support_forgotten: int
    solver: str
    steps: int
    tol: float
    violation: float
    gap: float
    recomputed: tuple[str, ...]
    data_before: str
    data_after: str
    machine_before: str
    machine_after: str
    seconds: float

    def as_dict(self) -> dict[str, Any]:
        """As plain data for JSON."""
        return asdict(self) | {"recomputed": list(self.recomputed)}

    def to_json(self) -> str:
        return json.dumps(self.as_dict(), allow_nan=False)

    def lines(self) -> list[tuple[str, str]]:
        """A name and a value a line."""
        support = f", {self.support_forgotten:,} of them in the machine"
        return [
            ("forgotten", counted(self.forgotten, "example") + support),
            ("remaining", counted(self.remaining, "example")),
            ("solved by", f"{self.solver}, {counted(self.steps, 'step')}"),
            ("violation", f"{self.violation:.3g} (tol {self.tol:g})"),
            ("gap", f"{self.gap:.3g} of the objective at most"),
            ("found anew", ", ".join(self.recomputed) or "nothing: no setting depends on all examples"),
            ("data", f"{self.data_before} -> {self.data_after}"),
            ("machine", f"{self.machine_before} -> {self.machine_after}"),
        ]

    def __str__(self) -> str:
        return "\n".join(aligned(self.lines(), right=()))

    def _repr_html_(self) -> str:
        from gristmill.display.page import notebook
        from gristmill.display.tables import facts

        return notebook(facts("Forgotten", self.lines()))


def data_digest(data: Any, more: Mapping[str, Any]) -> str:
    """SHA-256 of examples, with labels, weights and what else belongs to them; '' of objects that are not data."""
    digest = hashlib.sha256()
    for name, array in (*_arrays(data), *((name, np.asarray(array)) for name, array in more.items())):
        if array.dtype == object:
            array = array.astype(str)
        whole = np.ascontiguousarray(array)
        digest.update(f"\0{name}\0{whole.dtype.str}\0{whole.shape}\0".encode())
        digest.update(whole.tobytes())
    return digest.hexdigest()


def _arrays(data: Any) -> Iterable[tuple[str, Any]]:
    if isinstance(data, Rows | Forest | Examples):
        return arrays_of(data).items()
    if sp.issparse(data):
        return [("offsets", data.indptr), ("ids", data.indices), ("values", data.data)]
    if isinstance(data, np.ndarray):
        return [("table", data)]
    return [("items", np.array([str(item) for item in data]))]
