"""The same bits on every machine. The digests were made by the plain build; builds with instruction set variants
must give them too (make check runs this file on a build without variants)."""

from __future__ import annotations

import hashlib
from functools import cache

import numpy as np
import pytest

import gristmill as gm

SUPPORT, QUERIES, FEATURES, ACTIVE = 4000, 300, 500, 20


@cache
def numbers(count, seed):
    """Pseudo-random integers below 2^31, by a rule that no library can change."""
    state, made = seed, []
    for _ in range(count):
        state = (1103515245 * state + 12345) % 2**31
        made.append(state >> 8)
    return np.array(made)


@cache
def rows(count, seed):
    """Rows in which low ids are frequent: byte columns, postings and unseen features all occur."""
    drawn = numbers(count * ACTIVE, seed).reshape(count, ACTIVE)
    ids = (drawn % FEATURES) * (drawn // FEATURES % FEATURES) // FEATURES
    return gm.ids(set(row) for row in ids.tolist())


@pytest.mark.parametrize(
    ("engine", "outputs", "digest"),
    [
        ("direct", 1, "5f960e0b669275bd"),
        ("direct", 11, "b3ee65a5c051c04b"),
        ("inverted", 1, "69ed0fb49597a803"),
        ("inverted", 11, "d11ea8559c03083a"),
        ("expanded", 1, "f11eb0aae21b8238"),
        ("expanded", 11, "a8593fbe04af7f95"),
        ("split", 1, "56b1f4c297495180"),
        ("split", 11, "d8399215acc9e690"),
    ],
)
@pytest.mark.parametrize("n_jobs", [1, 3])
def test_scores_have_the_bits_they_always_had(engine, outputs, digest, n_jobs):
    coef = (numbers(SUPPORT * outputs, 7).reshape(SUPPORT, outputs) - 2**22) / 3.0
    machine = gm.Machine(gm.PolynomialKernel(3, 0.7, 1.1), rows(SUPPORT, 1), coef, np.arange(outputs) / 7)
    scores = machine.compile(engine).decision_function(rows(QUERIES, 2), n_jobs)
    assert hashlib.sha256(scores.astype("<f8").tobytes()).hexdigest()[:16] == digest


def test_gram_matrices_have_the_bits_they_always_had():
    gram = gm.PolynomialKernel(4, 0.3, 0.9)(rows(200, 3), rows(SUPPORT, 1), n_jobs=2)
    assert hashlib.sha256(gram.astype("<f8").tobytes()).hexdigest()[:16] == "948ae1f46a018c6e"


@pytest.mark.parametrize(
    ("kernel", "digest"),
    [
        (gm.TanimotoKernel(), "a79854b782da01c0"),
        (gm.CosineKernel(), "a9c5595fbf8c547d"),
        (gm.DiceKernel(), "119bb3eb9e34b7cb"),
    ],
    ids=["tanimoto", "cosine", "dice"],
)
@pytest.mark.parametrize("n_jobs", [1, 3])
def test_kernels_of_sets_have_the_bits_they_always_had(kernel, digest, n_jobs):
    """Those of plain arithmetic: the last bits of rbf and sigmoid are those of the system's exp and tanh."""
    found = [kernel(rows(200, 3), rows(SUPPORT, 1), n_jobs=n_jobs)]
    for outputs in (1, 3):
        coef = (numbers(SUPPORT * outputs, 7).reshape(SUPPORT, outputs) - 2**22) / 3.0
        machine = gm.Machine(kernel, rows(SUPPORT, 1), coef, np.arange(outputs) / 7)
        for engine in ("direct", "inverted"):
            found.append(machine.compile(engine).decision_function(rows(QUERIES, 2), n_jobs))
    assert digest_of(*found) == digest


def digest_of(*arrays):
    """Of the numbers, not of their types."""
    found = hashlib.sha256()
    for array in arrays:
        numbers_of = np.ascontiguousarray(array)
        found.update(numbers_of.astype("<f8" if numbers_of.dtype.kind == "f" else "<i8").tobytes())
    return found.hexdigest()[:16]


def tree_text(drawn, depth=0):
    """A tree of pseudo-random shape: many subtrees are shared, some labels are marked."""
    kind = next(drawn)
    label = "SNVPD"[kind % 5]
    if depth == 4 or kind % 4 == 0:
        return f"({label} {'abcdef'[next(drawn) % 6]})"
    mark = "*1" if kind % 16 == 1 else ""
    return f"({label}{mark} {' '.join(tree_text(drawn, depth + 1) for _ in range(1 + kind % 3))})"


def trees(count, seed):
    drawn = iter(numbers(1000 * count, seed).tolist())
    return gm.Forest.from_strings([tree_text(drawn) for _ in range(count)], marks=True)


TREE_KERNELS = {
    "st": gm.SubtreeKernel(0.4),
    "sst": gm.SubsetTreeKernel(0.4),
    "sst-bow": gm.SubsetTreeKernel(0.4, leaves=True),
    "ptk": gm.PartialTreeKernel(0.4, 0.4),
    "uptk": gm.PartialTreeKernel(0.3, 0.5, single_nodes=False, max_children=2),
    "lo": gm.OrderedTreeKernel(0.2),
    "lo-marked": gm.OrderedTreeKernel(0.2, marked=True),
    "c": gm.ProductionTreeKernel(0.2),
    "c-marked": gm.ProductionTreeKernel(0.2, marked=True, single_nodes=True),
    "sum": gm.Normalized(gm.SubsetTreeKernel(0.4)) + 0.5 * gm.PartialTreeKernel(0.2, 0.4, weighting="span"),
}


COLUMNS = 3  # of coefficients
QUERY_TREES = 40


@pytest.mark.parametrize(
    ("name", "digest"),
    [
        ("st", "ef13b0d385d05667"),
        ("sst", "41d642ec7be0a66c"),
        ("sst-bow", "51fa2d95a1da44d5"),
        ("ptk", "4e9430276adf28be"),
        ("uptk", "fe9634d569d78e94"),
        ("lo", "2428e3440fa77948"),
        ("lo-marked", "4e3a0ff416785229"),
        ("c", "5a81a27dda2ef3ae"),
        ("c-marked", "63049518bfb5ed4d"),
        ("sum", "370944e4e7043ec5"),
    ],
)
@pytest.mark.parametrize("n_jobs", [1, 3])
def test_tree_kernels_have_the_bits_they_always_had(name, digest, n_jobs):
    kernel, support, queries = TREE_KERNELS[name], trees(120, 5), trees(QUERY_TREES, 6)
    coef = (numbers(len(support) * COLUMNS, 8).reshape(-1, COLUMNS) - 2**22) / 3.0
    machine = gm.Machine(kernel, support, coef, np.arange(COLUMNS) / 7)
    scores = [machine.compile(engine).decision_function(queries, n_jobs) for engine in ("direct", "forest")]
    found = [kernel(support, n_jobs=n_jobs), kernel(queries, support, n_jobs=n_jobs), kernel.diag(queries), *scores]
    assert digest_of(*found, kernel.operator(support, n_jobs=n_jobs) @ coef) == digest


@pytest.mark.parametrize(
    ("options", "digest"),
    [
        ({"solver": "smo"}, "e74c6c1af737bde7"),
        ({"solver": "dual-cd"}, "8f57f07692a479bf"),
        ({"solver": "cutting-plane"}, "a63dff0eb217411a"),
        ({"kernel": "tanimoto", "solver": "smo"}, "a77dfeae77a0dd2d"),
        ({"kernel": "cosine", "solver": "smo"}, "5caeb5433d9b727d"),
        ({"kernel": "dice", "solver": "cutting-plane"}, "c7d987cccf9451dd"),
        ({"kernel": "sst", "solver": "smo"}, "521fa0c9b6e158db"),
        ({"kernel": "ptk", "solver": "cutting-plane"}, "99916d8dda2062f4"),
        ({"kernel": "lo-marked", "solver": "smo", "convert": True}, "382c4ec37eeef76b"),
    ],
)
def test_solvers_find_the_bits_they_always_found(options, digest):
    is_rows = options.get("kernel", "poly") in ("poly", "tanimoto", "cosine", "dice")
    X = rows(300, 9) if is_rows else trees(150, 9)
    queries = rows(50, 17) if is_rows else trees(50, 17)
    y = numbers(len(X), 10) % 3
    clf = gm.KernelSVC(**options, C=0.5, max_iter=60 if options["solver"] == "cutting-plane" else -1).fit(X, y)
    machine = clf.machine_
    coef = machine.coef.toarray() if hasattr(machine.coef, "toarray") else machine.coef
    assert digest_of(coef, machine.intercept, clf.decision_function(queries)) == digest


@pytest.mark.parametrize(
    ("options", "digest"),
    [
        ({"engine": "inverted"}, "6cff9c24beef0f26"),
        ({"engine": "slice"}, "6cff9c24beef0f26"),
        ({"engine": "push", "degree": 3}, "53c1b24b6a5a3174"),
        ({"averaged": False, "engine": "expanded", "arithmetic": "double", "C": 0.3}, "b22ac2ec2e76900d"),
    ],
)
def test_online_learners_find_the_bits_they_always_found(options, digest):
    X, y, queries = rows(600, 11), numbers(600, 12) % 4, rows(50, 17)
    clf = gm.OnlineKernelClassifier(**{"degree": 2, "C": 0.1, "epochs": 3, **options}).fit(X, y)
    coef = clf.machine_.coef
    assert digest_of(coef.toarray() if hasattr(coef, "toarray") else coef, clf.decision_function(queries)) == digest


def test_explanations_have_the_bits_they_always_had():
    coef = (numbers(SUPPORT * 2, 7).reshape(SUPPORT, 2) - 2**22) / 3.0
    machine = gm.Machine(gm.PolynomialKernel(3, 0.7, 1.1), rows(SUPPORT, 1), coef, np.arange(2) / 7)
    explained = gm.explain(machine, rows(20, 2), interactions=True, n_jobs=2)
    parts = [part for one in explained for part in (one.base, one.values, one.interactions)]
    rules = gm.explain(machine, top=50, output=0)
    weights = np.array([(rule.weight, rule.support, rule.positive, rule.negative) for rule in rules])
    assert digest_of(*parts, weights) == "0728d23981a93d03"


@pytest.mark.parametrize(
    ("name", "digest"),
    [
        ("sst", "3cf2e151eb581f23"),
        ("ptk", "6d54abb0c5ce2018"),
        ("lo-marked", "0a5165284ed2f768"),
        ("c-marked", "0faace498b6c0743"),
    ],
)
def test_explanations_of_trees_have_the_bits_they_always_had(name, digest):
    support, queries = trees(60, 13), trees(10, 14)
    machine = gm.Machine(TREE_KERNELS[name], support, (numbers(60, 15) - 2**22) / 3.0, 0.5)
    nodes = [one.shares(0, kind) for one in gm.explain(machine, queries) for kind in ("rooted", "shared")]
    fragments = gm.explain(machine, top=40)
    assert digest_of(*nodes, [(one.weight, one.support, one.occurrences) for one in fragments]) == digest


@pytest.mark.parametrize(
    ("name", "digest"),
    [
        ("lo", "df6c1b75fe1cd8e0"),
        ("c-marked", "bc023b9d006258d3"),
        ("sst", "1f4aac460941bc9a"),
    ],
)
def test_converted_trees_have_the_bits_they_always_had(name, digest):
    converted = gm.ConvertedForest(trees(80, 16), TREE_KERNELS[name], n_jobs=2)
    assert digest_of(TREE_KERNELS[name](converted, n_jobs=2), converted.malicious, [converted.stats.patterns]) == digest
