"""Formats that hold one output and know only the classes -1 and 1."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gristmill.errors import FormatError
from gristmill.formats.annotated import Body
from gristmill.kernels import PolynomialKernel
from gristmill.machine import Machine
from gristmill.schemes import Scheme


def plus_minus_machine(
    kernel: PolynomialKernel,
    body: Body,
    thresholds: NDArray[np.float64],
    provenance: dict[str, Any],
    **more: Any,
) -> Machine:
    """A binary machine with classes -1 and 1 from what was read; the threshold is subtracted."""
    if len(thresholds) != 1:
        raise FormatError(f"expected one threshold, got {len(thresholds)}")
    more |= {"first_id": body.first_id, "provenance": provenance}
    return Machine(kernel, body.support, body.coef, -thresholds, [-1, 1], Scheme.BINARY, **more)


def column_of(machine: Machine, program: str) -> NDArray[np.float64]:
    """The coefficients of the only output; ValueError if the program has no such machine."""
    if machine.n_outputs != 1 or machine.scheme in (Scheme.ONE_VS_ONE, Scheme.ONE_VS_REST):
        raise ValueError(f"{program} models hold one output; this machine is {machine.scheme} with {machine.n_outputs}")
    if machine.classes is not None and machine.classes.tolist() != [-1, 1]:
        raise ValueError(f"{program} knows the classes -1 and 1 only, this machine has {machine.classes.tolist()}")
    coef = machine.coef if isinstance(machine.coef, np.ndarray) else machine.coef.toarray()
    return np.asarray(coef, dtype=np.float64).ravel()
