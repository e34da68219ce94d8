"""A machine on trees by its heaviest fragments.

A tree kernel is an inner product over fragments, so a machine on trees is a linear one: f(T) = b + sum of weight(s)
times how often T has s, over all fragments s. Those of largest |weight| are what the machine has to say in few words.
They are found by branch and bound, none is missed.
"""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from gristmill.base.progress import Progress
from gristmill.base.threads import resolve_jobs
from gristmill.display.bars import printable
from gristmill.display.words import counted
from gristmill.explanations.coverage import Carried
from gristmill.explanations.fragment_parts import MinedFragments, fragment_parts, mine_fragments
from gristmill.explanations.heaviest import Heaviest
from gristmill.explanations.limits import Limits, check_limits, outputs_of
from gristmill.explanations.models import machine_of
from gristmill.explanations.names import output_names
from gristmill.machines.machine import Machine
from gristmill.machines.structured import StructuredMachine

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Fragment:
    """A part of a tree and what it adds to one output wherever a tree has it.

    That is for a fragment found without gaps: kernels that weigh gaps (PTK) take less where children are skipped. A
    normalised kernel divides all that a tree has by the tree's norm.

    Parameters
    ----------
    tree : str
        In brackets.
    size : int
        Productions (SST, K_c, ST) or nodes (K_lo, PTK) that its weight is a power of; 0 for a label that counts alone.
    output : int
    output_name : str
    weight : float
    support : int
        Support trees that have it, of those with a coefficient for the output.
    occurrences : int
        Times they have it; a fragment that may skip children is counted once for each way to find it.
    kernel : str
        The kernel, one of several in a sum, that it is a fragment for.
    field : str or None
        The field of `Examples` that this kernel looks at.
    """

    tree: str
    size: int
    output: int
    output_name: str
    weight: float
    support: int
    occurrences: int
    kernel: str
    field: str | None


class Fragments(Heaviest[Fragment]):
    """Fragments of a machine on trees, heaviest first. Made by `fragments_of`.

    `floor` bounds what is not here: no other fragment that was looked for weighs more. `limits` says what was, and
    `outputs` those that were looked at.
    """

    kind = "fragments"
    numeric = (0, 1, 2)

    def __init__(
        self, machine: Machine, mined: list[MinedFragments], floor: float, outputs: range, limits: Limits
    ) -> None:
        names = output_names(machine)
        super().__init__(machine, floor, outputs, limits)
        self._mined = mined
        self._all = sorted((one for some in mined for one in _fragments(some, names)), key=_order)

    def __len__(self) -> int:
        return len(self._all)

    @overload
    def __getitem__(self, at: int) -> Fragment: ...
    @overload
    def __getitem__(self, at: slice) -> list[Fragment]: ...
    def __getitem__(self, at: int | slice) -> Fragment | list[Fragment]:
        return self._all[at]

    def carried(self, trees: Any, *, n_jobs: int | None = None, progress: Progress | None = None) -> Carried:
        """How much of the scores of trees the fragments carry, and how much is left to all others.

        `base` is the intercept. `bound` is the smaller of two: all other fragments of a tree weigh no more than the
        lightest one here, and together no more than what support trees have in common with it, signs left aside.

        Parameters
        ----------
        trees : Forest, or what else the machine takes
        n_jobs : int or None
        progress : callable or None
            Called with (done, in all), for each kernel of a sum anew.
        """
        data = self.machine.examples(trees)
        told = list(self.outputs)
        sums = [mined.carried(data, self.outputs, progress) for mined in self._mined]
        carried, magnitudes, others = (np.sum(matrices, axis=0) for matrices in zip(*sums, strict=True))
        scores = self._scores(self._scorer, data, n_jobs)
        bound = np.maximum(self._scores(self._unsigned, data, n_jobs) - magnitudes, 0)
        if self.limits == Limits():  # or others may weigh anything
            bound = np.fmin(bound, self.floor * others)
        return Carried(scores, self.machine.intercept[told], carried, bound)

    def _scores(self, scorer: Any, data: Any, n_jobs: int | None) -> Floats:
        scores = scorer.decision_function(data, n_jobs=n_jobs).reshape(len(data), self.machine.n_outputs)
        return np.asarray(scores[:, list(self.outputs)])

    @functools.cached_property
    def _scorer(self) -> Any:
        return self.machine.compile()

    @functools.cached_property
    def _unsigned(self) -> Any:
        """Of the machine without signs and without an intercept."""
        machine = self.machine
        return Machine(machine.kernel, machine.support, abs(machine.coef), np.zeros(machine.n_outputs)).compile()

    def text(self) -> str:
        """A line for each fragment."""
        told = self._told()
        return "\n".join(printable(_line(one, told)) for one in self)

    def lines(self, top: int | None = None) -> list[tuple[str, ...]]:
        """Heads, and what was found or the first of it."""
        told = self._told()
        lines: list[tuple[str, ...]] = [(f"{'weight':>10}", "support", f"{'times':>7}", "output", *told, "fragment")]
        for one in self[:top]:
            numbers = f"{one.weight:+.4g}", str(one.support), str(one.occurrences)
            lines.append((*numbers, one.output_name, *(str(getattr(one, name)) for name in told), one.tree))
        return lines

    def summary(self) -> str:
        """How many, of what, and what the others weigh at most."""
        noun = "fragment" if len(self) == 1 else "fragments"
        units = {some.part.unit for some in self._mined}
        others = self.limits.others(self.floor, units.pop() if len(units) == 1 else "part", "support tree")
        return f"{len(self):,} {noun} of {self.machine.n_support:,} support trees; {others}"

    def _told(self) -> list[str]:
        """By what fragments of one kernel of a sum differ from those of another."""
        parts = [some.part for some in self._mined]
        return [name for name in ("field", "kernel") if len({getattr(part, name) for part in parts}) > 1]


