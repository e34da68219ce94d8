"""Random machines that are hard to score, with their kernel in exact arithmetic.

Coefficients cancel, are huge, tiny, or all at once; degrees are high, gammas tiny, rows long, trees deep or wide.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, partial
from typing import Any

import numpy as np

import gristmill as gm
from tests.data.tree_strategies import from_parents, to_strings
from tests.guard import exact
from tests.oracle import trees as oracle

Random = np.random.Generator


@dataclass(frozen=True)
class Case:
    """A machine, examples to be scored, and the exact kernel of each with each support example."""

    name: str
    machine: gm.Machine
    X: Any
    kernel: list[list[Fraction]]  # examples x support examples
    size: list[list[Fraction]]  # what the kernel is made of, signs aside: a negative coef0 subtracts

    @property
    def coef(self) -> Any:
        return self.machine.dense_coef()


# --- coefficients -----------------------------------------------------------------------------------------------------


def _plain(random: Random, shape: tuple[int, int]) -> Any:
    return random.normal(size=shape)


def _huge(random: Random, shape: tuple[int, int]) -> Any:
    return random.normal(size=shape) * 1e15


def _of_all_sizes(random: Random, shape: tuple[int, int]) -> Any:
    return random.normal(size=shape) * 10.0 ** random.integers(-30, 30, shape)


def _tiny(random: Random, shape: tuple[int, int]) -> Any:
    return random.normal(size=shape) * 10.0 ** random.integers(-320, -300, shape)


def _opposite(random: Random, shape: tuple[int, int]) -> Any:
    """Each with its negative; an odd one is left."""
    half = random.choice([0.1, 0.3, 1.0, 1e16], size=shape)
    half[1::2] = -half[0 : shape[0] - 1 : 2]
    return half


COEFFICIENTS = {
    "plain": _plain,
    "huge": _huge,
    "of all sizes": _of_all_sizes,
    "tiny": _tiny,
    "opposite": _opposite,
}


def _machine(random: Random, kernel: Any, support: Any) -> tuple[str, gm.Machine]:
    outputs = int(random.choice([1, 1, 3]))
    name = str(random.choice(list(COEFFICIENTS)))
    coef = COEFFICIENTS[name](random, (len(support), outputs))
    if random.random() < 0.2:
        coef[random.random(coef.shape) < 0.5] = 0
    intercept = random.choice([0.0, 0.0, 1.0, -0.1, 1e10], size=outputs)
    how = {"classes": list(range(max(outputs, 2))), "scheme": "binary" if outputs == 1 else "ovr"}
    return name, gm.Machine(kernel, support, coef, intercept, **how)


# --- of sets ----------------------------------------------------------------------------------------------------------


def _polynomial(random: Random, high: int) -> tuple[Any, exact.SetValue, exact.SetValue]:
    degree = int(random.choice([1, 2, 3, 5, high]))
    gamma = float(random.choice([1.0, 0.37, 1e-9, -0.7, 1 / 3, 1000.0]))
    coef0 = float(random.choice([0.0, 1.0, 0.1, -0.3, 1e-5]))
    size = exact.polynomial(degree, abs(gamma), abs(coef0))
    return gm.PolynomialKernel(degree, gamma, coef0), exact.polynomial(degree, gamma, coef0), size


def _table(random: Random, longest: int) -> tuple[Any, exact.SetValue]:
    """Any numbers at all, alike for (x, s) and (s, x)."""
    size = longest + 1
    table = random.normal(size=(size, size, size)) * 10.0 ** random.integers(-5, 5, (size, size, size))
    table = table + table.transpose(0, 2, 1)
    return gm.SetKernel(table), lambda m, x, s: Fraction(table[m, x, s])


def _set_kernel(random: Random, longest: int) -> tuple[Any, exact.SetValue, exact.SetValue]:
    """A kernel, its value, and the size of what it is made of."""
    gamma = float(random.choice([0.25, 1e-9, 1.0, 30.0]))
    coef0 = float(random.choice([0.0, -1.0, 0.5]))
    match random.choice(["rbf", "sigmoid", "tanimoto", "dice", "cosine", "table", *["polynomial"] * 4]):
        case "rbf":
            made = gm.RBFKernel(gamma), exact.rbf(gamma)
        case "sigmoid":
            value = exact.sigmoid(gamma, coef0)
            return gm.SigmoidKernel(gamma, coef0), value, exact.sigmoid(gamma, abs(coef0))
        case "tanimoto":
            made = gm.TanimotoKernel(), exact.tanimoto
        case "dice":
            made = gm.DiceKernel(), exact.dice
        case "cosine":
            made = gm.CosineKernel(), exact.cosine
        case "table" if longest <= 60:
            made = _table(random, longest)
        case _:
            return _polynomial(random, 12 if longest > 60 else 60)
    return made[0], made[1], lambda m, x, s: abs(made[1](m, x, s))


def _sets(random: Random, count: int, longest: int, features: int) -> list[set[int]]:
    """Of few features that many have and many that few have."""
    lengths = random.integers(0, longest + 1, count)
    return [set((random.zipf(1.3, length) % features).tolist()) for length in lengths]


def case_of_sets(random: Random) -> Case:
    """Short rows, or a few of hundreds of features."""
    longest, features = (400, 700) if random.random() < 0.15 else (12, 40)
    count = int(random.choice([0, 1, 5, 40, 300])) if longest < 100 else 20
    support, queries = _sets(random, count, longest, features), _sets(random, 4, longest, features)
    if count and random.random() < 0.5:
        queries.append(set(support[0]))
        support[1::2] = support[0 : count - 1 : 2]  # in pairs, whose coefficients may cancel
    kernel, value, size = _set_kernel(random, longest)
    rows = partial(gm.ids, n_features=features)
    name, machine = _machine(random, kernel, rows([sorted(one) for one in support]))
    matrices = (
        [[of(len(x & s), len(x), len(s)) for s in support] for x in queries] for of in (cache(value), cache(size))
    )
    return Case(f"{kernel}, {name}", machine, rows([sorted(one) for one in queries]), *matrices)


def case_of_conjunctions(random: Random) -> Case:
    """Conjunctions that are given: 1 where all of their features are there."""
    support = _sets(random, int(random.choice([1, 30, 200])), int(random.choice([3, 9])), 20)
    queries = _sets(random, 4, 15, 20)
    kernel = gm.ConjunctionKernel()
    name, machine = _machine(random, kernel, gm.ids([sorted(one) for one in support], n_features=20))
    values = [[Fraction(s <= x) for s in support] for x in queries]
    return Case(f"{kernel}, {name}", machine, gm.ids([sorted(one) for one in queries], n_features=20), values, values)


# --- of trees ---------------------------------------------------------------------------------------------------------

_WIDEST = 4  # children: beyond, the partial tree kernel of fractions takes too long


def _tree(random: Random, largest: int) -> Any:
    """Any shape, a chain, or bushy all over."""
    size = int(random.integers(1, largest + 1))
    shape = random.choice(["any", "chain", "bushy"])
    parents = []
    for node in range(size - 1):
        free = [above for above in range(node + 1) if parents.count(above) < _WIDEST]
        parents.append({"any": int(random.choice(free)), "chain": node, "bushy": node // 2}[shape])
    labels = random.choice(["a", "b", "a*1", "c"], size=size, p=[0.55, 0.2, 0.15, 0.1]).tolist()
    return from_parents(parents, labels)


def _tree_kernel(random: Random) -> tuple[Any, Callable[[Any, Any], Fraction]]:
    decay = float(random.choice([1.0, 0.4, 0.1, 1e-6]))
    flags = [bool(flag) for flag in random.random(2) < 0.5]
    match random.choice(["st", "sst", "c", "lo", "ptk"]):
        case "st":
            made = gm.SubtreeKernel(decay), partial(oracle.subtree, decay=decay)
        case "sst":
            made = gm.SubsetTreeKernel(decay, leaves=flags[0]), partial(exact.subset_tree, decay=decay, leaves=flags[0])
        case "c":
            how = {"decay": decay, "marked": flags[0], "single_nodes": flags[1]}
            made = gm.ProductionTreeKernel(**how), partial(exact.production_tree, **how)
        case "lo":
            how = {"decay": decay, "marked": flags[0]}
            made = gm.OrderedTreeKernel(**how), partial(exact.ordered_tree, **how)
        case _:
            how = {"decay": decay, "mu": float(random.choice([1.0, 0.4, 1e-3])), "single_nodes": flags[0]}
            how["weighting"] = str(random.choice(["gap", "span-1", "span"]))
            made = gm.PartialTreeKernel(**how), partial(oracle.partial_tree, **how)
    return (gm.Normalized(made[0]), exact.normalised(made[1])) if random.random() < 0.4 else made


def _changed(random: Random, tree: Any) -> Any:
    """Like it but for a label."""
    below = list(oracle.children(tree))
    if not below or random.random() < 0.2:
        return oracle.node(str(random.choice(["a", "b", "unseen"])), below)
    at = int(random.integers(len(below)))
    below[at] = _changed(random, below[at])
    return oracle.node(oracle.label(tree), below)


def case_of_trees(random: Random) -> Case:
    """Trees and changed copies of them."""
    largest = int(random.choice([6, 20, 40]))
    count = int(random.choice([1, 4, 12]))
    support: Sequence[Any] = [_tree(random, largest) for _ in range(count)]
    if count > 1 and random.random() < 0.5:
        support[1::2] = support[0 : count - 1 : 2]
    queries = [_tree(random, largest), *(_changed(random, tree) for tree in support[:3])]
    kernel, value = _tree_kernel(random)
    forests = [gm.Forest.from_strings(to_strings(trees), marks=True) for trees in (support, queries)]
    name, machine = _machine(random, kernel, forests[0])
    one = cache(value)
    values = [[Fraction(one(x, s)) for s in support] for x in queries]
    return Case(f"{kernel}, {name}", machine, forests[1], values, values)


KINDS = {"sets": case_of_sets, "conjunctions": case_of_conjunctions, "trees": case_of_trees}
