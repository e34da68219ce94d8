"""opal models: polynomial (text), linear (raw doubles), binary and multi-class.

opal answers +1 at a margin of exactly 0, and for several classes the first of the highest. A linear model is a weight
per feature; it becomes one support row per feature, so that every engine applies.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import scipy.sparse as sp

from gristmill.base.arrays import Floats
from gristmill.base.errors import FormatError
from gristmill.base.files import decoded
from gristmill.data.rows import check_width
from gristmill.display.words import listed_labels
from gristmill.kernels import PolynomialKernel
from gristmill.machines.formats.annotated import (
    LINEAR,
    SVMLIGHT_NAMES,
    Header,
    plus_minus_machine,
    read_body,
    read_header,
    single_output_of,
    uses_feature_zero,
    vector_lines,
)
from gristmill.machines.machine import Machine
from gristmill.machines.probability import Sigmoid
from gristmill.machines.schemes import Scheme

NAME = "opal"
TITLE = "opal model"
KERNELS = (PolynomialKernel,)

_LABELS = b"# labels:"
_LINE = 1 << 16  # bytes within which the labels stand


def sniff(data: bytes) -> bool:
    """Text starts with the name; a linear model with its class labels, or with the weight 0.0 of feature 0."""
    count, mark, _ = data[:_LINE].split(b"\n", 1)[0].partition(_LABELS)
    weights = data.startswith(bytes(8)) and len(data) % 8 == 0 and data.count(0) < len(data)
    return data.startswith(b"opal") or bool(mark and count.strip().isdigit()) or weights


def read(data: bytes) -> Machine:
    """The machine in an opal model file."""
    if data.startswith(b"opal"):
        return _read_polynomial(data)
    return _read_linear(data) if data.startswith(bytes(8)) else _read_linear_classes(data)


# --- polynomial -------------------------------------------------------------------------------------------------------


def _read_polynomial(data: bytes) -> Machine:
    header = read_header(data)
    kernel, thresholds, labels = header.polynomial(SVMLIGHT_NAMES), header.thresholds, _labels(header)
    if labels is not None and len(labels) != len(thresholds):
        raise header.entries[-1].error(f"{len(labels)} labels, but {len(thresholds)} thresholds")
    body = read_body(data, header, len(thresholds))
    provenance = {"format": NAME}
    if labels is None:
        return plus_minus_machine(kernel, body, thresholds, provenance, zero_class=1, probability=_sigmoid(header))
    more: dict[str, Any] = {"first_id": body.first_id, "provenance": provenance}
    return Machine(kernel, body.support, body.coef, -thresholds, labels, Scheme.ONE_VS_REST, **more)


def _labels(header: Header) -> list[Any] | None:
    entry = header.find("labels:")
    if entry is None:
        return None
    labels = _words(entry.name.removeprefix("labels:"))
    if len(labels) != entry.whole() or len(labels) < 2:
        raise entry.error(f"expected {entry.value} labels, at least two, got {len(labels)}")
    return _numbered(labels)


def _words(text: str) -> list[str]:
    """opal's labels stand between spaces and tabs; other kinds of space belong to them."""
    return [word for word in re.split("[ \t]+", text) if word]


def _numbered(labels: list[str]) -> list[Any]:
    """Labels that are all whole numbers as such."""
    numbers = [int(label) if re.fullmatch("-?[0-9]+", label) else None for label in labels]
    return numbers if [str(number) for number in numbers] == labels else labels


def _sigmoid(header: Header) -> Sigmoid | None:
    """Only where it was fitted: -1 and 0 are what opal writes otherwise."""
    a, b = (header.find(f"sigmoid -{letter}") for letter in "AB")
    if a is None or b is None or (a.numbers(), b.numbers()) == ([-1.0], [0.0]):
        return None
    return Sigmoid(np.array(a.numbers()[:1]), np.array(b.numbers()[:1]))


# --- linear -----------------------------------------------------------------------------------------------------------


def _read_linear(data: bytes) -> Machine:
    numbers = _doubles(data, 0)
    if len(numbers) < 3:
        raise FormatError("a linear opal model holds at least three doubles")
    a, b = numbers[-2:]
    fitted = (a, b) != (-1.0, 0.0)
    return _linear_machine(
        numbers[:-2, None],
        [-1, 1],
        Scheme.BINARY,
        zero_class=1,
        probability=Sigmoid(numbers[-2:-1], numbers[-1:]) if fitted else None,
    )


