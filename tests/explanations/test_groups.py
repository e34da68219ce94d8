"""Groups of columns: what users may give, names, and errors that say what to do."""

from __future__ import annotations

import numpy as np
import pytest

import gristmill as gm
from gristmill.explanations.groups import groups_of
from tests.explanations.machines_of_fields import ENCODING, N_BINS, TABLE

NAMES = ["sky_rain", "sky_sun", "wind", "day: mo", "day: su"]
MACHINE = gm.Machine(gm.PolynomialKernel(2), gm.ids([[0, 3]], 5), [1.0], 0.0, feature_names=NAMES)
READS_TABLES = gm.Machine(gm.ConjunctionKernel(), gm.ids([[0]], N_BINS), [1.0], 0.0, encoding=ENCODING)


@pytest.mark.parametrize(
    "groups", [{"sky": [0, 1], "day": [3, 4]}, {"sky": NAMES[:2], "day": NAMES[3:]}, [[0, 1], np.array([3, 4])]]
)
def test_columns_are_named_or_numbered_and_others_are_alone(groups):
    found = groups_of(groups, MACHINE)
    assert found.names == ("sky", "day", "wind")
    assert found.of.tolist() == [0, 0, 2, 1, 1]
    assert found.labels == ("sky = rain", "sky = sun", "wind", "day = mo", "day = su")


def test_names_of_groups_without_any_are_what_their_columns_share():
    assert groups_of([[0, 1], [2, 3]], MACHINE).names == ("sky", "wind, day: mo", "day: su")
    assert groups_of([[0, 2]], MACHINE).labels[0] == "sky_rain, wind = sky_rain"


def test_what_a_row_has_of_groups():
    found = gm.explain(MACHINE, gm.ids([[0, 2, 3], [4], [0, 1]], 5), groups={"sky": [0, 1], "day": [3, 4]})
    assert [row.names for row in found] == [
        ("sky = rain", "day = mo", "wind"),
        ("day = su",),
        ("sky = rain, sky = sun",),
    ]
    assert found.data.tolist() == [1.0, 1.0, 1.0, 2.0, 1.0]
    both = gm.explain(MACHINE, gm.ids([[2]], 5), groups=[[0, 1], [3, 4]], background=gm.ids([[0, 3]], 5))
    assert both[0].names == ("no sky", "no day", "wind")
    assert both.data.tolist() == [0.0, 0.0, 1.0]


def test_values_of_columns_stand_behind_them():
    machine = gm.Machine(gm.PolynomialKernel(1), np.array([[0.5, 1.0]]), [1.0], 0.0)
    (row,) = gm.explain(machine, np.array([[2.5, 1.0]]), groups={"both": [0, 1]})
    assert row.names == ("both = 0 = 2.5, both = 1",)


def test_a_machine_that_reads_tables_has_its_fields_as_groups():
    assert groups_of(None, READS_TABLES).names == tuple(own.name for own in ENCODING.fields)
    assert groups_of("columns", READS_TABLES).names == ENCODING.names
    assert groups_of(False, READS_TABLES) is None
    assert groups_of(None, MACHINE) is None
    by_hand = groups_of(ENCODING.fields, READS_TABLES)
    assert by_hand.fields == (0, 1, 2, 3)


def test_columns_of_tables_can_be_groups():
    found = groups_of({"looks": ["size", "colour"]}, READS_TABLES)
    assert found.names == ("looks", "when: month", "when: day of week")
    assert found.fields == (0, 0, 1, 2)
    (row,) = gm.explain(READS_TABLES, [TABLE[0]], groups={"looks": ["size", "colour"], "time": ["when"]})
    assert row.names[0] == "size = 1, colour = r"
    assert row.values[:, 0].tolist() == pytest.approx([1 - 4 / 6, 0])
    assert groups_of({"when": ["when: month"]}, READS_TABLES).names == ("size", "colour", "when", "when: day of week")


