"""Groups of columns are explained as the definition says, by enumeration of all sets of groups."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.preprocessing import OneHotEncoder

import gristmill as gm
from gristmill.data.rows import as_rows
from tests.data.conjunctions import given_conjunctions
from tests.data.strategies import FEATURES, eighths, odd_kernels, parts
from tests.explanations.machines_of_fields import Made, assert_explains
from tests.explanations.test_shapley_reference import to_rows
from tests.oracle import groups as oracle
from tests.oracle import polynomial

few = settings(max_examples=30)
nonzero = eighths.filter(bool)


@st.composite
def partitions(draw, n_features=9):
    """Lists of columns of up to three groups; other columns are players of their own."""
    of = draw(st.lists(st.sampled_from([0, 1, 2, 0, 1, 2, None]), min_size=n_features, max_size=n_features))
    return [own for group in range(3) if (own := [f for f, at in enumerate(of) if at == group])] or [[0]]


def players_of(partition, n_features):
    """{feature: the number of its player}, groups first."""
    group_of = {feature: group for group, own in enumerate(partition) for feature in own}
    alone = (feature for feature in range(n_features) if feature not in group_of)
    return group_of | {feature: len(partition) + at for at, feature in enumerate(alone)}


class Polynomial(Made):
    """Support rows are {feature: value}."""

    def __init__(self, made):
        super().__init__(made.machine(), made.support, made.coef, made.intercept)
        object.__setattr__(self, "parameters", made.parameters)

    def score(self, output):
        coef = [row[output] for row in self.coef]
        return lambda row: polynomial.score(self.support, coef, self.intercept[output], self.parameters, row)

    def scale(self):
        degree, gamma, coef0 = map(float, self.parameters)
        lengths = [sum(map(abs, map(float, s.values()))) for s in self.support] or [0.0]
        largest = (abs(gamma) * 40 * max(lengths) + abs(coef0)) ** degree + 1
        return 1 + sum(map(abs, self.intercept)) + largest * sum(abs(a) for row in self.coef for a in row)


@st.composite
def polynomial_cases(draw):
    values = draw(st.sampled_from([st.just(1), nonzero]))
    made = draw(parts(kernel=odd_kernels(), max_outputs=2, values=values))
    row = st.dictionaries(st.integers(0, FEATURES - 1), values, max_size=4)
    return made, draw(row), draw(st.lists(row, min_size=1, max_size=3)), draw(partitions(FEATURES))


@few
@given(case=polynomial_cases())
def test_polynomial_machines_of_any_degree_explain_groups_against_rows(case):
    made, x, background, partition = case
    how = {"interactions": True, "groups": partition, "binarize": False}
    found = gm.explain(made.machine(), to_rows([x]), background=to_rows(background), **how)
    assert_explains(found[0], Polynomial(made), players_of(partition, FEATURES), x, oracle.uniform(background))


sets = st.frozensets(st.integers(0, 8), max_size=5)


@few
@given(made=given_conjunctions(max_outputs=2), x=sets, background=st.lists(sets, max_size=3), partition=partitions())
def test_so_do_conjunctions_also_against_the_empty_row(made, x, background, partition):
    machine, rows = made.machine(), gm.ids(background, 9) if background else None
    found = gm.explain(machine, [x], interactions=True, groups=partition, background=rows)
    own = Made(machine, made.support, made.coef, made.intercept)
    against = oracle.uniform([dict.fromkeys(z, 1) for z in background] or [{}])
    assert_explains(found[0], own, players_of(partition, 9), dict.fromkeys(x, 1), against)


@few
@given(made=given_conjunctions(max_outputs=2), x=sets, background=st.lists(sets, min_size=2, max_size=3))
def test_columns_by_themselves_take_several_rows_as_background(made, x, background):
    found = gm.explain(made.machine(), [x], interactions=True, background=gm.ids(background, 9))
    own = Made(made.machine(), made.support, made.coef, made.intercept)
    against = oracle.uniform([dict.fromkeys(z, 1) for z in background])
    assert_explains(found[0], own, {f: f for f in range(9)}, dict.fromkeys(x, 1), against)


def weather():
    draw = np.random.default_rng(3)
    days = pd.DataFrame({"day": draw.choice(["mo", "su"], 60), "sky": draw.choice(["sun", "rain", "cloud"], 60)})
    return days, np.where((days["day"] == "su") & (days["sky"] != "rain"), "full", "empty")


@pytest.mark.parametrize("degree", [2, 4])
def test_a_machine_behind_a_one_hot_encoder(degree):
    days, y = weather()
    coded = OneHotEncoder().fit(days)
    crowd = gm.KernelSVC(degree=degree, C=1, tol=1e-6).fit(coded.transform(days), y)
    found = gm.explain(crowd, coded.transform(days[:4]), groups={"day": [0, 1], "sky": [2, 3, 4]})
    np.testing.assert_allclose(found.scores[:, 0], crowd.decision_function(coded.transform(days[:4])), atol=1e-9)
    assert found.groups.names == ("day", "sky")


def test_a_machine_behind_a_table_encoder_explains_its_fields():
    days, y = weather()
    encoder = gm.TableEncoder(min_frequency=1).fit(days)
    crowd = gm.KernelSVC(degree=3, C=1, tol=1e-6).fit(encoder.transform(days), y)
    by_fields, by_encoder = (
        gm.explain(crowd, encoder.transform(days), groups=groups, background=encoder.transform(days))
        for groups in (encoder.fields_, encoder)
    )
    assert by_fields.groups.names == ("day", "sky")
    np.testing.assert_allclose(by_encoder.values, by_fields.values, atol=1e-9)
    assert by_fields[0].names[0].startswith("day = ")
    reading = crowd.machine_.replace(encoding=encoder.encoding_)
    same = gm.explain(reading, days, background=days)
    np.testing.assert_allclose(same.values, by_fields.values, atol=1e-9)
    unsaid = gm.explain(crowd, encoder.transform(days), groups=encoder)
    np.testing.assert_allclose(unsaid.values, gm.explain(reading, days).values, atol=1e-12)


def test_the_class_that_is_explained_is_the_predicted_one():
    days, _ = weather()
    coded = OneHotEncoder().fit_transform(days)
    crowd = gm.KernelSVC(degree=2, C=1, tol=1e-6).fit(coded, days["sky"])
    found = gm.explain(crowd, coded[:9], groups={"day": [0, 1], "sky": [2, 3, 4]}, background=coded)
    names = [row.outputs.name(row.predicted) for row in found]
    assert names == crowd.predict(coded[:9]).tolist() == days["sky"][:9].tolist()


def test_features_that_the_machine_does_not_have_add_nothing():
    machine = gm.Machine(gm.PolynomialKernel(2), gm.ids([[0, 1]], 2), [1.0], 0.0)
    found = gm.explain(machine, gm.ids([[0, 5]], 6), groups=[[0, 1]])
    assert found.ids.tolist() == [0]
    assert found.data.tolist() == [1.0]
    assert found.scores.tolist() == machine.compile().decision_function(gm.ids([[0]], 2)).reshape(1, 1).tolist()


def test_large_ids_take_no_room():
    machine = gm.Machine(gm.PolynomialKernel(2), gm.ids([[0, 1]], 2), [1.0], 0.0)
    found = gm.explain(machine, gm.ids([[0]]), background=gm.ids([[1, 2**31 - 2], [0]]))
    assert found.ids.tolist() == [0, 1, 2**31 - 2]
    assert found.scores[0, 0] == pytest.approx(4.0)


def test_the_distribution_of_fields_needs_groups_that_are_fields():
    machine = gm.Machine(gm.PolynomialKernel(2), gm.ids([[0, 1]], 2), [1.0], 0.0)
    with pytest.raises(ValueError, match="which this machine does not know: give rows as background"):
        gm.explain(machine, gm.ids([[0]], 2), groups=[[0, 1]], background="fields")


def test_values_beyond_double_are_refused():
    machine = gm.Machine(gm.PolynomialKernel(3), gm.ids([[0, 1]], 2), [1e308], 0.0)
    with pytest.raises(ValueError, match="leave the range of double"):
        gm.explain(machine, gm.ids([[0, 1]], 2), groups=[[0], [1]])


def test_threads_change_no_bit():
    draw = np.random.default_rng(0)
    X = as_rows((draw.random((60, 20)) < 0.3).astype(float))
    machine = gm.Machine(gm.PolynomialKernel(3), X, draw.normal(size=60), 0.0)
    how = {"groups": [[0, 5, 7], [1, 2]], "background": X.take(np.arange(5)), "interactions": True}
    one, three = (gm.explain(machine, X, n_jobs=n_jobs, **how) for n_jobs in (1, 3))
    assert np.array_equal(one.values, three.values)
    assert np.array_equal(one.interactions, three.interactions)
