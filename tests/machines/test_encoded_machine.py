"""A machine with an encoding reads tables; it says so in its file, and its features are the bins."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gristmill as gm
from gristmill.machines import store
from gristmill.machines.formats import load_bytes
from tests.data.tables.table_strategies import as_dicts, tables
from tests.golden.make_encoded_v2 import HERE
from tests.golden.make_encoded_v2 import TABLE as GOLDEN_TABLE
from tests.golden.make_encoded_v2 import machine as golden_machine

TABLE = [
    {"age": 20 + n % 40, "housing": "own" if n % 3 else "rent", "bmi": None if n % 7 == 0 else n / 3} for n in range(90)
]
TARGETS = ["bad" if row["age"] < 30 and row["housing"] == "rent" else "good" for row in TABLE]


@pytest.fixture(scope="module")
def clf():
    return gm.TableClassifier(C=1.0, degree=2, rounds=0, pair_scale=0.5, parts="both", bins=6).fit(TABLE, TARGETS)


def test_frames_dicts_and_one_hot_columns_have_the_same_scores(clf):
    scorer = clf.machine_.compile()
    one_hot = clf.encoder_.transform(TABLE)
    named = pd.DataFrame(one_hot.toarray(), columns=clf.encoder_.get_feature_names_out())
    expected = scorer.decision_function(one_hot)
    assert np.abs(expected - clf.decision_function(TABLE)).max() < 1e-9
    rows = gm.ids([row.indices.tolist() for row in one_hot])
    for data in (TABLE, pd.DataFrame(TABLE), pl.DataFrame(TABLE)[:, ::-1], rows, named[named.columns[::-1]]):
        assert np.array_equal(scorer.decision_function(data), expected)


def test_labels_and_probabilities_of_a_loaded_machine_are_those_of_the_estimator(clf, tmp_path):
    clf.machine_.save(tmp_path / "model")
    scorer = gm.load(tmp_path / "model").compile()
    frame = pd.DataFrame(TABLE)
    assert (scorer.predict(frame) == clf.predict(frame)).all()
    assert np.abs(scorer.predict_proba(frame) - clf.predict_proba(frame)).max() < 1e-12


@given(st.data())
def test_a_file_keeps_the_encoding(data):
    table = as_dicts(data.draw(tables()))
    encoding = gm.TableEncoder(bins=4, min_frequency=1).fit(table).encoding_
    width = int(encoding.starts[-1])
    support = gm.ids([[0], [width - 1]], width)
    machine = gm.Machine("poly", support, [1.0, -2.0], 0.5, ["no", "yes"], encoding=encoding)
    loaded = load_bytes(store.to_bytes(machine))
    assert loaded == machine
    assert loaded.feature_names == tuple(encoding.feature_names)
    assert np.array_equal(loaded.compile().decision_function(table), machine.compile().decision_function(table))
    assert store.to_bytes(loaded) == store.to_bytes(machine)


def test_the_golden_file_of_version_2_is_read_and_written_as_ever():
    golden = HERE / "encoded-v2.safetensors"
    assert load_bytes(golden.read_bytes()) == golden_machine()
    assert store.to_bytes(golden_machine()) == golden.read_bytes()
    scores = gm.load(golden).compile("direct").decision_function(GOLDEN_TABLE)
    assert scores.tolist() == json.loads((HERE / "encoded-v2.json").read_text(encoding="utf-8"))
    with pytest.raises(ValueError, match="column 'joined', row 0: got a missing number"):
        gm.load(golden).examples([GOLDEN_TABLE[0] | {"joined": None}])


def test_a_collection_keeps_the_encodings(clf):
    both = gm.Machines({"one": clf.machine_, "two": clf.machine_.replace(intercept=0.0)})
    assert load_bytes(store.to_bytes(both)) == both


def test_files_without_an_encoding_and_softmax_are_of_version_1(clf):
    plain = clf.machine_.replace(encoding=None, probability=None)
    assert b'"version\\":1' in store.to_bytes(plain)
    assert b'"version\\":2' in store.to_bytes(clf.machine_)
    assert plain.feature_names == clf.machine_.feature_names
    assert plain != clf.machine_


def test_columns_are_matched_by_name_and_others_are_refused(clf):
    frame = pd.DataFrame(TABLE)
    with pytest.raises(ValueError, match=r"unseen at fit time:\n- hight"):
        clf.machine_.compile().predict(frame.rename(columns={"age": "hight"}))


def test_an_encoding_that_does_not_fit_the_support_is_refused(clf):
    encoding = clf.encoder_.encoding_
    with pytest.raises(ValueError, match=r"the encoding has \d+ bins, the support 3 features"):
        gm.Machine("poly", gm.ids([[2]]), [1.0], 0.0, encoding=encoding)
    support = gm.ids([[0]], int(encoding.starts[-1]))
    names = [str(n) for n in range(support.n_features)]
    with pytest.raises(ValueError, match="leave feature_names out"):
        gm.Machine("poly", support, [1.0], 0.0, feature_names=names, encoding=encoding)
    with pytest.raises(ValueError, match="machines on rows"):
        gm.Machine("sst", ["(S a)"], [1.0], 0.0, encoding=encoding)


def test_explanations_of_a_loaded_machine_read_tables(clf):
    loaded = load_bytes(store.to_bytes(clf.machine_))
    explained, expected = gm.explain(loaded, TABLE[:1]), gm.explain(clf, TABLE[:1])
    assert str(explained) == str(expected)
