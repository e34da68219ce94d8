"""Decisions against enumeration, for every option: the cheapest changes, sufficient reasons, radii."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gristmill as gm
from tests.explanations.machines_that_decide import (
    WIDTH,
    features_of,
    grouped_rows,
    label_by_the_book,
    machines,
    one_row,
    scores_by_the_book,
    variables_of,
)
from tests.oracle import decisions as oracle

COSTS = [1, 2, 3, 0.7, 1.3]


@st.composite
def questions(draw, **how):
    """A machine, a row, and the variables of the row."""
    machine = draw(machines(**how))
    groups, optional, row = draw(grouped_rows(machine))
    names, variables = variables_of(machine, groups, optional, row)
    explainer = gm.DecisionExplainer(machine, groups or None, at_most_one=optional)
    return machine, explainer, row, names, variables


def wanted_class(machine, row, target):
    own = label_by_the_book(machine, row)
    if target is None:
        return lambda other: label_by_the_book(machine, other) != own
    return lambda other: label_by_the_book(machine, other) == target


def check_answers(found, expected, is_wanted, k):
    """The same costs; rows that are wanted."""
    assert found.is_proven
    assert [answer.cost for answer in found] == pytest.approx([cost for _, cost in expected[:k]])
    assert all(is_wanted(features_of(answer)) and answer.is_proven for answer in found)
    assert len({features_of(answer) for answer in found}) == len(found)
    assert found.lower_bound == (pytest.approx(expected[0][1]) if expected else np.inf)


@given(questions(), st.integers(1, 4), st.data())
def test_answers_are_the_cheapest_there_are(question, k, data):
    machine, explainer, row, _, variables = question
    own = label_by_the_book(machine, row)
    target = data.draw(st.sampled_from([None, *(label for label in machine.classes.tolist() if label != own)]))
    most = data.draw(st.sampled_from([None, None, 1, 2, 3]))
    is_wanted = wanted_class(machine, row, target)
    found = explainer.counterfactual(one_row(row), target, k, max_changes=most)
    check_answers(found, oracle.answers(variables, [], is_wanted, most), is_wanted, k)
    assert found.prediction == own
    for answer in found:
        assert answer.prediction == label_by_the_book(machine, features_of(answer))


@given(questions(), st.data())
def test_costs_of_changes_and_of_values_are_counted(question, data):
    machine, explainer, row, names, variables = question
    costs = {}
    for at, name in enumerate(names):
        (own, _), *others = variables[at]
        price = data.draw(st.sampled_from(COSTS))
        costs[name] = price
        variables[at] = [(own, 0), *((feature, price) for feature, _ in others)]
    used = {name: cost for name, cost in costs.items() if name in explainer.variables._by_name}
    is_wanted = wanted_class(machine, row, None)
    found = explainer.counterfactual(one_row(row), k=2, costs=used)
    check_answers(found, oracle.answers(variables, [], is_wanted), is_wanted, 2)


@given(questions(), st.data())
def test_changes_that_are_forbidden_are_not_made(question, data):
    machine, explainer, row, names, variables = question
    rules = {name: data.draw(st.sampled_from(["free", "immutable", "add_only", "remove_only"])) for name in names}
    for at, name in enumerate(names):
        (own, cost), *others = variables[at]
        allowed = {
            "free": others,
            "immutable": [],
            "add_only": others if own is None else [],
            "remove_only": [one for one in others if one[0] is None],
        }
        variables[at] = [(own, cost), *allowed[rules[name]]]
    known = explainer.variables._by_name
    options = {
        rule: [name for name, own in rules.items() if own == rule and name in known] for rule in set(rules.values())
    }
    options.pop("free", None)
    is_wanted = wanted_class(machine, row, None)
    found = explainer.counterfactual(one_row(row), **options)
    check_answers(found, oracle.answers(variables, [], is_wanted), is_wanted, 1)


@given(questions(schemes=["binary"]), st.data())
def test_scores_beyond_a_number_are_reached_at_least_cost(question, data):
    machine, explainer, row, _, variables = question
    rows = [oracle.row_of(variables, [], places) for places in oracle.all_places(variables)]
    bound = float(scores_by_the_book(machine, data.draw(st.sampled_from(rows)))[0]) + data.draw(
        st.sampled_from([0.0, 0.5, -0.5])
    )
    side = data.draw(st.sampled_from(["above", "below"]))

    def is_wanted(other):
        score = scores_by_the_book(machine, other)[0]
        return score > bound if side == "above" else score < bound

    found = explainer.counterfactual(one_row(row), **{side: bound})
    check_answers(found, oracle.answers(variables, [], is_wanted), is_wanted, 1)


@given(questions())
def test_the_fewest_facts_that_suffice_are_found(question):
    machine, explainer, row, _, variables = question
    label_of = lambda other: label_by_the_book(machine, other)  # noqa: E731
    expected = oracle.smallest_reasons(variables, [], label_of, range(len(variables)))
    found = explainer.sufficient(one_row(row))
    assert found.kind == "smallest"
    assert len(found) == found.lower_bound == len(expected[0])


@given(questions())
def test_reasons_without_excess_suffice_and_lose_that_with_any_fact(question):
    machine, explainer, row, names, variables = question
    label_of = lambda other: label_by_the_book(machine, other)  # noqa: E731
    found = explainer.sufficient(one_row(row), smallest=False)
    held = [names.index(fact.name) for fact in found.facts]
    assert found.kind == "subset-minimal"
    assert oracle.suffices(variables, [], label_of, held)
    for fact in held:
        assert not oracle.suffices(variables, [], label_of, [one for one in held if one != fact])


@given(questions())
def test_without_absences_as_facts_the_whole_row_may_not_suffice(question):
    machine, explainer, row, _, variables = question
    label_of = lambda other: label_by_the_book(machine, other)  # noqa: E731
    facts = [at for at, values in enumerate(variables) if values[0][0] is not None]
    known = [at for at in facts if explainer.variables.variables_of(np.array([variables[at][0][0]]))[0] >= 0]
    expected = oracle.smallest_reasons(variables, [], label_of, known)
    found = explainer.sufficient(one_row(row), absences=False)
    assert (found.kind == "none") == (not expected)
    if expected:
        assert (found.kind, len(found)) == ("smallest", len(expected[0]))
    else:
        assert found.witness.prediction != found.prediction


@given(questions())
def test_the_flip_radius_is_the_fewest_changes(question):
    machine, explainer, row, _, variables = question
    expected = oracle.answers(variables, [], wanted_class(machine, row, None))
    found = explainer.flip_radius(one_row(row))
    assert found.radius == (expected[0][1] if expected else None)
    assert found.lower_bound == (expected[0][1] if expected else np.inf)


@given(questions(), st.integers(1, 6), st.integers(1, 3))
def test_what_is_said_when_the_nodes_end_is_true(question, nodes, k):
    machine, explainer, row, _, variables = question
    is_wanted = wanted_class(machine, row, None)
    expected = [cost for _, cost in oracle.answers(variables, [], is_wanted)]
    found = explainer.counterfactual(one_row(row), k=k, max_nodes=nodes)
    assert all(is_wanted(features_of(answer)) for answer in found)
    assert min(expected, default=np.inf) >= found.lower_bound or found.lower_bound == 0
    proven = [answer.cost for answer in found if answer.is_proven]
    assert proven == expected[: len(proven)]
    radius = explainer.flip_radius(one_row(row), max_nodes=nodes)
    assert min(expected, default=np.inf) >= radius.lower_bound
    reason = explainer.sufficient(one_row(row), max_nodes=nodes)
    label_of = lambda other: label_by_the_book(machine, other)  # noqa: E731
    smallest = oracle.smallest_reasons(variables, [], label_of, range(len(variables)))
    assert reason.lower_bound <= len(smallest[0]) <= (len(reason) if reason.kind != "unknown" else WIDTH)


@given(questions(), st.integers(2, 3))
def test_disjoint_answers_share_no_variable(question, k):
    machine, explainer, row, names, variables = question
    is_wanted = wanted_class(machine, row, None)
    taken, costs = set(), []
    for answer in explainer.counterfactual(one_row(row), k=k, disjoint=True):
        rest = [values[:1] if at in taken else values for at, values in enumerate(variables)]
        costs.append((answer.cost, oracle.answers(rest, [], is_wanted)[0][1]))
        own = {names.index(change.name) for change in answer.changes}
        assert not own & taken
        taken |= own
    assert all(cost == expected for cost, expected in costs)
    rest = [values[:1] if at in taken else values for at, values in enumerate(variables)]
    assert len(costs) == k or not oracle.answers(rest, [], is_wanted)


OTHER_KERNELS = [
    gm.RBFKernel(0.3),
    gm.TanimotoKernel(),
    gm.CosineKernel(),
    gm.DiceKernel(),
    gm.SigmoidKernel(0.5, -0.5),
]


@given(questions(schemes=["binary", "ovr"]), st.sampled_from(OTHER_KERNELS), st.integers(1, 3))
def test_answers_of_other_kernels_of_sets_are_the_cheapest_there_are(question, kernel, k):
    machine, explainer, row, _, _ = question
    machine = gm.Machine(kernel, machine.rows, machine.coef, 0.1 * machine.intercept, machine.classes, machine.scheme)
    groups = explainer.variables.groups
    columns = {} if groups is None else {name: np.flatnonzero(groups.of == at) for at, name in enumerate(groups.names)}
    columns = {name: own.tolist() for name, own in columns.items() if len(own) > 1}
    optional = [name for name in columns if explainer.variables.optional[groups.names.index(name)]]
    explainer = gm.DecisionExplainer(machine, columns or None, at_most_one=optional)
    _, variables = variables_of(machine, columns, optional, row)
    definition = machine.compile("direct")
    rows = [oracle.row_of(variables, [], places) for places in oracle.all_places(variables)]
    labels = dict(zip(rows, definition.predict(gm.ids([sorted(one) for one in rows])).tolist(), strict=True))
    own = labels[frozenset(row)]
    found = explainer.counterfactual(one_row(row), k=k, max_nodes=None)
    check_answers(
        found, oracle.answers(variables, [], lambda one: labels[one] != own), lambda one: labels[one] != own, k
    )


def test_features_that_only_the_row_has_count_in_its_length():
    machine = gm.Machine(gm.TanimotoKernel(), gm.ids([[0, 1, 2]]), [1.0], -0.55, ["no", "yes"])
    far = gm.counterfactual(machine, gm.ids([[0, 1, 7]]))
    assert [str(change) for change in far[0].changes] == ["+ 2"]
    assert machine.compile("direct").predict(gm.ids([[0, 1, 2, 7]])) == ["yes"]


def test_certificates_hold_for_random_completions():
    rng = np.random.default_rng(3)
    support = [rng.choice(12, size=4, replace=False) for _ in range(40)]
    machine = gm.Machine(gm.PolynomialKernel(3), gm.ids(support), rng.normal(size=40), 0.1, ["no", "yes"])
    explainer, scorer = gm.DecisionExplainer(machine), machine.compile()
    for _ in range(3):
        row = rng.choice(12, size=5, replace=False)
        reason, radius = explainer.sufficient(one_row(row)), explainer.flip_radius(one_row(row)).radius
        held = np.isin(np.arange(12), [int(fact.name) for fact in reason.facts])
        own = np.isin(np.arange(12), row)
        completed = np.where(held, own, rng.random((10_000, 12)) < 0.5)
        assert set(scorer.predict(completed.astype(float))) == {reason.prediction}
        few = np.argsort(rng.random((10_000, 12)), axis=1) < radius - 1
        assert set(scorer.predict((own ^ few).astype(float))) == {reason.prediction}


def test_machines_with_too_many_conjunctions_are_searched_by_their_support_rows():
    rng = np.random.default_rng(0)
    support = [rng.choice(80, size=40, replace=False) for _ in range(60)]
    machine = gm.Machine(gm.PolynomialKernel(9), gm.ids(support), rng.normal(size=60) / 1e12, 0.0, ["no", "yes"])
    explainer = gm.DecisionExplainer(machine)
    row = sorted(rng.choice(80, size=35, replace=False).tolist())
    found = explainer.counterfactual(one_row(row), max_nodes=2000)
    assert found.is_proven
    assert len(found) == 1
    changed = [sorted(set(row) ^ {at}) for at in range(80)]
    flips = machine.compile().predict(gm.ids(changed)) != found.prediction
    assert (found[0].cost == 1) == flips.any()


def test_a_progress_that_raises_ends_the_search():
    rng = np.random.default_rng(1)
    support = [rng.choice(60, size=12, replace=False) for _ in range(300)]
    machine = gm.Machine(gm.PolynomialKernel(3), gm.ids(support), rng.normal(size=300), 1e5, ["no", "yes"])
    explainer = gm.DecisionExplainer(machine)

    def stop(done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        explainer.counterfactual(one_row([0, 1]), max_nodes=None, progress=stop)


# --- tables, pipelines, probabilities ---------------------------------------------------------------------------------


def table_of(n, seed=0):
    rng = np.random.default_rng(seed)
    housing, months = rng.choice(["own", "rent", "free"], size=n), rng.integers(6, 60, size=n)
    savings = rng.choice(["none", "some", "much"], size=n)
    risk = (housing == "free") + months / 30 - (savings == "much") * 1.5 + rng.normal(size=n) * 0.2
    rows = [{"housing": a, "months": int(b), "savings": c} for a, b, c in zip(housing, months, savings, strict=True)]
    return rows, np.where(risk > 1, "bad", "good")


def first_of(model, table, label):
    return next(row for row in table if model.predict([row])[0] == label)


def test_changes_of_tables_are_told_in_the_columns_of_the_user():
    table, y = table_of(300)
    model = gm.TableClassifier().fit(table, y)
    row = first_of(model, table, "bad")
    found = gm.counterfactual(model, row, costs="distance", immutable="housing")
    assert found.is_proven
    assert {change.name for change in found[0].changes} <= {"months", "savings"}
    assert found[0].prediction == "good"
    assert found[0].probability > 0.5
    assert json.loads(found.to_json())["answers"][0]["changes"][0]["name"] in ("months", "savings")


def test_numbers_that_may_only_fall_fall():
    table, y = table_of(300)
    model = gm.TableClassifier().fit(table, y)
    row = first_of(model, table, "bad")
    explainer = gm.DecisionExplainer(model)
    bins = explainer.machine.encoding.fields[explainer.variables.numbers("months", "it")[0]].bins
    for name, sign in (("decrease_only", -1), ("increase_only", 1)):
        for answer in explainer.counterfactual(row, k=3, immutable=["housing", "savings"], **{name: "months"}):
            (change,) = answer.changes
            assert sign * (bins.index(change.after) - bins.index(change.before)) > 0


def test_a_probability_is_reached():
    table, y = table_of(300)
    model = gm.TableClassifier().fit(table, y)
    row = first_of(model, table, "bad")
    found = gm.counterfactual(model, row, "good", probability=0.9)
    assert found.is_proven
    assert found[0].prediction == "good"
    assert found[0].probability >= 0.9
    fewer = (
        gm.counterfactual(model, row, "good", probability=0.9, max_changes=len(found[0]) - 1)
        if len(found[0]) > 1
        else ()
    )
    assert not len(fewer)


def test_values_of_regression_are_passed_at_least_cost():
    table, _ = table_of(200)
    value = np.array([row["months"] + 10.0 * (row["housing"] == "own") for row in table])
    model = gm.TableRegressor().fit(table, value)
    low = table[int(value.argmin())]
    found = gm.counterfactual(model, low, above=45, immutable="savings")
    assert found.is_proven
    assert found[0].prediction > 45 > found.prediction
    assert "a score above 45" in str(found)
    with pytest.raises(ValueError, match="give above= or below= a number"):
        gm.counterfactual(model, low)


def test_of_a_pipeline_the_columns_of_its_table_change():
    pytest.importorskip("sklearn")
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder

    table = [["own", "old"], ["rent", "old"], ["own", "new"], ["rent", "new"]] * 5
    model = make_pipeline(OneHotEncoder(), gm.KernelSVC(degree=2)).fit(table, [0, 1, 0, 1] * 5)
    found = gm.counterfactual(model, [["own", "new"]])
    assert [str(change) for change in found[0].changes] == ["x0: own -> rent"]
    assert str(found).splitlines()[-1].split() == ["x0", "own", "->", "rent"]
    assert [fact.name for fact in gm.sufficient(model, [["own", "new"]]).facts] == ["x0"]


def test_a_row_that_is_as_it_is_wanted_needs_no_change():
    found = gm.counterfactual(bank(), gm.ids([[0]]), "finance")
    assert (found[0].changes, found[0].cost, found.is_proven) == ((), 0, True)
    assert str(found) == "finance; to be finance: it is so without any change"


# --- what is refused --------------------------------------------------------------------------------------------------


def bank():
    names, classes = ["money", "bank", "river"], ["water", "finance"]
    kernel = gm.PolynomialKernel(2)
    return gm.Machine(kernel, gm.ids([[0, 1], [1, 2]]), [1.0, -0.5], 0.0, classes, feature_names=names)


@pytest.mark.parametrize(
    ("x", "options", "message"),
    [
        ([[0], [1]], {}, "expected a single row, got 2"),
        ([[0]], {"target": "wine"}, "target must be one of the classes 'water', 'finance', got 'wine'"),
        ([[0]], {"immutable": "wine"}, "immutable names 'wine', but no variable is called so"),
        ([[0]], {"costs": {"bank": 0}}, "must cost a number above 0, got 0; to forbid it use immutable"),
        ([[0]], {"costs": 3}, "costs must be None, 'distance' or a dict"),
        ([[0]], {"probability": 0.9}, "probability is for machines with two classes, one output and probabilities"),
        ([[0]], {"above": 1.0, "below": 2.0}, "give one of above, below"),
        ([[0]], {"above": float("nan")}, "above must be a finite number"),
        ([[0]], {"k": 0}, "k must be"),
        ([[0, 1]], {"groups": {"word": ["money", "bank"]}}, "several columns of 'word', of which one can be present"),
    ],
)
def test_questions_without_sense_are_refused(x, options, message):
    with pytest.raises(ValueError, match=message):
        gm.counterfactual(bank(), gm.ids(x), **options)


def test_machines_on_trees_and_real_values_are_refused():
    tree = gm.Machine(gm.SubtreeKernel(), gm.Forest.from_strings(["(S (A a))"]), [1.0], 0.0, ["no", "yes"])
    with pytest.raises(ValueError, match="with a kernel of sets that gristmill knows itself"):
        gm.DecisionExplainer(tree)
    real = gm.Machine(gm.PolynomialKernel(2), np.array([[0.5, 1.0]]), [1.0], 0.0, ["no", "yes"])
    with pytest.raises(ValueError, match="machines on binary rows"):
        gm.DecisionExplainer(real)
