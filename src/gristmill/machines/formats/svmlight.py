"""SVMlight models.

The file does not say whether it holds a classifier, a regression or a ranking; it is read as a classifier with classes
-1 and 1, whose raw scores serve for all three.
"""

from __future__ import annotations

from gristmill.machines.formats.annotated import (
    SVMLIGHT_KERNELS,
    check_count,
    kernel_lines,
    plus_minus_machine,
    read_body,
    read_header,
    single_output_of,
    uses_feature_zero,
    vector_lines,
)
from gristmill.machines.machine import Machine

NAME = "svmlight"
TITLE = "SVMlight model"
KERNELS = SVMLIGHT_KERNELS

_VERSION = "V6.02"  # svm_classify reads no other
_MAGIC = "SVM-light Version"


def sniff(head: bytes) -> bool:
    """The first line names the program, and SVM-light-TK names itself in the version."""
    return head.startswith(_MAGIC.encode()) and b"-TK" not in head.partition(b"\n")[0]


def read(data: bytes) -> Machine:
    """The machine in an SVMlight model file."""
    header = read_header(data)
    kernel = header.kernel()
    body = read_body(data, header)
    count = header.get("number of support vectors plus 1")
    check_count(body, count, count.whole() - 1)
    provenance = {"format": NAME, "version": header.program.removeprefix(_MAGIC).strip()}
    return plus_minus_machine(kernel, body, header.thresholds, provenance)


def write(machine: Machine) -> bytes:
    """The machine as an SVMlight model file; ValueError if SVMlight has no such machine."""
    column, intercept = single_output_of(machine, "SVMlight")
    if uses_feature_zero(machine):
        raise ValueError("SVMlight counts features from 1; this machine has a feature 0")
    lines = [
        f"{_MAGIC} {_VERSION}",
        *kernel_lines(machine.set_kernel),
        "empty# kernel parameter -u",
        f"{machine.n_features} # highest feature index",
        f"{machine.n_support} # number of training documents",
        f"{machine.n_support + 1} # number of support vectors plus 1",
        f"{0.0 - intercept!r} # threshold b, each following line is a SV (starting with alpha*y)",
    ]
    return "".join(f"{line}\n" for line in lines).encode() + vector_lines(column, machine)
