"""TinySVM models. The count in the header is one more than there are support vectors, as in SVMlight's files."""

from __future__ import annotations

from typing import Any

from gristmill.kernels import PolynomialKernel
from gristmill.machines.formats.annotated import (
    TINYSVM_KERNELS,
    check_count,
    kernel_lines,
    plus_minus_machine,
    read_body,
    read_header,
    single_output_of,
    vector_lines,
)
from gristmill.machines.machine import Machine

NAME = "tinysvm"
TITLE = "TinySVM model"
KERNELS = (PolynomialKernel,)

_VERSION = "0.09"
_MAGIC = "TinySVM Version"


def sniff(head: bytes) -> bool:
    """The first line names the program."""
    return head.startswith(_MAGIC.encode())


def read(data: bytes) -> Machine:
    """The machine in a TinySVM model file."""
    header = read_header(data)
    kernel = header.polynomial(TINYSVM_KERNELS)
    body = read_body(data, header)
    count = header.get("number of SVs")
    check_count(body, count, count.whole() - 1)
    numbers = count.numbers()
    provenance: dict[str, Any] = {"format": NAME, "version": header.program.removeprefix(_MAGIC).strip()}
    if len(numbers) == 4:  # older files have the first alone
        provenance |= {"bounded": int(numbers[1]), "trained_on": int(numbers[2]), "loss": numbers[3]}
    return plus_minus_machine(kernel, body, header.thresholds, provenance)


def write(machine: Machine) -> bytes:
    """The machine as a TinySVM model file; ValueError if TinySVM has no such machine."""
    column, intercept = single_output_of(machine, "TinySVM")
    known = machine.provenance if machine.provenance.get("format") == NAME else {}
    counts = [machine.n_support + 1, known.get("bounded", 0), known.get("trained_on", machine.n_support)]
    numbers = " ".join(str(int(count)) for count in counts)
    lines = [
        f"{_MAGIC} {known.get('version', _VERSION)}",
        *kernel_lines(machine.polynomial),
        "empty # kernel parameter -u",
        f"{numbers} {known.get('loss', 0.0):.8g} # number of SVs/BSVs/number of training data/L1 loss ",
        f"{0.0 - intercept!r} # threshold b",
    ]
    return "".join(f"{line}\n" for line in lines).encode() + vector_lines(column, machine)
