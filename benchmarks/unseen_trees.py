"""Claim: unseen trees are scored 1,000 times as fast as by svm_classify of SVM-light-TK, 40,000 support trees.

The support trees are candidates of semantic role labelling, with marks, chosen at random from the training part, with
random coefficients; the trees scored are from another part. SVM-light-TK scores 50 of them with the same support trees
and reports CPU seconds without files. *One by one* is a call for each tree.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

import gristmill as gm
from benchmarks.measure import in_turn, record, seconds_of
from benchmarks.operators import find_peer, seconds_by_peer
from benchmarks.srl import boundary_examples
from benchmarks.trees import TreeKernelProgram
from gristmill.kernels import Kernel
from gristmill.scoring.scorer import Scorer

ROUNDS = 5
POOL, SUPPORT, UNSEEN, ALONE, COMPARED, QUERIES = 1_000_000, 40_000, 10_000, 500, 100, 50
DATA = {"WSJ": ("wsj_delex.train_02-21", "wsj_delex.dev_24"), "EWT": ("ewt.train", "ewt.dev")}
KERNELS: dict[str, Kernel] = {
    "SST": gm.SubsetTreeKernel(decay=0.4),
    "SST, normalised": gm.Normalized(gm.SubsetTreeKernel(decay=0.4)),
    "PTK": gm.PartialTreeKernel(max_children=5),
}
COLUMNS = ["examples", "kernel", "known, %", "in a batch, us a tree", "2 threads", "one by one", "svm_classify"]
COLUMNS += ["batch beside it", "one by one beside it"]


def main(pool: int = POOL, n_support: int = SUPPORT, n_unseen: int = UNSEEN) -> None:
    program = find_peer()
    rows, raw = [], {}
    for data, (train, test) in DATA.items():
        support, unseen = _some(train, pool, n_support, 1), _some(test, pool, n_unseen, 2)
        known = 100 * _known(unseen, support) / len(unseen)
        for name, kernel in KERNELS.items():
            clocks = _clocks(_scorer(kernel, support), unseen)
            if program is not None:
                clocks["peer"] = partial(_peer_seconds, program, kernel, support, unseen[:QUERIES])
            raw[f"{data}, {name}"] = timings = in_turn(clocks, ROUNDS)
            each = {side: 1e6 * timing.median for side, timing in timings.items()}
            cells = [f"{each[side]:,.2f}" if side in each else "" for side in ("batch", "batch 2", "alone", "peer")]
            ratios = [f"{each['peer'] / each[side]:,.0f}x" if "peer" in each else "" for side in ("batch", "alone")]
            rows.append([data, name, f"{known:.0f}", *cells, *ratios])
    notes = [
        f"Medians of {ROUNDS} rounds, all sides in turn, one thread unless two are named. *known*: trees that are "
        "among the support trees.",
        __doc__.partition("\n\n")[2].replace("\n", " ").strip(),
        "PTK is capped at 5 children, as it is there.",
    ]
    record("unseen_trees", f"{n_unseen:,} unseen trees, {n_support:,} support trees", COLUMNS, rows, notes, raw)


def quick() -> None:
    """A look in a minute or so."""
    main(20_000, 2_000, 500)


def _clocks(scorer: Scorer, unseen: gm.Forest) -> dict[str, Callable[[], float]]:
    """Seconds a tree, after comparing the answers."""
    _compare(scorer, unseen)
    alone = _apart(unseen[:ALONE])
    return {
        "batch": lambda: seconds_of(lambda: scorer.decision_function(unseen, n_jobs=1)) / len(unseen),
        "batch 2": lambda: seconds_of(lambda: scorer.decision_function(unseen, n_jobs=2)) / len(unseen),
        "alone": lambda: seconds_of(lambda: _one_by_one(scorer, alone)) / len(alone),
    }


def _peer_seconds(program: TreeKernelProgram, kernel: Kernel, support: gm.Forest, queries: gm.Forest) -> float:
    return seconds_by_peer(program, kernel, support, queries) * len(support)


def _some(name: str, pool: int, number: int, seed: int) -> gm.Forest:
    forest = boundary_examples(name, pool, marks=True)[0]
    chosen = np.random.default_rng(seed).choice(len(forest), min(number, len(forest)), replace=False)
    return _own(forest[chosen])


def _own(forest: gm.Forest) -> gm.Forest:
    """The same trees in a store that holds no others, as if they had just been read."""
    return gm.Forest.from_flat(*forest.flat())


def _apart(forest: gm.Forest) -> list[gm.Forest]:
    return [_own(forest[number : number + 1]) for number in range(len(forest))]


def _known(unseen: gm.Forest, support: gm.Forest) -> int:
    known = set(support)
    return sum(tree in known for tree in unseen)


def _scorer(kernel: Kernel, support: gm.Forest) -> Scorer:
    coef = np.random.default_rng(3).normal(size=len(support))
    return gm.Machine(kernel, support, coef, 0.0, classes=[-1, 1]).compile()


def _compare(scorer: Scorer, unseen: gm.Forest) -> None:
    """Scores are the definition's within 1e-9 of sum_i |a_i| k(s_i, x), in a batch and alone."""
    machine, some = scorer.machine, unseen[:COMPARED]
    scores = scorer.decision_function(unseen)
    kernels = machine.kernel.rows(machine.support).against(some)
    coef = np.ravel(machine.dense_coef())
    assert np.all(np.abs(scores[: len(some)] - kernels @ coef) <= 1e-9 * (np.abs(kernels) @ np.abs(coef)))
    alone = np.concatenate(_one_by_one(scorer, _apart(some)))
    assert np.all(np.abs(alone - kernels @ coef) <= 1e-9 * (np.abs(kernels) @ np.abs(coef)))


def _one_by_one(scorer: Scorer, trees: list[gm.Forest]) -> list[Any]:
    return [scorer.decision_function(tree) for tree in trees]


if __name__ == "__main__":
    main()
