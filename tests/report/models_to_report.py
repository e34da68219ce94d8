"""Small models of every kind, and data to report on them."""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np

import gristmill as gm
from gristmill.apps import TreeClassifier
from gristmill.machines.probability import Density, Sigmoid

NASTY = ["<script>alert(1)</script>", "a & b", "</table>", 'say "hi"', "naïve  名前", "\x00\ud800", "$x_1$", "f7"]
TREES = [
    f"(S (NP (D {d}) (N {n})) (VP (V {v})))"
    for d in ("the", "a")
    for n in ("dog", "cat", "cow", "hen")
    for v in ("eats", "runs")
]
PLACES = ["farm" if "cow" in tree or "hen" in tree else "house" for tree in TREES]


class Task(NamedTuple):
    """A model, examples and what is true of them."""

    model: Any
    X: Any
    y: Any


@cache
def task(kind: str) -> Task:
    """Made once; see the functions below."""
    made: Task = globals()[f"make_{kind}"]()
    return made


def rows(n: int = 60) -> np.ndarray:
    return (np.random.default_rng(0).random((n, 8)) < 0.4).astype(float)


def machine(outputs: int, classes: Any, scheme: str | None = None, **more: Any) -> gm.Machine:
    coef = np.random.default_rng(1).normal(size=(12, outputs)).round(2)
    names = {"feature_names": NASTY} | more
    return gm.Machine(gm.PolynomialKernel(2), rows()[:12], coef, np.zeros(outputs), classes, scheme, **names)


def chosen(classes: list[Any]) -> list[Any]:
    return [classes[at] for at in np.random.default_rng(2).integers(0, len(classes), 60)]


def make_binary() -> Task:
    return Task(machine(1, ["<b>no</b>", "yes & no"]), rows(), chosen(["<b>no</b>", "yes & no"]))


def make_probable() -> Task:
    probability = Sigmoid(np.array([-0.5]), np.array([0.1]))
    return Task(machine(1, [-1, 1], probability=probability), rows(), chosen([-1, 1]))


def make_rest() -> Task:
    return Task(machine(4, list("abcd"), "ovr"), rows(), chosen(list("abcde")))


def make_probable_rest() -> Task:
    probability = Sigmoid(np.full(3, -0.5), np.zeros(3))
    return Task(machine(3, [1, 2, 3], "ovr", probability=probability), rows(), chosen([1, 2, 3]))


def make_pairs() -> Task:
    return Task(machine(6, list("abcd"), "ovo"), rows(), chosen(list("abcd")))


def make_values() -> Task:
    made = machine(1, None)
    noise = np.random.default_rng(3).normal(size=60)
    return Task(made, rows(), made.compile().decision_function(rows()) + noise)


def make_many_values() -> Task:
    return Task(machine(2, None), rows(), np.zeros(60))


def make_outliers() -> Task:
    density = Density(np.linspace(-1, 1, 10))
    return Task(machine(1, [-1, 1], "one-class", probability=density), rows(), None)


def make_known_outliers() -> Task:
    return Task(machine(1, [-1, 1], "one-class"), rows(), chosen([-1, 1]))


def make_real() -> Task:
    X = rows() * np.random.default_rng(4).integers(1, 4, size=(60, 8)) / 2
    coef = np.random.default_rng(1).normal(size=12)
    return Task(gm.Machine(gm.PolynomialKernel(2), X[:12], coef, 0.0, [0, 1]), X, chosen([0, 1]))


def make_linear() -> Task:
    return Task(gm.Machine(gm.PolynomialKernel(1), rows()[:5], np.ones(5), -9.0, [0, 1]), rows(), chosen([0, 1]))


def make_unseen() -> Task:
    """Features that the machine has never seen."""
    made = machine(1, [0, 1], feature_names=None)
    return Task(made, np.column_stack([rows(), rows()]), chosen([0, 1]))


def make_approximate() -> Task:
    return Task(machine(1, [0, 1]).compile("expanded", sigma=0.5), rows(), chosen([0, 1]))


def make_unlabelled() -> Task:
    return Task(machine(4, list("abcd"), "ovr"), rows(), None)


def make_many_classes() -> Task:
    """As many as there are tags of chunks, with names that are as long as such things get."""
    classes = [f"{'BI'[at % 2]}-{'phrase-of-a-kind-' * (at % 3)}{at}" for at in range(22)]
    return Task(machine(22, classes, "ovr"), rows(), chosen(classes))


def make_single() -> Task:
    """One example."""
    return Task(machine(1, [0, 1]), rows(1), [1])


def make_one_class() -> Task:
    """All examples are of one class."""
    return Task(machine(1, [0, 1]), rows(), np.ones(60))


def make_trees() -> Task:
    kernel = gm.Normalized(gm.SubsetTreeKernel(0.5))
    return Task(gm.Machine(kernel, TREES[:4], [1.0, -1.0, 0.5, -0.5], 0.1, ["house", "farm"]), TREES, PLACES)


def make_compiled_trees() -> Task:
    made = make_trees()
    return Task(made.model.compile("forest"), made.X, made.y)


def make_classifier() -> Task:
    return Task(TreeClassifier().fit(TREES, PLACES), TREES, ["farm", *PLACES[1:]])


def make_bag() -> Task:
    """Of words alone."""
    return Task(TreeClassifier(word_weight=1.0).fit(TREES, PLACES), TREES, ["farm", *PLACES[1:]])


def table(n: int = 200) -> list[dict[str, Any]]:
    draw = np.random.default_rng(3)
    return [{name: float(draw.integers(0, 9)) for name in NASTY} | {"kind": NASTY[at % 3]} for at in range(n)]


def make_table() -> Task:
    X = table()
    y = ["<b>no</b>" if row[NASTY[0]] * row[NASTY[1]] > 15 or row["kind"] == NASTY[0] else "yes" for row in X]
    return Task(gm.TableClassifier(bins=4, degree=2, C=1.0).fit(X, y), X, y)


def make_table_of_three() -> Task:
    X = table()
    y = [str(int(row[NASTY[0]]) // 3) for row in X]
    return Task(gm.TableClassifier(bins=4, degree=2, C=1.0).fit(X, y).machine_, X, y)


def make_tree_values() -> Task:
    return Task(gm.Machine(gm.PartialTreeKernel(0.5), TREES[:2], [0.1, 0.2], 0.1), TREES, np.arange(16.0))


KINDS = sorted(name.removeprefix("make_") for name in dict(globals()) if name.startswith("make_"))
