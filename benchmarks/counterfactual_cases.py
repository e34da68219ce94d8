"""Machines whose decisions are asked about, and rows: census data, web pages, credit, links between words."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd

import gristmill as gm
from benchmarks import links
from benchmarks.corpus import treebank
from benchmarks.measure import corpora

C = {2: 0.01, 3: 0.001}
COUNTS = {"a9a": (20_000, 14), "w8a": (20_000, 0), "links": (20_000, 0)}  # examples to learn from
SEED = 0
# The attributes of a9a, by the last of their columns.
A9A = (5, 13, 18, 34, 39, 46, 60, 66, 71, 73, 75, 77, 82, 123)
TABLES = {"adult": ("income", {}), "german": ("Risk", {"sep": ";", "index_col": 0})}


@dataclass(frozen=True)
class Case:
    """A machine with its groups of columns, and rows it has not seen."""

    name: str
    degree: int
    explainer: gm.DecisionExplainer
    rows: list[Any]  # one by one, as the explainer reads them


def cases() -> dict[str, Callable[[int, int], Case]]:
    """By name, of a degree and so many rows."""
    found: dict[str, Callable[[int, int], Case]] = {name: partial(_binary, name) for name in ("a9a", "w8a")}
    found |= {name: partial(_table, name) for name in TABLES}
    return found | {"links": _links}


def _machine(X: Any, y: Any, degree: int) -> gm.Machine:
    return gm.KernelSVC(kernel="poly", degree=degree, gamma=1.0, coef0=1.0, C=C[degree]).fit(X, y).machine_


def _binary(name: str, degree: int, rows: int) -> Case:
    X, y = gm.read_svmlight(corpora() / "binary" / f"{name}.gz")
    order = np.random.default_rng(SEED).permutation(len(y))
    train, test = order[: COUNTS[name][0]], order[COUNTS[name][0] :][:rows]
    machine = _machine(X[train], y[train], degree)
    groups = None
    if name == "a9a":
        ends = [min(end, machine.n_features) for end in A9A]
        groups = {f"attribute {at}": list(range(*ends)) for at, ends in enumerate(pairwise([0, *ends]))}
    explainer = gm.DecisionExplainer(machine, groups)
    return Case(name, degree, explainer, [gm.ids([X[at].indices]) for at in test])


def _table(name: str, degree: int, rows: int) -> Case:
    target, reading = TABLES[name]
    table = pd.read_csv(corpora() / "tables" / f"{name}.csv.gz", **reading)
    order = np.random.default_rng(SEED).permutation(len(table))
    X, y = table.drop(columns=target).iloc[order], table[target].to_numpy()[order]
    n = min(4 * len(y) // 5, 20_000)
    encoder = gm.TableEncoder().fit(X[:n])
    machine = _machine(encoder.transform(X[:n]), y[:n], degree)
    explainer = gm.DecisionExplainer(machine, encoder)
    return Case(name, degree, explainer, [encoder.transform(X[at : at + 1]) for at in range(n, min(n + rows, len(y)))])


def _links(degree: int, rows: int) -> Case:
    """A group for each place of a feature: a word, a lemma or a tag here or there."""
    train, test = _named("train", COUNTS["links"][0]), _named("test", rows)
    places: dict[str, int] = {}
    lists = [[places.setdefault(name, len(places)) for name in names] for names, _ in train]
    machine = _machine(gm.ids(lists, len(places)), [label for _, label in train], degree)
    groups: dict[str, list[int]] = {}
    for name, column in places.items():
        groups.setdefault(re.split("=", name)[0], []).append(column)
    explainer = gm.DecisionExplainer(machine, groups)
    known = [[places[name] for name in names if name in places] for names, _ in test]
    return Case("links", degree, explainer, [gm.ids([row]) for row in known])


def _named(part: str, count: int) -> list[tuple[list[str], int]]:
    found = [(list(names), label) for names, label in _decisions(part)]
    chosen = np.random.default_rng(SEED).permutation(len(found))[:count]
    return [found[at] for at in chosen]


def _decisions(part: str) -> Iterator[Any]:
    for sentence in treebank(f"en_ewt-ud-{part}"):
        yield from links.decisions(sentence)
