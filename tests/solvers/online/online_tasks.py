"""What online learning is tested on: small tasks for hypothesis, the core's engines by name, their logs."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace

import numpy as np
from hypothesis import strategies as st

from gristmill import _core
from tests.oracle import online as oracle

UPDATES = ("perceptron", "pa", "pa1", "pa2")
NORMS = ("input", "kernel")
ALL = 2**40  # more features than there are
DEFAULT = oracle.Rule(exponent=20)


@dataclass(frozen=True)
class Engine:
    """The core's options of an engine."""

    kind: _core.OnlineEngine = _core.OnlineEngine.sliced
    expanded: int = ALL
    choose: bool = False
    reuse: bool = False
    terminate: bool = False
    threads: int = 1
    block: int | None = None


KERNEL, PUSHED = Engine(kind=_core.OnlineEngine.kernel), Engine(kind=_core.OnlineEngine.pushed)
THREADED = [replace(PUSHED, threads=threads, block=block) for threads, block in ((1, 7), (2, 5), (3, 100), (2, None))]
SLICED = [
    Engine(_core.OnlineEngine.sliced, expanded, choose, reuse, terminate)
    for expanded in (0, 1, 10, ALL)
    for choose in (False, True)
    for reuse in (False, True)
    for terminate in (False, True)
]
ENGINES = [KERNEL, PUSHED, *THREADED, *SLICED]


@dataclass(frozen=True)
class Task:
    """Examples, and what is to be done with them."""

    examples: tuple  # of (frozenset of features, class, weight)
    degree: int = 2
    gamma: float = 1
    coef0: float = 1
    rule: oracle.Rule = DEFAULT
    outputs: int = 1
    passes: int = 1
    seed: int | None = None

    def kernel(self, shared):
        return (self.gamma * shared + self.coef0) ** self.degree

    @property
    def order(self):
        return oracle.orders(len(self.examples), self.passes, self.seed)

    def reference(self):
        """The log and the number of examples seen, by the book."""
        return oracle.learn(self.examples, self.order, self.kernel, self.rule, self.outputs)

    def trainer(self, engine=KERNEL, max_bytes=None, by_frequency=True, budget=0):
        rule = self.rule
        return _core.OnlineTrainer(
            self.degree,
            self.gamma,
            self.coef0,
            getattr(_core.Update, rule.update),
            getattr(_core.StepNorm, rule.norm),
            rule.C,
            self.outputs,
            rule.exponent,
            engine.kind,
            engine.expanded,
            engine.choose,
            engine.reuse,
            engine.terminate,
            max_bytes,
            by_frequency,
            budget,
            engine.block,
        )

    def learned(self, engine=KERNEL, **options):
        """A trainer that has learned the task."""
        trainer = self.trainer(engine, **options)
        teach(trainer, self.examples, self.passes, self.seed, threads=engine.threads)
        return trainer

    def part(self, begin, end):
        return replace(self, examples=self.examples[begin:end])


def arrays(rows):
    """Offsets and ascending ids."""
    offsets = np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(np.int64)
    return offsets, np.array([feature for row in rows for feature in sorted(row)], dtype=np.int32)


def teach(trainer, examples, passes=1, seed=None, progress=None, visited=0, threads=1):
    """Let a trainer learn from examples."""
    rows, labels, weights = zip(*examples, strict=True) if examples else ((), (), ())
    plain = all(weight == 1 for weight in weights)
    weights = np.empty(0) if plain else np.array(weights, dtype=float)
    trainer.learn(*arrays(rows), np.array(labels, dtype=np.int32), weights, passes, seed, visited, progress, threads)


def log_of(trainer):
    """What a trainer has done, as the oracle says it."""
    features, offsets, ranks, rows, up, down, units, sizes, times, _ = trainer.state()
    halves = units.reshape(-1, 2)
    wholes = [(int(high) << 64) + (int(low) % 2**64) for low, high in halves]
    names = [frozenset(features[ranks[a:b]].tolist()) for a, b in itertools.pairwise(offsets)]
    return [
        (names[row], int(u), int(d), size, int(time))
        for row, u, d, size, time in zip(rows, up, down, wholes or sizes.tolist(), times, strict=True)
    ]


def coefficients_of(trainer, outputs, averaged=False):
    """{(row, output): coefficient}, rows that are equal added up."""
    offsets, ids, coef = trainer.support(averaged)
    found = {}
    for at, row in enumerate(coef.reshape(-1, outputs)):
        name = frozenset(ids[offsets[at] : offsets[at + 1]].tolist())
        for k, value in enumerate(row.tolist()):
            found[name, k] = found.get((name, k), 0.0) + value
    return found


def zipfian(n, features=200, seed=0):
    """Rows whose low features are in most of them."""
    rng = np.random.default_rng(seed)
    shares = np.minimum(0.9, 4 / np.arange(1, features + 1))
    return [frozenset(np.flatnonzero(rng.random(features) < shares).tolist()) for _ in range(n)]


def assert_close(got, expected, tolerance=1e-9):
    """Coefficients, relative to the largest one; those that are missing are 0."""
    scale = max([1.0, *(abs(value) for value in expected.values())])
    for key in got.keys() | expected.keys():
        assert abs(got.get(key, 0) - expected.get(key, 0)) <= tolerance * scale


# --- what hypothesis draws --------------------------------------------------------------------------------------------

# few features that meet all the time, or many that seldom do
feature_sets = st.one_of(
    st.frozensets(st.integers(0, 15), max_size=10), st.frozensets(st.integers(0, 80), min_size=3, max_size=10)
)
weights = st.sampled_from([1.0, 1.0, 1.0, 0.5, 3.0, 0.0])


@st.composite
def examples(draw, classes=2, rows=feature_sets, largest=24, weights=weights):
    """Few distinct rows, so that examples come again, also with another class."""
    pool = draw(st.lists(rows, min_size=1, max_size=12))
    weights = weights if draw(st.booleans()) else st.just(1.0)
    one = st.tuples(st.sampled_from(pool), st.integers(0, classes - 1), weights)
    return tuple(draw(st.lists(one, max_size=largest)))


@st.composite
def integer_rules(draw):
    """PA-II with |x| for a norm has no bound: where k(x, x) is larger, an error grows with every step."""
    update = draw(st.sampled_from(["perceptron", "pa1", "pa2"]))
    norm = "kernel" if update == "pa2" else draw(st.sampled_from(NORMS))
    cost = draw(st.sampled_from([0.001, 0.3, 1.0, 2.5, 64.0]))
    return oracle.Rule(update, norm, cost, draw(st.integers(0, 30)))


@st.composite
def integer_tasks(draw, largest=24):
    classes = draw(st.integers(2, 4))
    return Task(
        draw(examples(classes, largest=largest)),
        degree=draw(st.integers(1, 5)),
        gamma=draw(st.integers(1, 3)),
        coef0=draw(st.integers(0, 3)),
        rule=draw(integer_rules()),
        outputs=1 if classes == 2 else classes,
        passes=draw(st.integers(1, 3)),
        seed=draw(st.one_of(st.none(), st.integers(0, 2**64 - 1))),
    )
