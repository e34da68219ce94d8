"""Claim: kernels of sets (RBF, Tanimoto) train and score many times faster than in scikit-learn's SVC; same answers.

KernelSVC (solver smo, engine inverted) beside SVC, one thread each, on the same examples in one process. Before a time
counts: the dual objectives of both machines agree, labels of the training and the test part are the same but where
SVC's own score is within ten times its tolerance of a tie, and SVC's machine scored here gives SVC's labels, all of
them. Tanimoto is a Gram matrix to SVC, made by a product of matrices, which is part of its time. Dense floats are real
numbers: rows of the kernel are products of matrices here too.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median
from typing import Any

import numpy as np
import scipy.sparse as sp

import gristmill as gm
from benchmarks import conll
from benchmarks.examples import Data, sample
from benchmarks.measure import corpora, record
from gristmill.display.words import counted

CACHE = 1000  # MB for the rows of SVC
TOL = 1e-3
APART = 1e-5  # objectives, relatively: SVC keeps rows in single precision
NEAR = 10 * TOL  # of a score of SVC, to a tie
SLOW = 5.0  # seconds: what takes longer is timed once
COLUMNS = [
    *("data", "examples", "kernel", "support rows", "SVC, s", "gristmill, s", "faster"),
    *("SVC, us a row", "gristmill, us a row", "predicts faster", "scores, us a row"),
    *("labels apart", "of", "objective apart", "accuracy, %"),
]


@dataclass(frozen=True)
class Case:
    """Examples to train on and to predict, and a kernel as both sides say it; SVC's may be a Gram matrix."""

    data: str
    train: Data
    test: Data
    kernel: Any
    svc: dict[str, Any]
    gram: Callable[[Any, Any], Any] | None = None

    @property
    def has_values(self) -> bool:
        return not sp.issparse(self.train[0])


@dataclass(frozen=True)
class Sizes:
    """How many examples of what is large or made, and rounds."""

    corpus: int | None
    basenp: int
    fingerprints: int
    dense: int
    gammas: tuple[float, ...]
    rounds: int = 3


FULL = Sizes(None, 20_000, 6_000, 10_000, (0.05, 0.5))
QUICK = Sizes(1_000, 1_000, 600, 600, (0.05,), rounds=1)


def main(sizes: Sizes = FULL) -> None:
    rows, raw = [], {}
    _load_libraries()
    for case in cases(sizes):
        row, seconds = measured(case, sizes.rounds)
        print(*row, sep="  ", flush=True)
        rows.append(row)
        raw[f"{case.data}, {case.kernel}"] = seconds
    record(
        "set_kernels",
        "Kernels of sets beside scikit-learn's SVC",
        COLUMNS,
        rows,
        [
            f"Processor time of one thread, medians of {counted(sizes.rounds, 'round')}; what takes SVC more than "
            f"{SLOW:.0f} s is timed once. C = 1, both sides stop at a violation of {TOL:g}; SVC has {CACHE:,} MB.",
            "*labels apart*: of the training and the test part together, those that are not SVC's; each of them has a "
            f"score of SVC within {NEAR:g} of a tie. SVC's own machine, scored by gristmill, gives all of SVC's labels "
            "of the test part; those of the training part are then taken from there.",
            "*objective apart*: relative to the dual objective of SVC's machine; below 0 is nearer to the solution.",
            "BaseNP: a part of its 211,727 examples, as the time of SVC grows with their square.",
            "Fingerprints are made: 2,048 bits of which 50 to 100 are set, variants of 60 others in three classes.",
        ],
        raw,
    )


def quick() -> None:
    """A look in a minute or so."""
    main(QUICK)


# --- data -------------------------------------------------------------------------------------------------------------


def cases(sizes: Sizes) -> list[Case]:
    made = []
    for data, (train, test) in corpora_of(sizes).items():
        gammas = (scale_of(train[0]), *(sizes.gammas if data == "a9a" else ()))
        made += [_rbf(data, train, test, gamma) for gamma in gammas]
    prints = fingerprints(sizes.fingerprints)
    made += [_tanimoto("fingerprints", *two_classes(prints)), _tanimoto("fingerprints, 3 classes", *prints)]
    made.append(_rbf("fingerprints, 3 classes", *prints, scale_of(prints[0][0])))
    train, test = dense_floats(sizes.dense)
    gamma = 1.0 / train[0].shape[1]
    cubic = {"kernel": "poly", "degree": 3, "gamma": gamma, "coef0": 1.0}
    made.append(_rbf("dense floats", train, test, gamma))
    made.append(Case("dense floats", train, test, gm.PolynomialKernel(3, gamma, 1.0), cubic))
    return made


