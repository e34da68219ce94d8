"""Formats that hold one output and know only the classes -1 and 1."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gristmill.base.errors import FormatError
from gristmill.display.words import listed_labels
from gristmill.kernels import PolynomialKernel
from gristmill.machines.formats.annotated import Body
from gristmill.machines.machine import Machine
from gristmill.machines.schemes import Scheme


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


def single_output_of(machine: Machine, program: str) -> tuple[NDArray[np.float64], float]:
    """Coefficients and intercept of the only output, above 0 for class 1; ValueError where the program has none."""
    if machine.n_outputs != 1 or machine.scheme in (Scheme.ONE_VS_ONE, Scheme.ONE_VS_REST):
        raise ValueError(
            f"{program} models hold one output and no votes; this machine is {machine.scheme} with {machine.n_outputs}"
        )
    classes = [-1, 1] if machine.classes is None else machine.classes.tolist()
    if classes not in ([-1, 1], [1, -1]):
        raise ValueError(f"{program} knows the classes -1 and 1 only, this machine has {listed_labels(classes)}")
    turned = 1.0 if classes == [-1, 1] else -1.0
    return turned * machine.dense_coef().ravel(), float(turned * machine.intercept[0])
