"""Shapes: the functional ANOVA of a machine of tables, drawn and as numbers."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, settings

import gristmill as gm
from gristmill.explanations import shapes_of
from gristmill.explanations.field_tables import effects_of, tables_of
from tests.explanations.machines_of_fields import COUNTS, ENCODING, N_BINS, TABLE, machines_of_fields
from tests.explanations.test_field_shapley import fitted

few = settings(max_examples=30)
SHARES = [np.array(own) / sum(own) for own in COUNTS]


def score_by(shapes, codes):
    """base and an entry of each shape."""
    numbers = {own.name: at for at, own in enumerate(ENCODING.fields)}
    total = np.tile(shapes.base, (len(codes), 1))
    for shape in shapes.values():
        total += shape.values[tuple(codes[:, numbers[name]] for name in shape.names)]
    return total


@few
@given(made=machines_of_fields((1, 2, 3)))
def test_base_and_an_entry_of_each_shape_are_the_score(made):
    codes = np.array(list(np.ndindex(*(len(own.bins) for own in ENCODING.fields))), dtype=np.uint16)
    scores = made.machine.compile("direct").decision_function(ENCODING.rows(codes)).reshape(len(codes), -1)
    np.testing.assert_allclose(score_by(shapes_of(made.machine), codes), scores, rtol=0, atol=1e-11 * made.scale())


@few
@given(made=machines_of_fields((1, 2, 3)))
def test_shapes_have_mean_0_along_each_of_their_fields(made):
    numbers = {own.name: at for at, own in enumerate(ENCODING.fields)}
    for shape in shapes_of(made.machine).values():
        for axis, name in enumerate(shape.names):
            means = np.tensordot(SHARES[numbers[name]], shape.values, axes=(0, axis))
            np.testing.assert_allclose(means, 0, atol=1e-11 * made.scale())


def test_the_shape_of_a_field_is_the_mean_score_of_rows_with_each_bin():
    clf, table = fitted()
    codes = clf.encoder_.codes(table)
    shape = gm.shape(clf, "age", background=table)
    scores = []
    for at in range(len(shape.bins[0])):
        codes[:, 0] = at
        scores.append(clf._learned.model.scores(codes).mean())
    np.testing.assert_allclose(shape.table(), np.array(scores) - clf.decision_function(table).mean(), atol=1e-12)


def test_pairs_are_found_in_any_order_and_by_columns_or_fields():
    clf, _ = fitted()
    shape = gm.shape(clf, "home", "age")
    assert shape.names == ("age", "home")
    assert shape.values.shape == (5, 3, 1)
    assert shape.magnitude[0] > 0
    assert np.array_equal(shape.values, gm.shape(clf.machine_, "age", "home").values)


def test_a_pair_without_a_table_adds_nothing():
    machine = gm.Machine(gm.ConjunctionKernel(), gm.ids([[0], [3]], N_BINS), [1.0, 2.0], 0.0, encoding=ENCODING)
    shape = gm.shape(machine, "size", "colour")
    assert not shape.values.any()
    assert shape.values.shape == (2, 3, 1)
    assert len(shapes_of(machine).of(2)) == 0
    assert [one.names for one in shapes_of(machine).of(1)] == [("colour",), ("size",)]


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["when"], "no field 'when'; it has 'size', 'colour', 'when: month', 'when: day of week'"),
        ([], r"one to three different fields, got \[\]"),
        (["size", "size"], r"one to three different fields, got \['size', 'size'\]"),
    ],
)
def test_other_names_are_refused(names, message):
    machine = gm.Machine(gm.ConjunctionKernel(), gm.ids([[0]], N_BINS), [1.0], 0.0, encoding=ENCODING)
    with pytest.raises(ValueError, match=message):
        gm.shape(machine, *names)


def test_machines_without_tables_have_no_shapes():
    for machine in (
        gm.Machine(gm.PolynomialKernel(2), gm.ids([[0]], 3), [1.0], 0.0),
        gm.Machine(gm.PolynomialKernel(4), gm.ids([[0]], N_BINS), [1.0], 0.0, encoding=ENCODING),
    ):
        with pytest.raises(ValueError, match="shapes are of machines that read tables and are sums of tables"):
            gm.shape(machine, "size")


def test_triples_are_shapes_too():
    support = gm.ids([[0, 2, 5]], N_BINS)
    machine = gm.Machine(gm.ConjunctionKernel(), support, [1.0], 0.0, encoding=ENCODING)
    shapes = shapes_of(machine)
    assert [len(shapes.of(size)) for size in (1, 2, 3)] == [3, 3, 1]
    assert "size = 1 & colour = g & " in str(gm.shape(machine, "size", "colour", "when: month"))
    assert "adds" in gm.shape(machine, "size", "colour", "when: month")._repr_html_()


def test_shapes_are_drawn_and_written():
    clf, _ = fitted()
    shape, pair = gm.shape(clf, "age"), gm.shape(clf, "age", "home")
    assert shape.draw().splitlines()[0].startswith("age <= ")
    assert len(pair.draw(top=3).splitlines()) == 3
    assert "<svg" in shape._repr_html_()
    assert pair._repr_html_().count("<rect") == 15
    assert json.loads(pair.to_json())["bins"][1] == ["own", "rent", "other"]
    assert repr(pair) == "Shape(age & home, 5 x 3 bins)"


def test_several_outputs_are_drawn_one_after_the_other():
    machine = gm.Machine(
        gm.ConjunctionKernel(),
        gm.ids([[0]], N_BINS),
        [[1.0, 0.0, -1.0]],
        [0.0] * 3,
        list("abc"),
        "ovr",
        encoding=ENCODING,
    )
    shape = gm.shape(machine, "size")
    assert str(shape).count("size = 1") == 3
    assert shape._repr_html_().count("<svg") == 3
    with pytest.raises(ValueError, match="say which output: one of 'a', 'b', 'c'"):
        shape.draw()
    assert shape.draw("c").splitlines()[0].split()[-2] == "-0.3333"


def test_of_many_bins_those_with_most_rows_are_drawn():
    table = [{"word": f"w{n % 60}"} for n in range(600)] + [{"word": "w59"}] * 10
    model = gm.TableRegressor(C=1.0, degree=1, min_frequency=1).fit(table, np.arange(610.0))
    drawn = gm.shape(model, "word")._repr_html_()
    assert "13 bins with fewer rows are not drawn" in drawn
    assert "w59: " in drawn


def test_tables_beyond_memory_are_not_made(monkeypatch):
    machine = gm.Machine(gm.ConjunctionKernel(), gm.ids([[0, 2]], N_BINS), [1.0], 0.0, encoding=ENCODING)
    monkeypatch.setattr("gristmill.explanations.field_tables._MOST_CELLS", 5)
    assert tables_of(machine) is None
    found = gm.explain(machine, TABLE[:1], background=TABLE)
    monkeypatch.undo()
    same = gm.explain(machine, TABLE[:1], background=TABLE)
    np.testing.assert_allclose(found.scores, same.scores)
    assert not effects_of({(): np.zeros(1)}, None).tables
