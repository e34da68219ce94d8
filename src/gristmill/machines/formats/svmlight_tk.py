"""Models of SVM-light-TK: tree kernels, kernels on vectors and their sums.

A model is read for data of its own layout: support examples and kernel name the fields that `read_svmlight_tk` gives
for a data file like the one it was trained on. The threshold is subtracted.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from gristmill.base.arrays import Floats
from gristmill.data.examples import Examples
from gristmill.data.forest import Forest
from gristmill.data.formats.svmlight_tk import (
    Line,
    count_parts,
    fields_by_kind,
    find_lines,
    format_lines,
    named,
    parse_field,
    parse_fields,
    parse_vectors,
)
from gristmill.data.formats.tree_parts import fail_at
from gristmill.data.rows import Rows
from gristmill.kernels import Kernel, OverlapKernel
from gristmill.machines.formats.annotated import (
    SVMLIGHT_KERNELS,
    Header,
    kernel_lines,
    read_header,
    single_output_of,
    uses_feature_zero,
)
from gristmill.machines.formats.svmlight_tk_kernels import Combination, arrange, read_combination
from gristmill.machines.machine import Machine
from gristmill.machines.schemes import Scheme

NAME = "svmlight-tk"
TITLE = "SVM-light-TK model"
KERNELS = SVMLIGHT_KERNELS

_VERSION = "V5.01-TK-1.5"  # svm_classify reads no other
_MAGIC = "SVM-light Version"
_SNIFF = re.compile(rb"SVM-light Version[^\n]*-TK")
_ABSENT = "|BT|"  # as a label it occurs in no file, so such a leaf has kernel 0 with everything that is read
_NAMELESS = re.compile(rb"\(\s*\(")
_COMBINED = 5


def sniff(head: bytes) -> bool:
    """The first line names the program."""
    return _SNIFF.match(head) is not None


def read(data: bytes) -> Machine:
    """The machine in a model file of SVM-light-TK."""
    header = read_header(data)
    lines = find_lines(data, header.offset)
    _check_count(header, lines)
    provenance = {"format": NAME, "version": header.program.removeprefix(_MAGIC).strip()}
    thresholds = header.thresholds
    if len(thresholds) != 1:
        raise header.entries[-1].error(f"expected one threshold, got {len(thresholds)}")
    if header.get("kernel type").whole() != _COMBINED:
        support, coef = parse_vectors(data, lines, 0)  # the program looks at no other vector, and at no tree
        kernel = header.kernel()
        more: dict[str, Any] = {"first_id": 1, "provenance": provenance}
        return Machine(kernel, support, coef, -thresholds, [-1, 1], Scheme.BINARY, **more)
    combined, structured, coef = _read_combined(data, header, lines)
    return Machine(combined, structured, coef, -thresholds, [-1, 1], Scheme.BINARY, provenance=provenance)


def write(machine: Machine) -> bytes:
    """The machine as a model file of SVM-light-TK; ValueError if it has no such machine."""
    column, intercept = single_output_of(machine, "SVM-light-TK")
    if isinstance(machine.kernel, OverlapKernel):
        if uses_feature_zero(machine):
            raise ValueError("SVM-light-TK counts features from 1; this machine has a feature 0")
        combination, kernel, scale = Combination(), machine.kernel, 1.0
        forests: list[Forest] = []
        vectors = [machine.rows]
    else:
        if isinstance(machine.support, Rows):
            raise ValueError("SVM-light-TK combines kernels of vectors with kernels of trees; this machine is on rows")
        combination, scale = arrange(machine.kernel, machine.support)
        kernel = combination.vectors
        forests, vectors = fields_by_kind(machine.support)
        if any(forest.has_marks for forest in forests):
            raise ValueError("SVM-light-TK has no marks; this machine's support trees do")
    kind, *rest = kernel_lines(kernel)
    lines = [
        f"{_MAGIC} {_VERSION}",
        kind if kernel is machine.kernel else f"{_COMBINED} # kernel type",
        *rest,
        "empty# kernel parameter -u",
        *combination.header_lines(),
        f"{max((rows.n_features for rows in vectors), default=0)} # highest feature index",
        f"{machine.n_support} # number of training documents",
        f"{machine.n_support + 1} # number of support vectors plus 1",
        f"{0.0 - intercept!r} # threshold b, each following line is a SV (starting with alpha*y)",
    ]
    head = "".join(f"{line}\n" for line in lines).encode()
    return head + format_lines(scale * column, forests, vectors, absent=_ABSENT, is_model=True)


# --- reading ----------------------------------------------------------------------------------------------------------


def _check_count(header: Header, lines: Sequence[Line]) -> None:
    count = header.get("number of support vectors plus 1")
    if len(lines) != count.whole() - 1:
        raise count.error(
            f"the header counts {count.whole() - 1} support vectors, the file has {len(lines)}; is it truncated?"
        )


def _read_combined(data: bytes, header: Header, lines: Sequence[Line]) -> tuple[Kernel, Any, Floats]:
    if not lines:
        raise header.entries[-1].error("the model has no support vectors, so it does not say what its data look like")
    n_trees, n_vectors = count_parts(data, lines)
    combination = read_combination(header, n_trees, n_vectors)
    _check_trees(data, lines)
    if combination.uses_vectors and _counts_absent(combination.vectors):
        _check_vectors(data, lines, n_vectors)
    rows, coef = parse_fields(data, lines, n_vectors)
    forests = [parse_field(data, lines, number, _ABSENT) for number in range(n_trees)]
    if n_trees == 1 and n_vectors == 0:
        return combination.kernel([None], []), forests[0], coef
    trees, vectors = named("tree", forests), named("vector", rows)
    return combination.kernel(list(trees), list(vectors)), Examples(**trees, **vectors), coef


def _counts_absent(kernel: OverlapKernel) -> bool:
    """Whether an empty vector has another kernel than 0 with some vector."""
    return getattr(kernel, "coef0", 1.0) != 0


def _check_trees(data: bytes, lines: Sequence[Line]) -> None:
    for line in lines:
        for tree in line.trees:
            nameless = _NAMELESS.search(data, tree.begin, tree.end)
            if nameless:
                fail_at(data, nameless.start(), "a bracket without a label is a node to SVM-light-TK, but none here")


def _check_vectors(data: bytes, lines: Sequence[Line], n_vectors: int) -> None:
    for line in lines:
        if len(line.vectors) < n_vectors:
            fail_at(
                data,
                line.head.begin,
                f"this support vector has {len(line.vectors)} vectors, others {n_vectors}: the kernel of a vector that "
                "is not there is 0 to SVM-light-TK, but not here with RBF, or -r other than 0",
            )
