"""What the text models of SVMlight and its relatives share: header lines `value # name`, then support vectors.

Kernels: 0 linear, 1 polynomial (s <x, y> + r)^d; in SVMlight's files 2 RBF exp(-g |x - y|^2), 3 tanh(s <x, y> + r).
The threshold is subtracted.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from gristmill import _core
from gristmill.base.arrays import Floats
from gristmill.base.errors import FormatError
from gristmill.base.files import decoded
from gristmill.data.rows import Rows
from gristmill.display.words import listed_labels
from gristmill.kernels import OverlapKernel, PolynomialKernel, RBFKernel, SigmoidKernel
from gristmill.machines.machine import Machine
from gristmill.machines.schemes import Scheme

LINEAR = PolynomialKernel(1, 1.0, 0.0)
SVMLIGHT_KERNELS = (PolynomialKernel, RBFKernel, SigmoidKernel)
SVMLIGHT_NAMES = {2: "radial basis functions", 3: "a sigmoid", 4: "a kernel of the user's own", 5: "trees"}
TINYSVM_KERNELS = {2: "a sigmoid", 3: "radial basis functions", 4: "ANOVA"}


@dataclass(frozen=True)
class Entry:
    """A header line."""

    value: str
    name: str
    line: int

    def numbers(self) -> list[float]:
        """All of its numbers."""
        try:
            numbers = [float(word.replace("_", "x")) for word in self.value.split()]  # Python would take 1_0 for 10
        except ValueError:
            raise self.error(f"expected numbers before '# {self.name}', got {self.value!r}") from None
        if not numbers or not np.isfinite(numbers).all():
            raise self.error(f"expected finite numbers before '# {self.name}', got {self.value!r}")
        return numbers

    def whole(self) -> int:
        """Its first number, which must be whole."""
        number = self.numbers()[0]
        if number != np.floor(number) or abs(number) > 2**53:
            raise self.error(f"expected a whole number before '# {self.name}', got {self.value!r}")
        return int(number)

    def error(self, message: str) -> FormatError:
        return FormatError(message, line=self.line, column=1)


@dataclass(frozen=True)
class Header:
    """The head of a model file."""

    program: str
    entries: list[Entry]
    offset: int  # of the support vectors
    line: int

    def find(self, name: str) -> Entry | None:
        """The line whose name starts so."""
        return next((entry for entry in self.entries if entry.name.startswith(name)), None)

    def get(self, name: str) -> Entry:
        """The same, or an error."""
        entry = self.find(name)
        if entry is None:
            raise FormatError(f"the header has no line '# {name}'", line=self.line, column=1)
        return entry

    def kernel(self) -> OverlapKernel:
        """The kernel in a file of SVMlight, if it is one of ours."""
        kind = self.get("kernel type")
        if kind.whole() not in range(4):
            what = SVMLIGHT_NAMES.get(kind.whole(), "something unknown")
            raise kind.error(f"kernel type {kind.value} is {what}; 0 to 3 (linear, polynomial, RBF, sigmoid) are known")
        return self.kernel_of(kind)

    def polynomial(self, others: dict[int, str]) -> PolynomialKernel:
        """The same for files that have no other; `others` says what the rest of the numbers mean."""
        kind = self.get("kernel type")
        if kind.whole() not in (0, 1):
            what = others.get(kind.whole(), "something unknown")
            raise kind.error(f"kernel type {kind.value} is {what}; polynomial and linear kernels can be scored here")
        kernel = self.kernel_of(kind)
        assert isinstance(kernel, PolynomialKernel)
        return kernel

    def kernel_of(self, kind: Entry) -> OverlapKernel:
        """The kernel with this number, 0 to 3, and the parameters -d, -g, -s and -r."""
        if kind.whole() == 0:
            return LINEAR
        first = self.get(f"kernel parameter -{' dgs'[kind.whole()]}")
        try:
            match kind.whole():
                case 1:
                    return PolynomialKernel(first.whole(), self._parameter("s"), self._parameter("r"))
                case 2:
                    return RBFKernel(self._parameter("g"))
            return SigmoidKernel(self._parameter("s"), self._parameter("r"))
        except ValueError as error:
            raise error if isinstance(error, FormatError) else first.error(str(error)) from error

    def _parameter(self, letter: str) -> float:
        return self.get(f"kernel parameter -{letter}").numbers()[0]

    @property
    def thresholds(self) -> Floats:
        """One number per output."""
        return np.array(self.entries[-1].numbers())


@dataclass(frozen=True)
class Body:
    """The support vectors of a model file."""

    coef: Floats  # rows x outputs
    support: Rows
    first_id: int


def read_header(data: bytes) -> Header:
    """Everything before the support vectors."""
    found = _core.parse_annotated_header(data)
    lines = [Entry(decoded(entry.value), decoded(entry.name), entry.line) for entry in found.entries]
    return Header(decoded(found.program), lines, found.offset, found.line)


def read_body(data: bytes, header: Header, outputs: int = 1) -> Body:
    """The support vectors, with one coefficient per output."""
    return body_of(_core.parse_coef_rows(data, header.offset, header.line, outputs))


def body_of(found: _core.CoefRows) -> Body:
    """The same, of lines that were parsed."""
    ids = found.rows.ids
    support = Rows(found.rows.offsets, ids, found.rows.values, int(ids.max()) + 1 if len(ids) else 0)
    return Body(found.coefs.reshape(len(support), found.per_row), support, 0 if found.rows.zero_based else 1)


def check_count(body: Body, entry: Entry, wanted: int) -> None:
    """A file with fewer or more support vectors than it says is damaged."""
    if len(body.support) != wanted:
        raise entry.error(
            f"the header counts {wanted} support vectors, the file has {len(body.support)}; is it truncated?"
        )


def kernel_lines(kernel: OverlapKernel) -> list[str]:
    """The header lines of a kernel, from the type to -r."""
    kind, numbers = parameters_of(kernel)
    return [f"{kind} # kernel type", *(f"{value!r} # kernel parameter -{name}" for name, value in numbers.items())]


def parameters_of(kernel: OverlapKernel) -> tuple[int, dict[str, float]]:
    """SVMlight's number of a kernel, and its parameters -d, -g, -s and -r; 1 or 3 where it has no such."""
    match kernel:
        case PolynomialKernel(degree=degree, gamma=gamma, coef0=coef0):
            return int(kernel != LINEAR), {"d": degree, "g": 1, "s": gamma, "r": coef0}
        case RBFKernel(gamma=gamma):
            return 2, {"d": 3, "g": gamma, "s": 1, "r": 1}
        case SigmoidKernel(gamma=gamma, coef0=coef0):
            return 3, {"d": 3, "g": 1, "s": gamma, "r": coef0}
    raise ValueError(f"SVMlight has no kernel like {kernel!r}")


def vector_lines(coef: Any, machine: Machine) -> bytes:
    """The lines of the support vectors, with ids counted as the machine counts them, else from 1."""
    rows = machine.rows
    return _core.format_coef_rows(np.ravel(coef), rows.offsets, rows.ids, rows.values, machine.first_id != 0)


def uses_feature_zero(machine: Machine) -> bool:
    """True when the file would hold an id 0, which some programs have no room for."""
    return machine.first_id == 0 and bool((machine.rows.ids == 0).any())


def plus_minus_machine(
    kernel: OverlapKernel,
    body: Body,
    thresholds: Floats,
    provenance: dict[str, Any],
    **more: Any,
) -> Machine:
    """A binary machine with classes -1 and 1 from what was read; the threshold is subtracted."""
    if len(thresholds) != 1:
        raise FormatError(f"expected one threshold, got {len(thresholds)}")
    more |= {"first_id": body.first_id, "provenance": provenance}
    return Machine(kernel, body.support, body.coef, -thresholds, [-1, 1], Scheme.BINARY, **more)


def single_output_of(machine: Machine, program: str) -> tuple[Floats, float]:
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
