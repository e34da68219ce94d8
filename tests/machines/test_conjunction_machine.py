"""A machine of conjunctions is a Machine like any other: saved, replaced, pickled, shown, collected."""

from __future__ import annotations

import json
import pickle

import numpy as np
import pytest
from hypothesis import given

import gristmill as gm
from gristmill.machines.formats import MODEL_FORMATS
from gristmill.machines.store import from_bytes, to_bytes
from tests.data.conjunctions import given_conjunctions, random_conjunctions, random_rows
from tests.golden.make_conjunctions_v1 import HERE, ROWS
from tests.golden.make_conjunctions_v1 import machine as golden_machine

GOLDEN = HERE / "conjunctions-v1.safetensors"


def test_the_golden_file_of_version_1_is_read_and_written_as_ever():
    assert from_bytes(GOLDEN.read_bytes()) == golden_machine()
    assert to_bytes(golden_machine()) == GOLDEN.read_bytes()


@pytest.mark.parametrize("engine", ["direct", "inverted", "expanded", "auto"])
def test_the_golden_file_still_answers_the_same(engine):
    scores = gm.load(GOLDEN).compile(engine).decision_function(ROWS)
    assert scores.tolist() == json.loads((HERE / "conjunctions-v1.json").read_text(encoding="utf-8"))


@given(made=given_conjunctions())
def test_it_survives_files_and_pickles(made):
    machine = made.machine(provenance={"a": 1})
    assert from_bytes(to_bytes(machine)) == machine
    assert pickle.loads(pickle.dumps(machine)) == machine
    assert to_bytes(from_bytes(to_bytes(machine))) == to_bytes(machine)


def test_names_stand_once_in_a_file():
    machine = golden_machine()
    assert gm.load(GOLDEN).feature_names == machine.feature_names
    both = gm.Machines({"one": machine, "two": machine.replace(intercept=[0.0, 0.0, 1.0])})
    data = to_bytes(both)
    assert data.count(b"housing = own") == 1
    assert from_bytes(data)["two"] == both["two"]
    assert from_bytes(data).feature_names == machine.feature_names


def test_parts_are_replaced():
    machine = golden_machine()
    other = machine.replace(feature_names=list("abcde"), classes=["x", "y", "z"])
    assert (other.feature_names, list(other.classes)) == (tuple("abcde"), ["x", "y", "z"])
    assert other.replace(feature_names=machine.feature_names, classes=machine.classes) == machine
    assert machine.replace(kernel=gm.PolynomialKernel(2)).is_polynomial
    with pytest.raises(ValueError, match="values must be 0 and 1, got 2"):
        machine.replace(support=np.full((6, 5), 2.0))


def test_it_says_what_it_is():
    machine = golden_machine()
    assert (
        repr(machine) == "Machine(ConjunctionKernel(), one-vs-rest: 6 conjunctions, 5 features, 3 outputs, 3 classes)"
    )
    assert "conjunctions" in machine._repr_html_()
    assert machine.support_noun == "conjunction"
    assert "6 conjunctions" in machine.compile()._repr_html_()
    with pytest.raises(ValueError, match="expected a machine with a polynomial kernel, got ConjunctionKernel"):
        machine.polynomial  # noqa: B018


def test_columns_of_frames_go_by_name():
    import pandas as pd

    machine = golden_machine()
    frame = pd.DataFrame(ROWS.to_csr().toarray(), columns=machine.feature_names)
    wanted = machine.compile("direct").decision_function(ROWS)
    for engine in ("direct", "inverted", "expanded"):
        assert np.array_equal(machine.compile(engine).decision_function(frame[frame.columns[::-1]]), wanted)


@pytest.mark.parametrize("known", [one for one in MODEL_FORMATS if one.NAME != "gristmill"], ids=lambda one: one.NAME)
def test_foreign_formats_refuse_it(known, tmp_path):
    machine = random_conjunctions(10, 5)
    with pytest.raises(ValueError, match=r"holds polynomial.* kernels on rows, .* write it as 'gristmill'"):
        gm.write(machine, tmp_path / "model", format=known.NAME)
    assert not (tmp_path / "model").exists()
    gm.write(machine, tmp_path / "model", format="gristmill")
    assert gm.load(tmp_path / "model") == machine


def test_scorers_travel():
    machine = random_conjunctions(100, 20)
    scorer, X = machine.compile("expanded"), random_rows(20, 20, 8)
    copy = pickle.loads(pickle.dumps(scorer))
    assert np.array_equal(copy.decision_function(X), scorer.decision_function(X))
    assert copy.engine == "expanded"