def corpora_of(sizes: Sizes) -> dict[str, tuple[Data, Data]]:
    folder = corpora() / "binary"
    a9a, w8a, mushrooms = (_read(folder / name) for name in ("a9a.gz", "w8a.gz", "agaricus.train.gz"))
    others = [_read(folder / name, of[0].shape[1]) for name, of in (("a9a.t.gz", a9a), ("agaricus.test.gz", mushrooms))]
    basenp, queries = conll.load()
    order = np.random.default_rng(0).permutation(len(w8a[1]))
    known, unseen = np.sort(order[5000:]), np.sort(order[:5000])
    return {
        "a9a": (_some(a9a, sizes.corpus), others[0]),
        "w8a": (_some((w8a[0][known], w8a[1][known]), sizes.corpus), (w8a[0][unseen], w8a[1][unseen])),
        "BaseNP": (sample(basenp, sizes.basenp), sample(queries, 10_000)),
        "agaricus": (_some(mushrooms, sizes.corpus), others[1]),
    }


def _read(path: Any, columns: int | None = None) -> Data:
    X, y = gm.read_svmlight(path)
    if columns is not None:
        X.resize(X.shape[0], columns)
    return X, y


def _some(data: Data, size: int | None) -> Data:
    return data if size is None else sample(data, size)


