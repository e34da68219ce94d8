"""Claim reported as it falls: K_lo^r beats K_c^r at naming roles (Kazama and Torisawa 2005, section 5.3, Table 4).

For each role the trees of the training, development and test part are converted together, once for each kernel. Decay
and C are chosen by F1 on the development part; F1 on the test part is what counts. As in the paper, only arguments of
predicates that have the role are judged.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import gristmill as gm
from benchmarks.measure import Table, record
from benchmarks.relations import FAMILIES, WORDS, Relations, marked_kernel, relations
from gristmill.display.charts import Plot

ROLES = ("ARG1", "ARG2", "ARGM-ADV", "ARGM-LOC")
POSITIVES = 4000
DECAYS = (0.1, 0.2, 0.3)
COSTS = (2.0, 7.0, 24.0, 83.0, 290.0, 1000.0)
PARTS = (WORDS, "ewt.dev", "ewt.test")
MAX_STEPS = 1_000_000
MEMORY = 8 << 30
COLUMNS = [
    *("role", "kernel", "positives", "examples", "decay", "C", "F1 (dev)", "F1 (test)"),
    *("conversion, s", "all trainings, s", "judging, s", "settings"),
]


@dataclass(frozen=True)
class Setting:
    """One decay and C: F1 on the development and on the test part."""

    decay: float
    C: float
    development: float
    test: float


@dataclass(frozen=True)
class Outcome:
    """A grid for one role and kernel, from one conversion."""

    role: str
    kernel: str
    parts: list[Relations]
    settings: list[Setting]
    conversion: float
    training: float
    judging: float

    @property
    def best(self) -> Setting:
        """On the development part; the first of equals."""
        return max(self.settings, key=lambda setting: setting.development)

    def row(self) -> list[Any]:
        return [
            *(self.role, self.kernel, f"{self.parts[0].positives:,}", f"{len(self.parts[0].labels):,}"),
            *(self.best.decay, self.best.C, f"{100 * self.best.development:.2f}", f"{100 * self.best.test:.2f}"),
            *(f"{self.conversion:.1f}", f"{self.training:.1f}", f"{self.judging:.1f}", len(self.settings)),
        ]


def main(
    roles: Sequence[str] = ROLES,
    positives: int = POSITIVES,
    decays: Sequence[float] = DECAYS,
    costs: Sequence[float] = COSTS,
) -> None:
    found = []
    for role in roles:
        parts = [relations(name, role, positives if name == WORDS else None) for name in PARTS]
        for kernel in FAMILIES:
            found.append(grid(role, kernel, parts, decays, costs))
            print(*found[-1].row(), flush=True)
    record(
        "role_kernels",
        "Kernels for naming roles",
        COLUMNS,
        [one.row() for one in found],
        [
            f"PropBank on EWT, whole sentences, words in lower case, {POSITIVES:,} positives or all there are; "
            "settings chosen on the development part. One conversion of all three parts serves every decay. Seconds by "
            "the wall clock, two threads.",
            "*all trainings*: a path of C for each decay, every solution from the one before. *judging*: development "
            "and test part for every setting, from the same conversion (section 4.5).",
        ],
        {f"{one.role} {one.kernel}": one.settings for one in found},
        more=[_differences(found, roles)],
        plots=[_plot(found, role) for role in roles],
    )


def grid(role: str, name: str, parts: list[Relations], decays: Sequence[float], costs: Sequence[float]) -> Outcome:
    begin = time.perf_counter()
    learn, develop, test = joint(parts, name)
    conversion = time.perf_counter() - begin
    settings, training, judging = [], 0.0, 0.0
    for decay in decays:
        kernel = gm.Normalized(marked_kernel(name, decay))
        clf = gm.KernelSVC(kernel, max_iter=MAX_STEPS, warm_start=True, max_bytes=MEMORY, n_jobs=2)
        for C in costs:
            begin = time.perf_counter()
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", gm.ConvergenceWarning)  # the paper, too, stops after a million steps
                clf.set_params(C=C).fit(learn, parts[0].labels)
            training += time.perf_counter() - begin
            begin = time.perf_counter()
            scores = [
                f1(clf.predict(trees), part.labels) for trees, part in zip((develop, test), parts[1:], strict=True)
            ]
            judging += time.perf_counter() - begin
            settings.append(Setting(decay, C, *scores))
    return Outcome(role, name, parts, settings, conversion, training, judging)


def joint(parts: list[Relations], name: str) -> list[gm.ConvertedForest]:
    """The parts, converted together."""
    trees = parts[0].trees + parts[1].trees + parts[2].trees
    converted = gm.ConvertedForest(trees, marked_kernel(name), max_bytes=MEMORY, n_jobs=2)
    ends = np.cumsum([len(part.trees) for part in parts])
    return [converted[end - len(part.trees) : end] for end, part in zip(ends, parts, strict=True)]


def f1(found: NDArray[Any], gold: NDArray[np.int8]) -> float:
    right = int(((found > 0) & (gold > 0)).sum())
    return 2 * right / max(int((found > 0).sum()) + int((gold > 0).sum()), 1)


def _differences(found: list[Outcome], roles: Sequence[str]) -> Table:
    rows = []
    for role in roles:
        ordered, production = (one.best for one in found if one.role == role)
        by = 100 * (ordered.test - production.test)
        rows.append([role, f"{by:+.2f}", "K_lo^r" if by > 0 else "K_c^r" if by < 0 else "neither"])
    return Table("F1 (test) of K_lo^r beyond that of K_c^r", ["role", "points", "ahead"], rows)


def _plot(found: list[Outcome], role: str) -> Plot:
    """F1 on the development part against C, the best decay of each."""
    series = {
        f"{one.kernel}, decay {one.best.decay}": [
            (setting.C, 100 * setting.development) for setting in one.settings if setting.decay == one.best.decay
        ]
        for one in found
        if one.role == role
    }
    return Plot(role.lower(), f"{role}: F1 on the development part", "C", "F1, %", series, log_x=True)
