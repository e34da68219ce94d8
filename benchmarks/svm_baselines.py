"""Claim: fast training leaves no reason for the shortcuts that the papers compare with.

BaseNP decisions: engines of the exact machine (PKB, PKI, kernel expansion, PKE, splitSVM) beside linear and
semi-polynomial machines; one machine for all examples beside one per value of a feature; features and conjunctions
pruned before training beside after. Goldberg and Elhadad 2008 say about these: splitting and semi-polynomial machines
are less accurate, and pruning before training hurts more than after.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

import gristmill as gm
from benchmarks import conll
from benchmarks.classical import (
    ENGINES,
    PRUNED_AWAY,
    SemiPolynomialSVC,
    SplitSVC,
    best_penalty,
    linear,
    polynomial,
    pruned,
)
from benchmarks.corpus import chunked
from benchmarks.examples import Data, sample
from benchmarks.measure import Table, alternate, record, seconds_of
from benchmarks.svm_expansion import Mined
from gristmill.display.charts import Plot

ROUNDS = 3
COLUMNS = [
    *("method", "degree", "C", "train, s", "compile, s", "support rows", "features or conjunctions", "MB"),
    *("us an example", "accuracy, %", "labels unlike exact, %"),
]
SPLIT_COLUMNS = [
    *("split by", "degree", "machines", "train, s", "support rows", "of the machine asked", "MB"),
    *("us an example", "accuracy, %"),
]
EXACT = ("PKB", "PKI", "kernel expansion", "splitSVM")
PENALTIES = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0)


@dataclass(frozen=True)
class Sizes:
    """How much of everything."""

    train: int | None  # None: all
    pruned: int  # examples where features are pruned
    chosen: int  # examples that C is chosen on
    timed: int
    leasts: dict[int, tuple[int, ...]]  # of mined conjunctions, by degree
    rare: tuple[int, ...]  # thresholds of pruning


FULL = Sizes(None, 50_000, 40_000, 5_000, {2: (2, 5, 20, 100), 3: (5, 20, 100)}, (1, 2, 3, 5, 10, 20, 50, 100))
QUICK = Sizes(3_000, 2_000, 1_000, 500, {2: (2, 20), 3: (2, 5)}, (1, 2, 5, 20))

Labels = NDArray[Any]


def main(sizes: Sizes = FULL) -> None:
    everything, test = conll.load()
    numbers = _chosen(len(everything[1]), sizes.train)
    train = everything[0][numbers], everything[1][numbers]
    penalties = _penalties(sample(train, sizes.chosen), sizes)
    rows, raw = _methods(train, test, penalties, sizes)
    splits = _splits(train, test, numbers, penalties, raw)
    prunings = _prunings(sample(train, sizes.pruned), test, penalties, sizes)
    raw |= {"pruning": prunings}
    record(
        "svm_baselines",
        "The exact machine beside shortcuts",
        COLUMNS,
        rows,
        [
            f"{len(train[1]):,} examples; accuracy on all {len(test[1]):,} test examples; us an example: labels of "
            f"{sizes.timed:,}, one thread, medians of {ROUNDS} rounds, all in turn.",
            f"C: the best of {', '.join(map(str, PENALTIES))} for each kind of machine, where four fifths of "
            f"{sizes.chosen:,} examples learn and one fifth judges.",
            "PKB, PKI, PKE: Kudo and Matsumoto 2003; the number is sigma as a multiple of C. Kernel expansion: Isozaki "
            "and Kazawa 2002. splitSVM: Goldberg and Elhadad 2008. Semi-polynomial: Wu, Yang and Lee 2007, with the "
            "least number of examples that a mined conjunction is in; its time to classify is mostly that of spelling "
            "conjunctions out, in numpy.",
            "Split by: a machine per value (Nivre, Hall and Nilsson 2006); values with under 100 examples share one. "
            "*Of the machine asked*: support rows, on average over the test examples.",
            f"Pruning: {sizes.pruned:,} examples, features (then conjunctions, of a semi-polynomial machine) that "
            "fewer examples have than the threshold are left out of the examples, or weights with them out of the "
            "machine.",
        ],
        raw,
        more=[splits, _pruning_table(prunings, sizes)],
        plots=[_pruning_plot(name, title, found, sizes) for name, (title, found) in prunings.items()],
    )


def quick() -> None:
    """A look in a minute or so."""
    main(QUICK)


@dataclass(frozen=True)
class Penalties:
    """C by degree."""

    polynomial: dict[int, float]
    semi_polynomial: dict[int, float]
    linear: float


def _penalties(data: Data, sizes: Sizes) -> Penalties:
    """The best for each kind of machine; semi-polynomial ones with the second of their thresholds."""

    def best(make: Callable[[float], Any]) -> float:
        return best_penalty(make, data, PENALTIES)

    exact = {degree: best(partial(polynomial, degree)) for degree in (2, 3)}
    mined = {degree: best(partial(SemiPolynomialSVC, degree, leasts[1])) for degree, leasts in sizes.leasts.items()}
    return Penalties(exact, mined, best(linear))


def _chosen(n: int, size: int | None) -> NDArray[np.intp]:
    """As `sample` chooses, but by number, for what the matrices do not tell."""
    return np.arange(n) if size is None else np.random.default_rng(1).permutation(n)[:size]


# --- methods ----------------------------------------------------------------------------------------------------------


def _methods(train: Data, test: Data, penalties: Penalties, sizes: Sizes) -> tuple[list[list[Any]], dict[str, Any]]:
    queries = sample(test, sizes.timed)[0]
    rows: list[list[Any]] = []
    answers: dict[str, tuple[Callable[[Any], Labels], list[Any]]] = {}
    for degree in (2, 3):
        answers |= {
            f"{name}, {degree}": found for name, found in _engines(train, degree, penalties.polynomial[degree]).items()
        }
        answers |= {
            f"semi-polynomial, {least}, {degree}": _semi_polynomial(
                train, degree, least, penalties.semi_polynomial[degree]
            )
            for least in sizes.leasts[degree]
        }
    answers["linear, 1"] = _linear(train, penalties.linear)
    timings = alternate({name: partial(predict, queries) for name, (predict, _) in answers.items()}, ROUNDS)
    exact = {degree: answers[f"PKB, {degree}"][0](test[0]) for degree in (2, 3)}
    for name, (predict, (C, *cells)) in answers.items():
        method, size = name.rsplit(", ", 1)
        labels, wanted = predict(test[0]), exact.get(int(size))
        unlike = "" if wanted is None else f"{100 * np.mean(labels != wanted):.2f}"
        assert method not in EXACT or bool(np.all(labels == wanted)), name
        each = timings[name].median / sizes.timed * 1e6
        accuracy = f"{100 * np.mean(labels == test[1]):.2f}"
        rows.append([method, size, C, *cells, f"{each:.2f}", accuracy, unlike])
    return rows, {"methods": timings}


def _engines(train: Data, degree: int, C: float) -> dict[str, Any]:
    model = polynomial(degree, C)
    seconds = seconds_of(lambda: model.fit(*train))
    machine, found = model.machine_, {}
    for name, make in ENGINES.items():
        scorers: list[Any] = []
        compiling = seconds_of(lambda make=make, scorers=scorers: scorers.append(make(machine)))  # type: ignore[misc]
        scorer = scorers[0]
        report: Any = scorer.report()
        count = f"{report.conjunctions:,}" if scorer.engine in ("expanded", "split") else ""
        cells = [C, f"{seconds:.2f}", f"{compiling:.2f}", f"{machine.n_support:,}", count, f"{scorer.nbytes / 1e6:.1f}"]
        found[name] = scorer.predict, cells
    return found


def _semi_polynomial(train: Data, degree: int, least: int, C: float) -> Any:
    model = SemiPolynomialSVC(degree, least, C)
    seconds = seconds_of(lambda: model.fit(*train))
    return model.predict, _linear_cells(model.machine, C, seconds, model.mined.columns)


def _linear(train: Data, C: float) -> Any:
    model = linear(C)
    seconds = seconds_of(lambda: model.fit(*train))
    return model.predict, _linear_cells(model, C, seconds, int(np.count_nonzero(train[0].getnnz(axis=0))))


def _linear_cells(model: gm.KernelSVC, C: float, seconds: float, columns: int) -> list[Any]:
    size = model.scorer_.nbytes / 1e6
    return [C, f"{seconds:.2f}", "", f"{model.machine_.n_support:,}", f"{columns:,}", f"{size:.1f}"]


# --- splitting --------------------------------------------------------------------------------------------------------


def features_of(part: str) -> dict[str, Labels]:
    """What to split by: the part of speech of each token, and the chunk tag before it."""
    tokens = [(pos, before) for sentence in chunked(part) for (_, pos, _), before in zip(sentence, _tags(sentence))]  # noqa: B905
    return {"part of speech": np.array([pos for pos, _ in tokens]), "tag before": np.array([tag for _, tag in tokens])}


def _tags(sentence: list[list[str]]) -> list[str]:
    return ["<s>", *(tag for _, _, tag in sentence)]


def _splits(train: Data, test: Data, numbers: Any, penalties: Penalties, raw: dict[str, Any]) -> Table:
    values, asked = features_of("train"), features_of("test")
    rows = []
    for degree in (2, 3):
        make = partial(polynomial, degree, penalties.polynomial[degree])
        one = make()
        seconds = {"nothing": seconds_of(lambda one=one: one.fit(*train))}  # type: ignore[misc]
        answers: dict[str, Callable[[], Any]] = {"nothing": partial(one.predict, test[0])}
        splits: dict[str, SplitSVC] = {}
        for name in values:
            split = splits[name] = SplitSVC(make)
            seconds[name] = seconds_of(partial(split.fit, *train, values[name][numbers]))
            answers[name] = partial(split.predict, test[0], asked[name])
        raw[f"splitting, {degree}"] = timings = alternate(answers, ROUNDS)
        for name, answer in answers.items():
            learned = splits[name].learned if name in splits else [one]
            of_asked = _support_asked(splits[name], asked[name]) if name in splits else one.machine_.n_support
            each = timings[name].median / len(test[1]) * 1e6
            rows.append(
                [
                    *(name, degree, len(learned), f"{seconds[name]:.2f}"),
                    *(f"{sum(each.machine_.n_support for each in learned):,}", f"{of_asked:,.0f}"),
                    f"{sum(each.scorer_.nbytes for each in learned) / 1e6:.1f}",
                    *(f"{each:.2f}", f"{100 * np.mean(answer() == test[1]):.2f}"),
                ]
            )
    return Table("One machine, or one per value of a feature", SPLIT_COLUMNS, rows)


def _support_asked(split: SplitSVC, values: Labels) -> float:
    kinds, counts = np.unique(values, return_counts=True)
    machines = [getattr(split.machine_for(kind), "machine_", None) for kind in kinds.tolist()]
    sizes = [0 if machine is None else machine.n_support for machine in machines]
    return float(np.average(sizes, weights=counts))


# --- pruning ----------------------------------------------------------------------------------------------------------


def _prunings(train: Data, test: Data, penalties: Penalties, sizes: Sizes) -> dict[str, tuple[str, Any]]:
    """By name: a title, and accuracies before and after."""
    frequencies = train[0].getnnz(axis=0)
    found = {}
    for degree in (1, 2, 3):
        make = (
            partial(polynomial, degree, penalties.polynomial[degree])
            if degree > 1
            else partial(linear, penalties.linear)
        )
        title = f"Features left out, degree {degree}"
        found[f"features{degree}"] = title, pruned(make, train, test, frequencies, sizes.rare)
    mined = Mined.of(train[0], 2, 1)
    spelled, asked = ((mined.spell(X), y) for X, y in (train, test))
    kept = np.where(np.arange(mined.columns) < len(mined.codes[1]), sizes.rare[-1], mined.frequencies)
    make = partial(linear, penalties.semi_polynomial[2])
    found["pairs"] = "Pairs left out", pruned(make, spelled, asked, kept, sizes.rare)
    return found


def _pruning_table(prunings: dict[str, tuple[str, Any]], sizes: Sizes) -> Table:
    rows = []
    for title, found in prunings.values():
        for when in PRUNED_AWAY:
            rows.append([title, when, *(f"{100 * accuracy:.2f}" for accuracy in found[when])])
    columns = ["what", "training", *(f"under {least}" for least in sizes.rare)]
    return Table("Pruning before and after training: accuracy, %", columns, rows)


def _pruning_plot(name: str, title: str, found: dict[str, list[float]], sizes: Sizes) -> Plot:
    series = {
        f"{when} training": [
            (float(least), 100 - 100 * accuracy) for least, accuracy in zip(sizes.rare, found[when], strict=True)
        ]
        for when in PRUNED_AWAY
    }
    return Plot(name, title, "left out: in fewer examples than", "errors, %", series, log_x=True)