def fingerprints(n: int, seed: int = 0) -> tuple[Data, Data]:
    """Sets of 50 to 100 of 2,048 bits, variants of 60 others in three classes; and half as many to predict."""
    random = np.random.default_rng(seed)
    rows = n + n // 2
    patterns = [random.choice(2048, size=random.integers(50, 101), replace=False) for _ in range(60)]
    which = random.integers(0, 60, size=rows)
    table = np.zeros((rows, 2048))
    for row, pattern in enumerate(which):
        length = random.integers(50, 101)
        kept = random.permutation(patterns[pattern])[: length // 2]
        others = np.setdiff1d(np.arange(2048), kept)
        table[row, kept] = table[row, random.choice(others, size=length - len(kept), replace=False)] = 1.0
    classes = np.where(random.random(rows) < 0.1, random.integers(0, 3, size=rows), which % 3)
    X = sp.csr_matrix(table)
    return (X[:n], classes[:n]), (X[n:], classes[n:])


def two_classes(data: tuple[Data, Data]) -> tuple[Data, Data]:
    (X, y), (queries, wanted) = data
    return (X, (y == 0).astype(int)), (queries, (wanted == 0).astype(int))


def dense_floats(n: int, seed: int = 0) -> tuple[Data, Data]:
    """Points of a hundred dimensions on both sides of a wave."""
    random = np.random.default_rng(seed)
    X, direction = random.normal(size=(n + 2000, 100)), random.normal(size=100)
    y = (np.sin(X @ direction / 5) + 0.3 * random.normal(size=len(X)) > 0).astype(int)
    return (X[:n], y[:n]), (X[n:], y[n:])


def scale_of(X: Any) -> float:
    """scikit-learn's gamma='scale' of rows of 0 and 1."""
    mean = X.nnz / (X.shape[0] * X.shape[1])
    return float(1.0 / (X.shape[1] * mean * (1 - mean)))


def _rbf(data: str, train: Data, test: Data, gamma: float) -> Case:
    return Case(data, train, test, gm.RBFKernel(gamma), {"kernel": "rbf", "gamma": gamma})


def _tanimoto(data: str, train: Data, test: Data) -> Case:
    return Case(data, train, test, gm.TanimotoKernel(), {"kernel": "precomputed"}, tanimoto)


def tanimoto(A: Any, B: Any) -> Any:
    """The Gram matrix, as one writes it with NumPy and SciPy."""
    shared = (A @ B.T).toarray()
    left, right = (np.asarray(one.sum(axis=1), dtype=float).ravel() for one in (A, B))
    return shared / (left[:, None] + right - shared)


# --- both sides -------------------------------------------------------------------------------------------------------


def measured(case: Case, rounds: int) -> tuple[list[Any], dict[str, list[float]]]:
    """A row of the table, and all times; AssertionError where answers differ."""
    svc, seconds = _repeated(lambda: train_svc(case), rounds)
    model, seconds_of_ours = _repeated(lambda: train_ours(case), rounds)
    times = {"SVC trains": seconds, "gristmill trains": seconds_of_ours}
    machine, X = model.machine_, case.test[0]
    scorer = compiled(case, machine)
    theirs, times["SVC predicts"] = _repeated(lambda: predict_svc(case, svc, X), rounds)
    labels, times["gristmill predicts"] = _repeated(lambda: scorer.predict(X, n_jobs=1), rounds)
    _, times["gristmill scores"] = _repeated(lambda: scorer.decision_function(X, n_jobs=1), rounds)
    objective, known = "", None
    if len(svc.classes_) == 2:
        same = machine_of(case, svc)
        assert (compiled(case, same).predict(X) == theirs).all(), f"{case.data}, {case.kernel}: other labels"
        objective, known = apart(case, objective_of(machine), objective_of(same)), compiled(case, same)
    before = predict_svc(case, svc, case.train[0]) if known is None else known.predict(case.train[0])
    parts = [(X, labels, theirs), (case.train[0], scorer.predict(case.train[0]), before)]
    return _row(case, machine, times, labels_apart(case, svc, parts), objective, labels), times


def compiled(case: Case, machine: gm.Machine) -> gm.Scorer:
    return machine.compile(binarize=False) if case.has_values else machine.compile("inverted")


def _row(
    case: Case, machine: gm.Machine, seconds: dict[str, list[float]], count: int, objective: str, labels: Any
) -> list[Any]:
    middle = {what: median(times) for what, times in seconds.items()}
    each = {what: 1e6 * time / len(case.test[1]) for what, time in middle.items()}
    n = case.train[0].shape[0]
    return [
        *(case.data, f"{n:,}", str(case.kernel), f"{machine.n_support:,}"),
        *(f"{middle['SVC trains']:.2f}", f"{middle['gristmill trains']:.2f}"),
        f"{middle['SVC trains'] / middle['gristmill trains']:.1f}x",
        *(f"{each['SVC predicts']:.1f}", f"{each['gristmill predicts']:.2f}"),
        f"{each['SVC predicts'] / each['gristmill predicts']:.0f}x",
        f"{each['gristmill scores']:.2f}",
        *(count, f"{n + len(case.test[1]):,}", objective, f"{100 * np.mean(labels == case.test[1]):.2f}"),
    ]


def train_svc(case: Case) -> Any:
    from sklearn.svm import SVC

    X, y = case.train
    svc = SVC(C=1.0, tol=TOL, cache_size=CACHE, decision_function_shape="ovo", **case.svc)
    return svc.fit(X if case.gram is None else case.gram(X, X), y)


def predict_svc(case: Case, svc: Any, X: Any) -> Any:
    """In parts: a Gram matrix of all would be large."""
    if case.gram is None:
        return svc.predict(X)
    return np.concatenate(
        [svc.predict(case.gram(X[at : at + 1000], case.train[0])) for at in range(0, X.shape[0], 1000)]
    )


def train_ours(case: Case) -> Any:
    binarize = False if case.has_values else 0.0
    return gm.KernelSVC(case.kernel, C=1.0, tol=TOL, solver="smo", binarize=binarize, n_jobs=1).fit(*case.train)


def labels_apart(case: Case, svc: Any, parts: list[tuple[Any, Any, Any]]) -> int:
    """How many labels differ: each of them is close to a tie of SVC."""
    count = 0
    for X, ours, theirs in parts:
        differs = np.flatnonzero(np.asarray(ours) != theirs)
        if not len(differs):
            continue
        some = X[differs]
        scores = svc.decision_function(some if case.gram is None else case.gram(some, case.train[0]))
        near = np.abs(scores.reshape(len(differs), -1)).min(axis=1)
        assert near.max() <= NEAR, f"{case.data}, {case.kernel}: a label differs at a score of {near.max()}"
        count += len(differs)
    return count


def machine_of(case: Case, svc: Any) -> gm.Machine:
    """SVC's machine for two classes, to be scored here."""
    support = case.train[0][svc.support_]
    coef = svc.dual_coef_.toarray() if sp.issparse(svc.dual_coef_) else svc.dual_coef_
    classes = svc.classes_.tolist()
    return gm.Machine(case.kernel, support, np.ascontiguousarray(coef.ravel()), svc.intercept_[0], classes=classes)


def apart(case: Case, found: float, wanted: float) -> str:
    """How far an objective is from SVC's."""
    assert abs(found - wanted) <= APART * abs(wanted), f"{case.data}, {case.kernel}: {found} is not {wanted}"
    return f"{(found - wanted) / abs(wanted):.1e}"


def objective_of(machine: gm.Machine) -> float:
    """1/2 a'Qa - sum a."""
    coef, support = np.asarray(machine.dense_coef()).ravel(), machine.rows
    scorer = machine.compile(binarize=False) if not machine.is_binary_valued else machine.compile("inverted")
    without = scorer.decision_function(support.to_csr()).ravel() - machine.intercept[0]
    return float(0.5 * coef @ without - np.abs(coef).sum())


def _load_libraries() -> None:
    """So that no side pays for it."""
    train, test = dense_floats(20)
    case = _rbf("first", train, test, 0.01)
    predict_svc(case, train_svc(case), test[0])
    train_ours(case).predict(test[0])


def _clocked(call: Callable[[], Any]) -> tuple[Any, float]:
    begin = time.process_time()
    made = call()
    return made, time.process_time() - begin


def _repeated(call: Callable[[], Any], rounds: int) -> tuple[Any, list[float]]:
    """What it gives, and the seconds of all rounds; slow ones have but one."""
    made, first = _clocked(call)
    return made, [first, *(_clocked(call)[1] for _ in range(rounds - 1 if first < SLOW else 0))]
