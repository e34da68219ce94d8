"""The kernels of SVM-light-TK: what its parameters mean in ours, and back.

    -C T: sum_i k_T(tree_i, tree_i')        -C V: sum_j k_V(vector_j, vector_j')        -C +: V + (-T) * T

k_T is chosen by -F with decay -L and mu -M, k_V by -S with -d, -g, -s and -r. -N 1 normalises every tree on its own,
-N 2 every vector, -N 3 both. -W A and -V A would compare all trees (vectors) of one example with all of the other.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, NoReturn

from gristmill.data.examples import Examples
from gristmill.data.forest import Forest
from gristmill.kernels import (
    FieldKernel,
    Kernel,
    Normalized,
    OverlapKernel,
    PartialTreeKernel,
    ScaledKernel,
    SubsetTreeKernel,
    SubtreeKernel,
    SumKernel,
    TreeKernel,
)
from gristmill.machines.formats.annotated import LINEAR, SVMLIGHT_KERNELS, Entry, Header, parameters_of

_MU = 0.4
_LONGEST = 5  # children of a subsequence, in the partial tree kernel
_OTHER_TREES = {
    -1: "the kernel of shallow semantic trees, which passes over slots called null",
    4: "the partial tree kernel less its single nodes, which takes them off twice and is no kernel any more",
    6: "a kernel on sequences",
}
_OTHER_VECTORS = {4: "a kernel of the user's own", 6: "sequences"}
_SETS = {"A": "all trees or vectors of one example with all of the other", "N": "all trees with all", "R": "rankings"}


@dataclass(frozen=True)
class Combination:
    """A kernel of type 5."""

    trees: TreeKernel = SubsetTreeKernel()  # noqa: RUF009 - immutable
    vectors: OverlapKernel = LINEAR
    uses_trees: bool = True
    uses_vectors: bool = False
    normalises_trees: bool = True
    normalises_vectors: bool = True
    tree_weight: float = 1.0

    def kernel(self, trees: Sequence[str | None], vectors: Sequence[str | None]) -> Kernel:
        """Our kernel, on fields of these names; None: on the examples themselves."""
        parts: list[Kernel] = []
        if self.uses_vectors:
            parts += _on_fields(self.vectors, self.normalises_vectors, vectors)
        if self.uses_trees:
            total = _sum(_on_fields(self.trees, self.normalises_trees, trees))
            parts.append(total if self.tree_weight == 1 else self.tree_weight * total)
        return _sum(parts)

    def header_lines(self) -> list[str]:
        """The lines from -L to -U."""
        number, decay, mu = _numbers_of(self.trees)
        values = {
            "L": decay,
            "T": self.tree_weight,
            "C": "T" if not self.uses_vectors else "+" if self.uses_trees else "V",
            "F": number,
            "S": parameters_of(self.vectors)[0],
            "M": mu,
            "N": self.normalises_trees + 2 * self.normalises_vectors,
            "V": "S",
            "W": "S",
            "U": 0,
        }
        return [f"{value} # kernel parameter -{name}" for name, value in values.items()]


# --- reading ----------------------------------------------------------------------------------------------------------


def read_combination(header: Header, n_trees: int, n_vectors: int) -> Combination:
    """The kernel of a model whose examples have so many trees and vectors; FormatError where we have none such."""
    operator, weight, norms, file = (header.get(f"kernel parameter -{name}") for name in "CTNU")
    if operator.value not in ("T", "V", "+"):
        what = "the product of trees and vectors" if operator.value == "*" else "unknown"
        raise operator.error(f"kernel parameter -C {operator.value} is {what}; T, V and + can be scored here")
    if file.whole() != 0:
        raise file.error("with -U 1 the kernels stand in another file, tree_kernels.param, which is not read here")
    if norms.whole() not in range(4):
        raise norms.error(f"kernel parameter -N must be 0, 1, 2 or 3, got {norms.value}")
    uses_trees = operator.value != "V" and n_trees > 0
    uses_vectors = operator.value != "T" and n_vectors > 0
    if operator.value == "+" and weight.numbers()[0] == 0:
        uses_trees = False
    if not uses_trees and not uses_vectors:
        raise operator.error(f"with -C {operator.value} nothing of the support vectors is compared")
    if uses_trees and operator.value == "+" and weight.numbers()[0] < 0:
        raise weight.error(f"the weight of trees, -T, must not be negative, got {weight.value}")
    if uses_trees:
        _check_set(header.get("kernel parameter -W"), n_trees)
    if uses_vectors:
        _check_set(header.get("kernel parameter -V"), n_vectors)
    return Combination(
        _tree_kernel(header) if uses_trees else SubsetTreeKernel(),
        _vector_kernel(header) if uses_vectors else LINEAR,
        uses_trees,
        uses_vectors,
        norms.whole() in (1, 3),
        norms.whole() in (2, 3),
        weight.numbers()[0] if operator.value == "+" else 1.0,
    )


def _check_set(entry: Entry, count: int) -> None:
    is_same = entry.value in ("A", "N") and count == 1  # of one with one
    if entry.value != "S" and not is_same:
        what = _SETS.get(entry.value, "unknown")
        raise entry.error(f"{entry.name} {entry.value} compares {what}; only S, one by one, can be scored here")


def _tree_kernel(header: Header) -> TreeKernel:
    kind, decay, mu = (header.get(f"kernel parameter -{name}") for name in "FLM")
    try:
        if kind.whole() == 0:
            return SubtreeKernel(decay.numbers()[0])
        if kind.whole() in (1, 2):
            return SubsetTreeKernel(decay.numbers()[0], leaves=kind.whole() == 2)
        if kind.whole() == 3:
            return PartialTreeKernel(decay.numbers()[0], mu.numbers()[0], max_children=_LONGEST)
    except ValueError as error:
        _refuse(decay, error)
    what = _OTHER_TREES.get(kind.whole(), "unknown")
    raise kind.error(f"kernel parameter -F {kind.value} is {what}; 0 (ST), 1 (SST), 2 (SST-bow) and 3 (PTK) are known")


def _vector_kernel(header: Header) -> OverlapKernel:
    kind = header.get("kernel parameter -S")
    if kind.whole() in range(4):
        return header.kernel_of(kind)
    what = _OTHER_VECTORS.get(kind.whole(), "unknown")
    raise kind.error(
        f"kernel parameter -S {kind.value} is {what}; 0 (linear), 1 (polynomial), 2 (RBF) and 3 (sigmoid) are known"
    )


def _refuse(entry: Entry, error: ValueError) -> NoReturn:
    raise error if hasattr(error, "line") else entry.error(str(error)) from error


def _on_fields(kernel: Kernel, normalises: bool, fields: Iterable[str | None]) -> list[Kernel]:
    one = Normalized(kernel) if normalises else kernel
    return [one if field is None else one.on(field) for field in fields]


def _sum(parts: Sequence[Kernel]) -> Kernel:
    return parts[0] if len(parts) == 1 else SumKernel.of(*parts)


# --- writing ----------------------------------------------------------------------------------------------------------


class _Part(NamedTuple):
    kernel: TreeKernel | OverlapKernel
    is_normalised: bool
    weight: float
    field: str | None


def arrange(kernel: Kernel, support: Any) -> tuple[Combination, float]:
    """The kernel as SVM-light-TK has it, and what it is multiplied by; ValueError if there is none such."""
    parts = list(_parts(kernel))
    trees = [part for part in parts if isinstance(part.kernel, TreeKernel)]
    vectors = [part for part in parts if isinstance(part.kernel, OverlapKernel)]
    _check_parts(trees, support, "trees")
    _check_parts(vectors, support, "vectors")
    tree, vector = (trees or vectors)[0], (vectors or trees)[0]
    combination = Combination(
        tree.kernel if isinstance(tree.kernel, TreeKernel) else SubsetTreeKernel(),
        vector.kernel if isinstance(vector.kernel, OverlapKernel) else LINEAR,
        bool(trees),
        bool(vectors),
        tree.is_normalised,
        vector.is_normalised,
        tree.weight / vector.weight,
    )
    return combination, vector.weight


def _parts(
    kernel: Kernel, is_normalised: bool = False, weight: float = 1.0, field: str | None = None
) -> Iterator[_Part]:
    if isinstance(kernel, SumKernel):
        if is_normalised:
            raise ValueError("SVM-light-TK normalises each tree and vector, not their sum")
        for part in kernel.parts:
            yield from _parts(part, is_normalised, weight, field)
    elif isinstance(kernel, ScaledKernel):
        yield from _parts(kernel.kernel, is_normalised, weight if is_normalised else weight * kernel.weight, field)
    elif isinstance(kernel, FieldKernel):
        yield from _parts(kernel.kernel, is_normalised, weight, kernel.field)
    elif isinstance(kernel, Normalized):
        yield from _parts(kernel.kernel, True, weight, field)
    elif isinstance(kernel, TreeKernel | OverlapKernel):
        _check_has(kernel)
        yield _Part(kernel, is_normalised, weight, field)
    else:
        raise ValueError(f"SVM-light-TK has no kernel like {kernel!r}")


def _check_has(kernel: TreeKernel | OverlapKernel) -> None:
    if isinstance(kernel, OverlapKernel) and not isinstance(kernel, SVMLIGHT_KERNELS):
        raise ValueError(f"SVM-light-TK has no kernel like {kernel!r}")


def _check_parts(parts: Sequence[_Part], support: Any, kind: str) -> None:
    if len({part._replace(field=None) for part in parts}) > 1:
        raise ValueError(f"SVM-light-TK has one kernel with one weight for all {kind}; this machine has several")
    if not parts or not isinstance(support, Examples):
        return
    there = [name for name, field in support.fields.items() if isinstance(field, Forest) == (kind == "trees")]
    used = [str(part.field) for part in parts]
    if sorted(used) != sorted(there):
        raise ValueError(f"SVM-light-TK adds up all {kind}, each once: {there}; this machine's kernel adds up {used}")


def _numbers_of(kernel: TreeKernel) -> tuple[int, float, float]:
    """-F, -L and -M."""
    if isinstance(kernel, SubtreeKernel):
        return 0, kernel.decay, _MU
    if isinstance(kernel, SubsetTreeKernel):
        return 2 if kernel.leaves else 1, kernel.decay, _MU
    if isinstance(kernel, PartialTreeKernel):
        plain = PartialTreeKernel(kernel.decay, kernel.mu, max_children=_LONGEST)
        if kernel == plain:
            return 3, kernel.decay, kernel.mu
    raise ValueError(
        f"SVM-light-TK has no kernel like {kernel!r}; it has SubtreeKernel, SubsetTreeKernel and "
        f"PartialTreeKernel(max_children={_LONGEST})"
    )