@pytest.mark.parametrize("columns", [["size", "colour"], [0, 1], [np.int64(0), "colour"], np.array([0, 1])])
def test_columns_of_tables_are_named_or_numbered_with_or_without_a_name_of_the_group(columns):
    named, listed = groups_of({"looks": columns}, READS_TABLES), groups_of([columns], READS_TABLES)
    assert (named.names[0], listed.names[0]) == ("looks", "size, colour")
    assert named.fields == listed.fields == (0, 0, 1, 2)
    expected = gm.explain(READS_TABLES, [TABLE[0]], groups={"looks": ["size", "colour"]})
    for groups in ({"looks": columns}, [columns]):
        found = gm.explain(READS_TABLES, [TABLE[0]], groups=groups)
        np.testing.assert_array_equal(found.base, expected.base)
        np.testing.assert_array_equal(found.values, expected.values)


def test_groups_of_the_same_name_stay_apart():
    assert groups_of({1: ["size"], "1": ["colour"]}, READS_TABLES).fields == (0, 1, 2, 3)


def test_bins_are_groups_by_their_names():
    found = groups_of({"bins": ["size = 1", "colour = r"]}, READS_TABLES)
    assert found.fields is None
    assert found.of.tolist()[0] == 0
    assert gm.explain(READS_TABLES, [TABLE[0]], groups=[["size = 1", "colour = r"]]).base.tolist() == [0.0]


@pytest.mark.parametrize(
    ("groups", "message"),
    [
        ("fields", "groups='fields' is for machines with an encoding of tables"),
        ("bins", "groups must be a dict from names to columns, .* got 'bins'"),
        (True, "groups must be a dict"),
        ([], "groups must be a dict"),
        ({"sky": "sky_rain"}, "a group is a list of columns, got 'sky_rain'"),
        ({"sky": [0, 5]}, r"does not have: 5; it has 5 columns \('sky_rain', "),
        ({"sky": ["clouds"]}, "does not have: 'clouds'"),
        ({"sky": [0, 1], "wet": ["sky_rain"]}, "column 'sky.*rain' is in two groups, or twice in one"),
        ({"sky": []}, "a group has one column or more, got none"),
        ({"sky": 3}, "a group is a list of columns, got 3"),
        ([[0, 0]], "is in two groups, or twice in one"),
        (ENCODING.fields, "the fields have 9 bins, the machine 5 columns"),
    ],
)
def test_other_groups_are_refused(groups, message):
    with pytest.raises(ValueError, match=message):
        gm.explain(MACHINE, gm.ids([[0]], 5), groups=groups)


@pytest.mark.parametrize(
    ("groups", "message"),
    [
        ({"a": ["size", "color"]}, "the table does not have: 'color'; it has 'size', 'colour', 'when'$"),
        ([["size", "color"]], "the table does not have: 'color'; it has 'size', 'colour', 'when'$"),
        ([[0, 3]], "the table does not have: 3; it has 'size'"),
        ({"a": [-1]}, "the table does not have: -1; it has 'size'"),
        ({"a": [["size"]]}, r"the table does not have: \['size'\]; it has 'size'"),
        ({"a": ["size", "colour = r"]}, "groups name a bin, 'colour = r', and columns of the table"),
        ({"a": "size"}, "a group is a list of columns, got 'size'"),
        ({"a": ["size"], "b": []}, "a group has one column or more, got none"),
        ({"one": ["size"], "other": [0]}, "column 'size' is in two groups, or twice in one"),
        ([["when", "when: month"]], "column 'when: month' is in two groups, or twice in one"),
        ({"size": ["colour", "when"]}, "a group is called 'size', as is a column that is in no group"),
    ],
)
def test_other_groups_of_tables_are_refused(groups, message):
    with pytest.raises(ValueError, match=message):
        groups_of(groups, READS_TABLES)


def test_groups_and_backgrounds_are_for_rows():
    for name in ("groups", "background"):
        with pytest.raises(ValueError, match=f"{name} is for explaining rows: give X, or leave it out"):
            gm.explain(MACHINE, **{name: [[0]]})
    with pytest.raises(ValueError, match="background must have one row or more, got none"):
        gm.explain(MACHINE, gm.ids([[0]], 5), background=gm.ids([], 5))
    with pytest.raises(ValueError, match="baseline is a background of one row: give one of the two"):
        gm.explain(MACHINE, gm.ids([[0]], 5), baseline=gm.ids([[0]], 5), background=gm.ids([[0]], 5))
    with pytest.raises(ValueError, match="background must be rows, 'fields' or None, got 'training'"):
        gm.explain(MACHINE, gm.ids([[0]], 5), background="training")
