"""Claim: rows and Gram matrices of tree kernels, 40 to 100 times as fast as SVM-light-TK, one thread.

A row is the kernel of one tree with all trees of the corpus; 500 rows of trees spread over it are asked for at once.
The Gram matrix counts as n (n + 1) / 2 evaluations; it goes to an array that is there already (fresh memory for it
takes the system 0.03 s at best, 0.5 s when it has none at hand). SVM-light-TK evaluates the same kernels when
svm_classify scores: its rate is support trees times trees scored by the CPU seconds it reports, files not counted. PTK
is capped at 5 children, as it is there. All kernels are normalised; our self-kernels are computed beforehand, theirs
are one evaluation in some thousand.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

import numpy as np

import gristmill as gm
from benchmarks.measure import Missing, Table, in_turn, record, seconds_of
from benchmarks.trees import GRCT, PTB, QC, TreeKernelProgram, trees_of
from gristmill.kernels import TreeKernel, TreeRows

ROUNDS = 5
ROWS = 500
CORPORA = {
    "QC": (QC, 2000, 500),
    "grct": (GRCT, 2000, 500),
    "PTB": (PTB, 1000, 200),
}  # support and queries for the peer
KERNELS = {"SST": gm.SubsetTreeKernel(), "PTK": gm.PartialTreeKernel(max_children=5)}
OTHERS = {
    "ST": gm.SubtreeKernel(),
    "SST-bow": gm.SubsetTreeKernel(leaves=True),
    "PTK, any number of children": gm.PartialTreeKernel(),
    "uPTK": gm.PartialTreeKernel(single_nodes=False),
    "K_lo": gm.OrderedTreeKernel(),
    "K_c": gm.ProductionTreeKernel(),
    "K_lo^r": gm.OrderedTreeKernel(marked=True),
    "K_c^r": gm.ProductionTreeKernel(marked=True),
}


def main(corpora: Mapping[str, tuple[str, int, int]] = CORPORA, rounds: int = ROUNDS) -> None:
    program = _peer()
    rows, raw = [], {}
    with tempfile.TemporaryDirectory() as folder:
        for corpus, (path, n_support, n_queries) in corpora.items():
            trees = trees_of(path)
            for name, kernel in KERNELS.items():
                clocks = _clocks(_provider(kernel, trees))
                if program is not None:
                    sample = trees[:n_support], trees[-n_queries:]
                    _compare(program, kernel, *sample, Path(folder))
                    clocks["peer"] = partial(_peer_seconds, program, kernel, *sample, Path(folder))
                timings = in_turn(clocks, rounds)
                raw[f"{corpus} {name}"] = timings
                rates = {side: 1e-6 / timing.median for side, timing in timings.items()}
                peer = rates.get("peer")
                ratios = ["", "", ""]
                if peer is not None:
                    ratios = [f"{peer:.2f}", f"{rates['rows'] / peer:.0f}x", f"{rates['gram'] / peer:.0f}x"]
                own = [f"{rates[side]:.1f}" for side in ("rows", "rows 2", "gram", "gram 2")]
                rows.append([corpus, name, len(trees), *own, *ratios])
    columns = ["corpus", "kernel", "trees", "rows", "rows, 2 threads", "Gram", "Gram, 2 threads"]
    columns += ["SVM-light-TK", "rows beside it", "Gram beside it"]
    notes = [
        f"Millions of kernel evaluations a second; medians of {rounds} rounds, all sides in turn.",
        __doc__.partition("\n\n")[2].replace("\n", " ").strip(),
    ]
    more = [_others(min(rounds, 3)), _by_size()]
    record("tree_rows", "Tree kernels: rows and Gram matrices", columns, rows, notes, raw, more=more)


def quick() -> None:
    """A look in a minute or so."""
    main({"QC": (QC, 200, 50)}, 1)


def _peer() -> TreeKernelProgram | None:
    try:
        return TreeKernelProgram.find()
    except Missing as reason:
        print(f"without the peer: {reason}")
        return None


def _peer_seconds(
    program: TreeKernelProgram, kernel: TreeKernel, support: list[str], queries: list[str], folder: Path
) -> float:
    """Seconds an evaluation."""
    return program.classify(gm.Normalized(kernel), support, queries, folder)[0] / (len(support) * len(queries))


def _provider(kernel: TreeKernel, trees: list[str]) -> TreeRows:
    provider = TreeRows(kernel, gm.Forest.from_strings(trees, marks=kernel.marked), normalised=True)
    assert len(provider.scale) == len(trees)  # computed once, here
    return provider


def _clocks(provider: TreeRows) -> dict[str, Callable[[], float]]:
    """Seconds an evaluation."""
    n = len(provider)
    some = np.linspace(0, n - 1, ROWS).astype(np.intp)
    pairs = n * (n + 1) / 2
    out = np.zeros((n, n))
    return {
        "rows": lambda: seconds_of(lambda: provider.take(some)) / (ROWS * n),
        "rows 2": lambda: seconds_of(lambda: provider.take(some, n_jobs=2)) / (ROWS * n),
        "gram": lambda: seconds_of(lambda: provider.gram(out=out)) / pairs,
        "gram 2": lambda: seconds_of(lambda: provider.gram(n_jobs=2, out=out)) / pairs,
    }


def _compare(
    program: TreeKernelProgram, kernel: TreeKernel, support: list[str], queries: list[str], folder: Path
) -> None:
    """Sums of kernel values, theirs and ours."""
    theirs = program.classify(gm.Normalized(kernel), support, queries, folder)[1]
    ours = gm.Normalized(kernel)(queries, support).sum(axis=1)
    np.testing.assert_allclose(theirs, ours, rtol=1e-4)


def _others(rounds: int) -> Table:
    trees = trees_of(QC)
    marked = _marked(trees)
    rows = []
    for name, kernel in OTHERS.items():
        timings = in_turn(_clocks(_provider(kernel, marked if kernel.marked else trees)), rounds)
        rates = [1e-6 / timings[side].median for side in ("rows", "rows 2", "gram", "gram 2")]
        rows.append([name, *(f"{rate:.1f}" for rate in rates)])
    title = "Other kernels on QC (the first NP of every tree is marked), millions of evaluations a second"
    return Table(title, ["kernel", "rows", "rows, 2 threads", "Gram", "Gram, 2 threads"], rows)


def _by_size() -> Table:
    """Pair by pair, as the definition says: pairs with equal labels are looked up, so time grows with the nodes."""
    forest = gm.Forest.from_strings(trees_of(PTB))
    nodes = forest.sizes()[0]
    rows = []
    for low in (20, 40, 80, 160):
        some = forest[np.flatnonzero((nodes >= low) & (nodes < low * 1.25))[:60]]
        pairs, size = len(some) ** 2, float(some.sizes()[0].mean())
        row = [f"{low} to {low * 1.25:g}", f"{size:.0f}"]
        for kernel in (gm.SubsetTreeKernel(), gm.PartialTreeKernel()):
            seconds = in_turn({"direct": partial(seconds_of, partial(kernel.direct, some))}, 3)["direct"].median / pairs
            row += [f"{seconds * 1e6:.2f}", f"{seconds * 1e9 / size:.0f}"]
        rows.append(row)
    columns = ["nodes", "average", "SST, us a pair", "ns a node", "PTK, us a pair", "ns a node"]
    return Table("By the definition, pairs of trees of one size (PTB)", columns, rows)


def _marked(trees: list[str]) -> list[str]:
    return [tree.replace("(NP ", "(NP*1 ", 1) for tree in trees]


if __name__ == "__main__":
    main()
