"""Learning of decisions: whatever the scheme, a machine is what separate learners of its outputs have learned."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gristmill as gm
from gristmill.apps.learning import Learning, LearningInterrupted, learn, named
from gristmill.data.rows import Rows, as_rows
from gristmill.kernels import PolynomialKernel
from gristmill.machines.schemes import Scheme, pairs
from gristmill.solvers.batch import SvmSettings, train_svm
from gristmill.solvers.online import OnlineLearner, OnlineSettings
from tests.oracle import online as oracle
from tests.properties import share

CLASSES = ["a", "b", "c", "d"]
WAYS = [
    *(("online", "native"), ("online", "ovr"), ("online", "ovo")),
    *(("dual-cd", "ovr"), ("dual-cd", "ovo"), ("smo", "ovr"), ("smo", "ovo")),
]


def task(count=60, features=12, classes=4, seed=0):
    rng = np.random.default_rng(seed)
    table = rng.random((count, features)) < 0.4
    labels = (table[:, 0] + 2 * table[:, 1] * table[:, 2]) % classes
    labels[:classes] = range(classes)
    return as_rows(table.astype(float)), labels.astype(np.int32)


@st.composite
def tasks(draw):
    classes = draw(st.integers(3, 4))
    rows = draw(st.lists(st.frozensets(st.integers(0, 8), max_size=5), min_size=classes, max_size=14))
    some = draw(st.lists(st.integers(0, classes - 1), min_size=len(rows), max_size=len(rows)))
    labels = [*range(classes), *some[classes:]]
    table = np.zeros((len(rows), 9))
    for at, row in enumerate(rows):
        table[at, sorted(row)] = 1
    return as_rows(table), np.array(labels, dtype=np.int32), CLASSES[:classes]


def coefficients(machine, output):
    """Of an output, by the features of rows; rows that are equal added up."""
    found = {}
    for at, weight in enumerate(machine.dense_coef()[:, output].tolist()):
        row = frozenset(machine.support.one(at).ids.tolist())
        found[row] = found.get(row, 0.0) + weight
    return {row: weight for row, weight in found.items() if weight != 0}


def by_the_book(rows, found, how):
    """What a learner of two sides learns, averaged."""
    learner = OnlineLearner(OnlineSettings(how.kernel, C=how.cost, epochs=how.epochs), np.array(["rest", "one"]))
    learner.ensure_begun(rows)
    rule = oracle.Rule("pa1", "input", how.cost, learner.exponent)
    examples = [(frozenset(rows.one(at).ids.tolist()), int(side), 1.0) for at, side in enumerate(found)]
    order = oracle.orders(len(examples), how.epochs, 0)
    log, time = oracle.learn(examples, order, lambda shared: (shared + 1) ** how.degree, rule)
    expected = oracle.coefficients(log, rule, 1, time)
    return {row: float(weight) for (row, _), weight in expected.items() if weight != 0}


def sides(labels, count, scheme):
    """For each output: which examples, and which of them are of its class."""
    if scheme == "ovr":
        return [(np.arange(len(labels)), labels == one) for one in range(count)]
    chosen = [(one, np.flatnonzero((labels == one) | (labels == other))) for one, other in pairs(count)]
    return [(examples, labels[examples] == one) for one, examples in chosen]


# --- what is learned --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("scheme", ["ovr", "ovo"])
@given(drawn=tasks(), degree=st.integers(1, 3), cost=st.sampled_from([0.002, 0.3, 2.0]))
@share(0.25)
def test_online_outputs_are_learners_of_their_own(scheme, drawn, degree, cost):
    rows, labels, classes = drawn
    how = Learning("online", scheme, degree, cost, epochs=3)
    machine = learn(rows, labels, classes, how)
    assert machine.scheme is Scheme.parse(scheme)
    for output, (chosen, found) in enumerate(sides(labels, len(classes), scheme)):
        expected = by_the_book(rows.take(chosen), found, how)
        constant, expected = (
            as_features(expected) if machine.kernel == PolynomialKernel(1, coef0=0.0) else (0, expected)
        )
        learned = coefficients(machine, output)
        for row in {*expected, *learned}:
            assert learned.get(row, 0) == pytest.approx(expected.get(row, 0), rel=1e-12, abs=1e-15)
        assert machine.intercept[output] == pytest.approx(constant, rel=1e-12, abs=1e-15)


def as_features(expected):
    """The intercept and the weights of a linear machine."""
    weights = {}
    for row, weight in expected.items():
        for feature in row:
            weights[frozenset([feature])] = weights.get(frozenset([feature]), 0.0) + weight
    return sum(expected.values()), weights


@pytest.mark.parametrize("multiclass", ["auto", "native", "ovr", "ovo"])
def test_two_classes_are_one_output(multiclass):
    rows, labels = task(classes=2)
    how = Learning("online", multiclass, C=0.3)
    machine = learn(rows, labels, ["no", "yes"], how)
    expected = by_the_book(rows, labels, how)
    assert machine.scheme is Scheme.BINARY
    assert coefficients(machine, 0) == pytest.approx(expected, rel=1e-12, abs=1e-15)


@pytest.mark.parametrize(("solver", "scheme"), WAYS[3:])
def test_exact_machines_are_those_of_the_solver(solver, scheme):
    rows, labels = task()
    own = SvmSettings(Learning().kernel, C=0.5, solver=solver, multiclass=scheme)
    expected = train_svm(rows, labels, np.array(CLASSES), own).machine
    assert learn(rows, labels, CLASSES, Learning(solver, scheme, C=0.5)) == expected


@pytest.mark.parametrize(("solver", "scheme"), WAYS)
def test_threads_learn_the_same(solver, scheme):
    rows, labels = task(count=200, features=30)
    how = Learning(solver, scheme, C=0.1)
    assert learn(rows, labels, CLASSES, how, n_jobs=2) == learn(rows, labels, CLASSES, how, n_jobs=1)


@pytest.mark.parametrize(("solver", "scheme"), WAYS)
def test_learned_examples_are_told_apart(solver, scheme):
    rows, labels = task()
    found = learn(rows, labels, CLASSES, Learning(solver, scheme, degree=3, C=10, epochs=40)).compile().predict(rows)
    assert found.tolist() == [CLASSES[label] for label in labels]


def test_parts_tell_their_progress_as_one(monkeypatch):
    calls = []
    monkeypatch.setattr(OnlineLearner, "learn", lambda *_, progress, **__: progress(1, 2))
    learn(*task(), CLASSES, Learning("online", "ovr"), progress=lambda *call: calls.append(call))
    assert calls == [(1, 8), (3, 8), (5, 8), (7, 8)]


# --- names ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("engine", ["direct", "expanded"])
@given(drawn=tasks(), query=st.lists(st.frozensets(st.integers(0, 20)), min_size=1, max_size=5))
@share(0.25)
def test_features_left_out_change_no_score(engine, drawn, query):
    rows, labels, classes = drawn
    everything = Rows(rows.offsets, 2 * rows.ids, n_features=21)  # every other one is in no row
    machine = learn(everything, labels, classes, Learning(C=0.3))
    fewer = named(machine, [f"f{number}" for number in range(21)], {"of": "a test"})
    number = {name: at for at, name in enumerate(fewer.feature_names)}
    known = [{number[f"f{feature}"] for feature in row if f"f{feature}" in number} for row in query]
    assert fewer.n_features == len(set(machine.support.ids.tolist()))
    assert fewer.provenance["of"] == "a test"
    expected = machine.compile(engine).decision_function(query)
    assert np.allclose(fewer.compile(engine).decision_function(known), expected, rtol=1e-12, atol=1e-12)


# --- interruptions ----------------------------------------------------------------------------------------------------


@pytest.fixture
def stop_online(monkeypatch):
    """Interrupts the learner of a part, counted from 0, after its first pass."""
    own, calls = OnlineLearner.learn, iter(range(100))

    def stop_at(part):
        def learned(self, *data, passes, **options):
            stops = next(calls) == part
            own(self, *data, passes=1 if stops else passes, **options)
            if stops:
                raise KeyboardInterrupt

        monkeypatch.setattr(OnlineLearner, "learn", learned)

    return stop_at


def interrupted(how, progress=None):
    with pytest.raises(LearningInterrupted) as caught:
        learn(*task(), CLASSES, how, progress=progress)
    return caught.value.learned


def test_passes_that_were_made_are_kept(stop_online):
    stop_online(0)
    assert interrupted(Learning("online", "native")) == learn(*task(), CLASSES, Learning("online", epochs=1))


@pytest.mark.parametrize("scheme", ["ovr", "ovo"])
@pytest.mark.parametrize("part", [0, 2])
def test_outputs_that_were_begun_are_kept_and_others_say_what_is_commoner(stop_online, scheme, part):
    rows, labels = task()
    how = Learning("online", scheme)
    whole, short = learn(rows, labels, CLASSES, how), learn(rows, labels, CLASSES, replace(how, epochs=1))
    stop_online(part)
    machine = interrupted(how)
    assert machine.scheme is whole.scheme
    for output, (_, found) in enumerate(sides(labels, 4, scheme)):
        expected = coefficients(whole if output < part else short, output) if output <= part else {}
        assert coefficients(machine, output) == expected
        assert machine.intercept[output] == (0 if output <= part else 1 if found.mean() > 0.5 else -1)


@pytest.mark.parametrize(("solver", "scheme"), WAYS[3:])
def test_an_interrupted_solver_leaves_a_machine(solver, scheme):
    left = iter(range(solver == "dual-cd"))  # what it does before it begins to solve

    def stop(*_):
        if next(left, None) is None:
            raise KeyboardInterrupt

    machine = interrupted(Learning(solver, scheme), stop)
    assert machine.scheme is Scheme.parse(scheme)
    assert set(machine.compile().predict(task()[0])) <= set(CLASSES)


# --- what is refused --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"solver": "sgd"}, "solver"),
        ({"multiclass": "all"}, "multiclass"),
        ({"solver": "smo", "multiclass": "native"}, "use 'ovr' or 'ovo'"),
        ({"degree": 0}, "degree"),
        ({"degree": 1.5}, "degree"),
        ({"epochs": 0}, "epochs"),
        ({"C": 0}, "C"),
        ({"C": float("nan")}, "C"),
    ],
)
def test_settings_that_cannot_be_are_refused(settings, message):
    with pytest.raises(ValueError, match=message):
        Learning(**settings)


def test_one_class_is_refused():
    with pytest.raises(ValueError, match="all decisions are 'a': there is nothing to tell apart"):
        learn(gm.ids([[0, 1]]), np.zeros(1, dtype=np.int32), ["a"], Learning())


@pytest.mark.parametrize(
    ("settings", "rare", "cost"),
    [
        ({}, 0.5, 0.002),
        ({}, 0.05, 0.1),
        ({"C": 0.3}, 0.05, 0.3),
        ({"degree": 1}, 0.5, 0.1),
        ({"solver": "smo"}, 0.05, 0.01),
        ({"solver": "smo", "degree": 1}, 0.5, 0.01),
    ],
)
def test_errors_cost_more_where_there_is_little_to_learn_from(settings, rare, cost):
    labels = (np.arange(200) < 200 * rare).astype(np.int32)
    assert Learning(**settings).settled(labels).C == cost


def test_a_linear_tagger_of_rare_names_finds_them():
    """With the cost that serves conjunctions it would call every token O."""
    said = [
        [(f"w{(7 * at + place) % 60}", "O") for place in range(15)] + [(f"Name{at % 4}", "B-PER")] for at in range(60)
    ]
    tagger = gm.apps.Tagger(degree=1).fit(said)
    assert tagger.score(said) > 0.99
