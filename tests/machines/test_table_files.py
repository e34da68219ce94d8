"""Files of tables for a machine that reads tables: columns by name, labels where the file has them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import gristmill as gm
from gristmill.base.errors import FormatError
from gristmill.data.formats.table_files import TableReading
from gristmill.machines.data_files import read_blocks_for, read_for
from gristmill.machines.table_files import KEY, TableSource

FRAME = pd.DataFrame({"age": np.arange(30) % 7 + 20, "code": ["7", "x"] * 15})
LABELS = np.array(["old" if age > 23 else "young" for age in FRAME["age"]])


@pytest.fixture(scope="module")
def machine():
    return gm.TableClassifier(C=1.0, degree=1).fit(FRAME, LABELS).machine_


def sourced(machine, **source):
    return machine.replace(provenance={KEY: TableSource(**source).to_spec()})


def written(tmp_path, frame):
    frame.to_csv(tmp_path / "t.csv", index=False)
    return tmp_path / "t.csv"


def same_rows(rows, machine, table=FRAME):
    expected = machine.examples(table)
    return np.array_equal(rows.ids, expected.ids) and np.array_equal(rows.offsets, expected.offsets)


def test_columns_come_in_any_order_with_the_target_and_without(machine, tmp_path):
    known = sourced(machine, target="who")
    rows, labels = read_for(known, written(tmp_path, FRAME[["code", "age"]]))
    assert same_rows(rows, machine)
    assert labels.tolist() == [""] * 30
    rows, labels = read_for(known, written(tmp_path, FRAME.assign(who=LABELS)[["who", "code", "age"]]))
    assert same_rows(rows, machine)
    assert labels.tolist() == LABELS.tolist()


def test_a_table_is_one_block(machine, tmp_path):
    ((rows, labels, *_),) = read_blocks_for(machine, written(tmp_path, FRAME.assign(who=LABELS)), 10)
    assert same_rows(rows, machine)
    assert labels.tolist() == LABELS.tolist()


def test_the_only_other_column_has_the_labels_where_nothing_is_known(machine, tmp_path):
    assert read_for(machine, written(tmp_path, FRAME.assign(who=LABELS)))[1].tolist() == LABELS.tolist()
    with pytest.warns(gm.TableWarning, match="the model does not read 'who', 'id'"):
        _, labels = read_for(machine, written(tmp_path, FRAME.assign(who=LABELS, id=0)))
    assert labels.tolist() == [""] * 30


def test_columns_that_training_left_out_are_not_spoken_of(machine, tmp_path):
    known = sourced(machine, target="who", dropped=("id",))
    assert same_rows(read_for(known, written(tmp_path, FRAME.assign(id=0)))[0], machine)
    with pytest.warns(gm.TableWarning, match="the model does not read 'number'"):
        read_for(known, written(tmp_path, FRAME.assign(number=0)))


def test_labels_may_be_missing_or_numbers(machine, tmp_path):
    known = sourced(machine, target="who")
    labels = read_for(known, written(tmp_path, FRAME.assign(who=np.where(FRAME.index == 3, None, LABELS))))[1]
    assert (labels == "").nonzero()[0].tolist() == [3]
    numbers = known.replace(classes=[0, 1])
    found = read_for(numbers, written(tmp_path, FRAME.assign(who=np.where(FRAME.index == 3, np.nan, 1.0))))[1]
    assert np.isnan(found).nonzero()[0].tolist() == [3]


def test_a_column_is_read_as_training_read_it(machine, tmp_path):
    """A file whose codes all look like numbers: 007 is another category than 7."""
    known = sourced(machine, reading=TableReading(kinds={"code": "category", "age": "number"}))
    (tmp_path / "t.csv").write_text("age,code\n20,7\n20,007\n")
    rows, _ = read_for(known, tmp_path / "t.csv")
    names = known.feature_names
    assert [names[at] for at in rows.ids] == ["age = 20", "code = 7", "age = 20", "code = other"]


def test_a_machine_without_names_takes_columns_by_their_place(tmp_path):
    cells = FRAME.to_numpy(dtype=object)
    machine = gm.TableClassifier(C=1.0, degree=1).fit(cells, LABELS).machine_
    rows, _ = read_for(machine, written(tmp_path, FRAME.rename(columns={"age": "b", "code": "a"})))
    assert same_rows(rows, machine, cells)
    with pytest.raises(FormatError, match=r"t\.csv: it has 1 column, the model reads 2"):
        read_for(machine, written(tmp_path, FRAME[["age"]]))


def test_missing_columns_are_refused_by_name(machine, tmp_path):
    with pytest.raises(FormatError, match=r"t\.csv: there is no column 'age', which the model reads; there are 'code'"):
        read_for(machine, written(tmp_path, FRAME[["code"]].assign(who="old")))


def test_numbers_of_features_are_for_other_data(machine, tmp_path):
    with pytest.raises(ValueError, match="--zero-based and --one-based are for rows in svmlight format"):
        read_for(machine, written(tmp_path, FRAME), zero_based=True)


def test_what_a_machine_says_of_its_file_survives_saving(machine, tmp_path):
    source = TableSource("who", ("id",), TableReading(";", ("", "-"), {"age": "number"}), {"age": 23.0})
    encoding = replace(machine.encoding, missing=("", "-"))
    known = machine.replace(provenance={KEY: source.to_spec()}, encoding=encoding)
    known.save(tmp_path / "model")
    assert TableSource.of(gm.load(tmp_path / "model")) == source
    assert TableSource.of(machine) == TableSource()


@pytest.mark.parametrize("spec", [7, {"kinds": 7}, {"dropped": 7}, {"typical": 7}])
def test_a_damaged_source_is_refused(machine, spec):
    with pytest.raises(ValueError, match="what the machine says of its table is damaged"):
        TableSource.of(machine.replace(provenance={KEY: spec}))