def fragments_of(
    machine: Any,
    *,
    top: int = 100,
    output: int | str | None = None,
    min_support: int = 1,
    max_size: int | None = None,
    sigma: float | None = None,
    max_fragments: int = 1_000_000,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> Fragments:
    """The heaviest fragments of a machine on trees.

    Parameters
    ----------
    machine : Machine, or what has one
        With any tree kernel, normalised or not, or a sum of tree kernels, each also on a field of `Examples`.
    top : int
        How many: those of largest ``|weight|``. Ties go to the smaller, then by text.
    output : int, str or None
        Of one output, by its number or name; None: of all together.
    min_support : int
        Support trees of its output that must have a fragment: those with a coefficient other than 0.
    max_size : int or None
        Productions or nodes of a fragment at most; None: any number.
    sigma : float or None
        Instead of `top`: all with ``|weight|`` of at least sigma. 0: all that weigh anything, and that is the whole
        machine; of trees with more than some twenty nodes there are too many.
    max_fragments : int
        More are refused.
    n_jobs : int or None
        Threads; None is one, -1 all cores. Never changes the result.
    progress : callable or None
        Called with (done, in all), for each kernel of a sum anew. Raise in it, or press Ctrl-C, to stop.

    Examples
    --------
    >>> import gristmill as gm
    >>> from gristmill.explanations.fragments import fragments_of
    >>> support = ["(S (NP dogs) (VP bark))", "(S (NP cats) (VP sleep))", "(S (NP cats) (VP bark))"]
    >>> kernel = gm.SubsetTreeKernel(decay=0.5)
    >>> machine = gm.Machine(kernel, support, [1.0, -1.0, 0.5], 0.0, classes=["quiet", "loud"])
    >>> fragments = fragments_of(machine, top=3)
    >>> print(fragments)
    3 fragments of 3 support trees; no other weighs more than 0.5
        weight  support    times  output  fragment
         +0.75        2        2  loud    (VP bark)
          +0.5        1        1  loud    (NP dogs)
          -0.5        1        1  loud    (VP sleep)
    >>> carried = fragments.carried(["(S (NP dogs) (VP bark))"])
    >>> carried.whole.ravel(), carried.carried.ravel(), carried.rest.ravel()
    (array([2.25]), array([1.25]), array([1.]))
    """
    machine = machine_of(machine)
    _check(machine)
    check_limits(top, min_support, max_size, sigma, max_fragments=max_fragments)
    outputs = outputs_of(machine, output)
    most, least = (int(top), 0.0) if sigma is None else (0, float(sigma))
    limits = most, least, int(min_support), int(max_size or 0), int(max_fragments), resolve_jobs(n_jobs), progress
    parts = fragment_parts(machine.kernel, machine.support, machine.coef)
    mined = [mine_fragments(part, outputs, limits) for part in parts]
    if sigma is None and len(mined) > 1:
        mined = _heaviest(mined, top)
    cut = sigma is None and sum(map(len, mined)) == top
    floor = min(abs(some.weights[-1]) for some in mined if len(some)) if cut else least
    return Fragments(machine, mined, float(floor), outputs, Limits(int(min_support), max_size and int(max_size)))


def _heaviest(mined: list[MinedFragments], top: int) -> list[MinedFragments]:
    """The first few of each kernel, so that they are the heaviest of all together."""
    unnamed = [""] * (1 + max(int(some.outputs.max(initial=0)) for some in mined))
    ranked = [(_order(one), number) for number, some in enumerate(mined) for one in _fragments(some, unnamed)]
    kept = Counter(number for _, number in sorted(ranked)[:top])
    return [some[: kept[number]] for number, some in enumerate(mined)]


def _order(fragment: Fragment) -> tuple[float, int, str, int]:
    """As that of the core."""
    return -abs(fragment.weight), fragment.size, fragment.tree, fragment.output


def _fragments(mined: MinedFragments, names: Sequence[str]) -> Iterator[Fragment]:
    columns = mined.forest, mined.sizes, mined.outputs, mined.weights, mined.support, mined.embeddings
    for tree, size, output, weight, support, embeddings in zip(*columns, strict=True):
        told = names[output], float(weight), int(support), int(embeddings)
        yield Fragment(tree, int(size), int(output), *told, repr(mined.part.kernel), mined.part.field)


def _line(one: Fragment, told: list[str]) -> str:
    facts = [counted(one.support, "support tree")]
    facts += [f"{name} {getattr(one, name)}" for name in told]
    return f"{one.weight:+.4g}  {one.tree}  -> {one.output_name}  ({', '.join(facts)})"


def _check(machine: Machine) -> None:
    if not isinstance(machine, StructuredMachine):
        raise ValueError("fragments are parts of trees; a machine on rows has conjunctions instead")