def _read_linear_classes(data: bytes) -> Machine:
    line, _, _ = data.partition(b"\n")
    count, _, names = line.partition(_LABELS)
    labels = _words(decoded(names))
    if int(count) != len(labels) or len(labels) < 2:
        raise FormatError(f"expected {int(count)} labels, at least two, got {len(labels)}", line=1, column=1)
    numbers = _doubles(data, len(line) + 1)
    if len(numbers) % len(labels):
        raise FormatError(f"{len(numbers)} weights do not make rows of {len(labels)}; is the file truncated?")
    return _linear_machine(numbers.reshape(-1, len(labels)), _numbered(labels), Scheme.ONE_VS_REST)


def _doubles(data: bytes, offset: int) -> Floats:
    if (len(data) - offset) % 8:
        raise FormatError("a linear opal model holds doubles of 8 bytes; is the file truncated?")
    numbers = np.frombuffer(data, dtype="<f8", offset=offset).astype(np.float64)
    if not np.isfinite(numbers).all():
        raise FormatError("the file holds numbers that are not finite")
    return numbers


def _linear_machine(weights: Floats, classes: list[Any], scheme: Scheme, **more: Any) -> Machine:
    """weights: features x outputs, the feature counted from 0."""
    used = np.flatnonzero((weights != 0).any(axis=1))
    support = sp.csr_matrix((np.ones(len(used)), used, np.arange(len(used) + 1)), shape=(len(used), len(weights)))
    intercept = np.zeros(weights.shape[1])
    more |= {"first_id": 0, "provenance": {"format": NAME}}
    return Machine(LINEAR, support, weights[used], intercept, classes, scheme, **more)


# --- writing ----------------------------------------------------------------------------------------------------------


def write(machine: Machine) -> bytes:
    """The machine as an opal model, linear or polynomial; ValueError if opal has no such machine."""
    if machine.scheme in (Scheme.REGRESSION, Scheme.ONE_CLASS):
        raise ValueError(f"opal has classifiers only; this machine is {machine.scheme}")
    if (machine.intercept != 0).any():
        raise ValueError("an opal model has no intercept; this machine has one")
    if uses_feature_zero(machine):
        raise ValueError("opal takes feature 0 for one it has never seen; this machine has a feature 0")
    coef, labels = _outputs(machine)
    return _linear_bytes(machine, coef, labels) if machine.kernel == LINEAR else _text(machine, coef, labels)


def _outputs(machine: Machine) -> tuple[Floats, str | None]:
    """Coefficients, and the line of labels of a machine with several outputs."""
    if machine.scheme is not Scheme.ONE_VS_REST:
        return single_output_of(machine, "opal")[0][:, None], None
    names = [str(label) for label in np.asarray(machine.classes).tolist()]
    if any(_words(name) != [name] or "\n" in name for name in names):
        raise ValueError(f"opal's labels are words without spaces, this machine has {listed_labels(names)}")
    return machine.dense_coef(), f"{len(names)} {_LABELS.decode()} {' '.join(names)}"


def _slope(machine: Machine) -> tuple[float, float]:
    fitted = machine.probability
    return (float(fitted.a[0]), float(fitted.b[0])) if isinstance(fitted, Sigmoid) else (-1.0, 0.0)


def _linear_bytes(machine: Machine, coef: Floats, labels: str | None) -> bytes:
    """A weight per feature and output, from feature 0 on."""
    check_width(machine.rows, "opal's linear models have a weight for each column")
    weights = np.asarray(machine.rows.to_csr().T @ coef)
    if machine.first_id != 0:
        weights = np.vstack([np.zeros(weights.shape[1]), weights])
    if labels is not None:
        return f"{labels}\n".encode() + weights.astype("<f8").tobytes()
    return np.concatenate([weights[:, 0], _slope(machine)]).astype("<f8").tobytes()


def _text(machine: Machine, coef: Floats, labels: str | None) -> bytes:
    kernel = machine.polynomial
    if kernel != PolynomialKernel(kernel.degree, 1.0, 1.0) or not 1 <= kernel.degree <= 3:
        raise ValueError(f"opal's kernel is (<x, y> + 1)^d with d from 1 to 3; this machine has {kernel}")
    if not machine.is_binary_valued:
        raise ValueError("opal's features are 0 or 1; this machine has other support values")
    if (machine.rows.lengths == 0).any():
        raise ValueError("opal has no examples without features; this machine has a support row without")
    a, b = _slope(machine)
    lines = [
        "opal # written by gristmill",
        *([] if labels is None else [labels]),
        "1 # kernel type",
        f"{kernel.degree} # kernel parameter -d",
        "1 # kernel parameter -s",
        "1 # kernel parameter -r",
        *([f"{a!r} # sigmoid -A", f"{b!r} # sigmoid -B"] if labels is None else []),
        "0 " * coef.shape[1] + "# threshold b",
    ]
    return "".join(f"{line}\n" for line in lines).encode() + vector_lines(coef, machine)
