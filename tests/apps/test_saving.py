"""gm.save writes any model to one file without pickle, and gm.load gives what answers alike."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.svm import SVC

import gristmill as gm

TABLE = pd.DataFrame({"a": ["x", "y", "z", "x"] * 5, "b": [0, 1, 1, 0] * 5})
Y = [0, 1, 1, 0] * 5
ROWS = np.array([[1, 0, 1], [1, 1, 0], [0, 1, 1], [0, 0, 1]])


def test_a_pipeline_is_saved_with_its_encoder(tmp_path):
    pipeline = make_pipeline(OneHotEncoder(handle_unknown="ignore"), gm.KernelSVC()).fit(TABLE, Y)
    gm.save(pipeline, tmp_path / "model")
    assert b"pickle" not in (tmp_path / "model").read_bytes()
    scorer = gm.load(tmp_path / "model").compile()
    new = pd.DataFrame({"b": [1, 7], "a": ["y", "boat"]})
    assert scorer.predict(new).tolist() == pipeline.predict(new[["a", "b"]]).tolist()
    assert "a = y" in gm.explain(gm.load(tmp_path / "model"), new)[0].names


def test_without_its_encoder_it_is_the_machine_with_the_names_of_the_steps(tmp_path):
    texts = ["a good plot", "a bad plot"] * 4
    pipeline = make_pipeline(CountVectorizer(binary=True), gm.KernelSVC()).fit(texts, [1, 0] * 4)
    with pytest.raises(ValueError, match=r"CountVectorizer reads no tables: .* encoding=False"):
        gm.save(pipeline, tmp_path / "model")
    assert not list(tmp_path.iterdir())
    gm.save(pipeline, tmp_path / "model", encoding=False)
    machine = gm.load(tmp_path / "model")
    assert machine.feature_names == ("bad", "good", "plot")
    assert machine.encoding is None
    assert machine.compile().predict(pipeline[:-1].transform(texts)).tolist() == [1, 0] * 4


@pytest.mark.parametrize(
    "learner",
    [gm.KernelSVC(), gm.OnlineKernelClassifier(), SVC(kernel="poly", degree=2, gamma=1.0, coef0=1.0)],
    ids=lambda learner: type(learner).__name__,
)
def test_estimators_are_saved_as_their_machines(learner, tmp_path):
    learner.fit(ROWS, Y[:4])
    for model in [learner, gm.accelerate(learner)]:
        gm.save(model, tmp_path / "model")
        assert gm.load(tmp_path / "model").compile().predict(ROWS).tolist() == learner.predict(ROWS).tolist()


def test_what_saves_itself_is_asked_to(tmp_path):
    machine = gm.KernelSVC().fit(ROWS, Y[:4]).machine_
    for model in (machine, machine.compile()):
        gm.save(model, tmp_path / "one")
        assert gm.load(tmp_path / "one") == machine
    gm.save(gm.Machines({"a": machine}), tmp_path / "many")
    assert gm.load(tmp_path / "many")["a"] == machine


def test_a_table_classifier_is_saved_with_its_encoder(tmp_path):
    clf = gm.TableClassifier(C=1.0, degree=1).fit(TABLE, Y)
    gm.save(clf, tmp_path / "model")
    assert gm.load(tmp_path / "model") == clf.machine_


def test_a_saved_pipeline_is_read_without_scikit_learn(tmp_path):
    gm.save(make_pipeline(OneHotEncoder(), gm.KernelSVC()).fit(TABLE, Y), tmp_path / "model")
    code = (
        f"import sys, gristmill as gm; scorer = gm.load({str(tmp_path / 'model')!r}).compile(); "
        "print(scorer.predict([{'a': 'y', 'b': 1}]), 'sklearn' in sys.modules)"
    )
    assert subprocess.check_output([sys.executable, "-c", code], text=True).split() == ["[1]", "False"]
