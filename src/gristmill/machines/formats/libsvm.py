"""LIBSVM model files: C-SVC, nu-SVC, one-class, epsilon-SVR and nu-SVR; kernels linear, polynomial, RBF and sigmoid.

A binary LIBSVM score above 0 means the first of its labels; here it means classes[1], so the two labels change places
and the scores stay. Machines with more classes keep LIBSVM's order of labels, pairs and signs.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from gristmill import _core
from gristmill.base.arrays import Floats, Indices, Int64s
from gristmill.base.errors import FormatError
from gristmill.data.rows import Rows
from gristmill.display.words import listed_labels
from gristmill.kernels import OverlapKernel, PolynomialKernel, RBFKernel, SigmoidKernel
from gristmill.machines.formats.annotated import LINEAR, body_of
from gristmill.machines.machine import Machine
from gristmill.machines.probability import Density, Laplace, Probability, Sigmoid
from gristmill.machines.schemes import Scheme, compact_coef, pairwise_coef

NAME = "libsvm"
TITLE = "LIBSVM model"
KERNELS = (PolynomialKernel, RBFKernel, SigmoidKernel)

_CLASSIFIERS = ("c_svc", "nu_svc")
_REGRESSORS = ("epsilon_svr", "nu_svr")


def sniff(head: bytes) -> bool:
    """The header starts with svm_type."""
    return head.lstrip().startswith(b"svm_type")


# --- reading ----------------------------------------------------------------------------------------------------------


def read(data: bytes) -> Machine:
    """The machine in a LIBSVM model file."""
    model = _core.parse_libsvm_model(data)
    body = body_of(model.support)
    numbers = {name: np.array(vector) for name, vector in model.vectors.items()}
    more = {
        "probability": _probability(model.svm_type, numbers),
        "provenance": {"format": NAME, "svm_type": model.svm_type, "kernel_type": model.kernel_type},
        "first_id": body.first_id,
    }
    return _assemble(model.svm_type, _kernel(model.kernel_type, model.scalars), body.support, body.coef, numbers, more)


def _kernel(kernel_type: str, scalars: dict[str, float]) -> OverlapKernel:
    match kernel_type:
        case "linear":
            return LINEAR
        case "polynomial":
            return PolynomialKernel(int(scalars["degree"]), scalars["gamma"], scalars["coef0"])
        case "rbf":
            return RBFKernel(scalars["gamma"])
        case "sigmoid":
            return SigmoidKernel(scalars["gamma"], scalars["coef0"])
    raise FormatError(f"kernel_type {kernel_type!r}: a machine needs a kernel that says how new rows are compared")


def _assemble(
    svm_type: str,
    kernel: OverlapKernel,
    support: Rows,
    coefs: Floats,
    numbers: dict[str, Floats],
    more: dict[str, Any],
) -> Machine:
    intercept = -numbers["rho"]
    if svm_type in _REGRESSORS:
        return Machine(kernel, support, coefs, intercept, None, Scheme.REGRESSION, **more)
    if svm_type == "one_class":
        return Machine(kernel, support, coefs, intercept, [-1, 1], Scheme.ONE_CLASS, **more)
    labels, sizes = numbers["label"].astype(np.int64), numbers["nr_sv"].astype(np.int64)
    if len(labels) == 2:
        return Machine(kernel, support, coefs, intercept, labels[::-1], Scheme.BINARY, **more)
    return Machine(kernel, support, pairwise_coef(coefs, sizes), intercept, labels, Scheme.ONE_VS_ONE, **more)


def _probability(svm_type: str, numbers: dict[str, Floats]) -> Probability | None:
    if svm_type in _CLASSIFIERS and "probA" in numbers and "probB" in numbers:
        return Sigmoid(numbers["probA"], numbers["probB"])
    if svm_type in _REGRESSORS and "probA" in numbers:
        return Laplace(numbers["probA"])
    if svm_type == "one_class" and "prob_density_marks" in numbers:
        return Density(numbers["prob_density_marks"])
    return None


# --- writing ----------------------------------------------------------------------------------------------------------


def write(machine: Machine) -> bytes:
    """The machine as a LIBSVM model file; ValueError if LIBSVM has no such machine."""
    header, order, coefs = _layout(machine)
    zero_based = machine.first_id == 0
    support = _showing_its_base(machine.rows.take(order), zero_based)
    lines = "".join(f"{key} {_line(value)}".rstrip() + "\n" for key, value in header.items())
    vectors = _core.format_coef_rows(coefs.ravel(), support.offsets, support.ids, support.values, not zero_based)
    return lines.encode() + b"SV\n" + vectors


def _showing_its_base(support: Rows, zero_based: bool) -> Rows:
    """Ids that count from 0 must show an id 0, if need be with value 0, or readers take them to count from 1."""
    if not zero_based or len(support) == 0 or (support.ids == 0).any():
        return support
    values = np.ones(len(support.ids)) if support.is_binary else support.values
    offsets = support.offsets + (np.arange(len(support.offsets)) > 0)
    return replace(support, offsets=offsets, ids=np.insert(support.ids, 0, 0), values=np.insert(values, 0, 0.0))


def _line(value: Any) -> str:
    return value if isinstance(value, str) else " ".join(f"{number:.17g}" for number in np.atleast_1d(value))


def _layout(machine: Machine) -> tuple[dict[str, Any], Indices, Floats]:
    """Header, order of the support rows and their coefficients."""
    if machine.scheme is Scheme.ONE_VS_REST:
        raise ValueError("a LIBSVM model holds pairwise classifiers; it cannot hold a one-vs-rest machine")
    if machine.scheme is Scheme.REGRESSION and machine.n_outputs != 1:
        raise ValueError(f"a LIBSVM model holds one regression output, this machine has {machine.n_outputs}")
    header, tail, rho = _kernel_header(machine), _probability_header(machine), -machine.intercept
    if machine.scheme in (Scheme.REGRESSION, Scheme.ONE_CLASS):
        if machine.classes is not None and machine.classes.tolist() != [-1, 1]:
            raise ValueError(
                f"a one-class LIBSVM model has classes -1 and 1, this machine {listed_labels(machine.classes)}"
            )
        order, column = np.arange(machine.n_support), _column(machine.coef)
        return {**header, "nr_class": 2, "total_sv": len(order), "rho": rho, **tail}, order, column
    labels = _integer_labels(machine)
    if machine.scheme is Scheme.BINARY:
        # LIBSVM answers its second label at exactly 0; it decides on the negated score if ours would answer classes[1]
        sign = 1 if machine.zero_class == 0 else -1
        column = sign * _column(machine.coef)
        # LIBSVM writes the class of positive coefficients first, but asks only for sizes that add up; rows stay in
        # place, because another order of summation could turn a tie
        first = int((column > 0).sum())
        sizes = [first, len(column) - first] if (column[:first] > 0).all() else [len(column), 0]
        header |= {"nr_class": 2, "total_sv": len(column), "rho": sign * rho, "label": labels[::-sign]}
        return {**header, **_probability_header(machine, sign), "nr_sv": sizes}, np.arange(len(column)), column
    if machine.zero_class == 1:
        raise ValueError("LIBSVM counts a pairwise score of exactly 0 for the second class; this machine for the first")
    order, coefs, sizes = compact_coef(sp.csr_matrix(machine.coef), machine.n_classes)
    count = {"nr_class": machine.n_classes, "total_sv": len(order)}
    return {**header, **count, "rho": rho, "label": labels, **tail, "nr_sv": sizes}, order, coefs


def _column(coef: Any) -> Floats:
    return np.asarray(coef if isinstance(coef, np.ndarray) else coef.toarray(), dtype=np.float64).ravel()


def _kernel_header(machine: Machine) -> dict[str, Any]:
    svm_type = machine.provenance.get("svm_type")
    fitting = {Scheme.REGRESSION: _REGRESSORS, Scheme.ONE_CLASS: ("one_class",)}.get(machine.scheme, _CLASSIFIERS)
    return {"svm_type": svm_type if svm_type in fitting else fitting[0], **_kernel_lines(machine.set_kernel)}


def _kernel_lines(kernel: OverlapKernel) -> dict[str, Any]:
    match kernel:
        case PolynomialKernel(degree=degree, gamma=gamma, coef0=coef0):
            if kernel == LINEAR:
                return {"kernel_type": "linear"}
            return {"kernel_type": "polynomial", "degree": degree, "gamma": gamma, "coef0": coef0}
        case RBFKernel(gamma=gamma):
            return {"kernel_type": "rbf", "gamma": gamma}
        case SigmoidKernel(gamma=gamma, coef0=coef0):
            return {"kernel_type": "sigmoid", "gamma": gamma, "coef0": coef0}
    raise ValueError(f"LIBSVM has no kernel like {kernel!r}")


def _probability_header(machine: Machine, sign: int = 1) -> dict[str, Any]:
    match machine.probability:
        case Sigmoid(a=a, b=b):
            return {"probA": a, "probB": sign * b}  # of the other class of the negated score
        case Laplace(scale=scale):
            return {"probA": scale}
        case Density(marks=marks):
            return {"prob_density_marks": marks}
    return {}


def _integer_labels(machine: Machine) -> Int64s:
    classes = np.asarray(machine.classes)
    fits = classes.dtype.kind in "biuf" and bool((np.abs(classes.astype(np.float64)) < 2**31).all())
    if not fits or not np.array_equal(classes, np.floor(classes)):
        raise ValueError(f"a LIBSVM model has whole numbers of 32 bits as class labels, not {listed_labels(classes)}")
    return classes.astype(np.int64)
