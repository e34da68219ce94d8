"""Models made by YamCha 0.33 with its own answers, in the folder that $GRISTMILL_YAMCHA names.

For NAME.model (and NAME.txtmodel.gz beside it) NAME.V17.txt holds what `yamcha -V` prints for test20.data, with 17
digits: the columns, the tag, and class/distance for each class. Figures are compared in the sense of law one.
"""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

import gristmill as gm
from gristmill.machines.formats import load_bytes, yamcha, yamcha_text
from tests.oracle.yamcha import distances, features, sentences

FOLDER = os.environ.get("GRISTMILL_YAMCHA")
pytestmark = [
    pytest.mark.skipif(FOLDER is None, reason="set GRISTMILL_YAMCHA to a folder of YamCha's models and outputs"),
    pytest.mark.filterwarnings("ignore::gristmill.SwappedParametersWarning"),
]
MODELS = sorted(path for path in Path(FOLDER or ".").glob("*.model") if path.with_suffix(".V17.txt").exists())
TEXTS = [path for path in MODELS if path.with_suffix(".txtmodel.gz").exists()]


def name_of(path):
    return path.stem


def answers(path, n_classes):
    """Tags, names of classes, and distances."""
    lines = [line.split("\t") for line in path.read_text().split("\n") if line]
    pairs = [[cell.rsplit("/", 1) for cell in line[-n_classes:]] for line in lines]
    figures = np.array([[float(number) for _, number in row] for row in pairs])
    return [line[-n_classes - 1] for line in lines], [name for name, _ in pairs[0]], figures


def queries(machine, tags, path):
    """The known features of each token as ids, with the tags that the program gave as earlier tags."""
    known = {name: at for at, name in enumerate(machine.feature_names)}
    rows, left = [], list(tags)
    for tokens in sentences(path.read_text()):
        own, left = left[: len(tokens)], left[len(tokens) :]
        for names in features(machine.provenance["parameters"], tokens, own):
            rows.append(sorted({known[name] for name in names if name in known}))
    return rows


def assert_same_answers(machine, path, engine="inverted"):
    tags, names, wanted = answers(path, machine.n_classes)
    X = queries(machine, tags, path.parent / "test20.data")
    scorer = machine.compile(engine)
    order = [machine.classes.tolist().index(name) for name in names]
    got = distances(scorer.decision_function(X), machine.n_classes, machine.scheme)[:, order]
    scale = np.abs(machine.intercept) + np.abs(machine.kernel(X, machine.support)) @ abs(machine.coef)
    assert (np.abs(got - wanted).max(axis=1) <= 1e-9 * scale.max(axis=1)).all()
    assert np.abs(got - wanted).max() < 1e-12
    assert scorer.predict(X).tolist() == tags


@pytest.mark.parametrize("engine", ["direct", "inverted"])
@pytest.mark.parametrize("path", MODELS, ids=name_of)
def test_compiled_models_answer_as_in_yamcha(path, engine):
    assert_same_answers(gm.load(path), path.with_suffix(".V17.txt"), engine)


@pytest.mark.parametrize("path", TEXTS, ids=name_of)
def test_text_models_are_the_machines_that_were_compiled_from_them(path):
    compiled = yamcha.read(path.read_bytes(), as_trained=True)
    text = gm.load(path.with_suffix(".txtmodel.gz"))
    assert text.kernel == compiled.kernel
    assert text.classes.tolist() == compiled.classes.tolist()
    assert text.feature_names == compiled.feature_names
    assert text.support.ids.tolist() == compiled.support.ids.tolist()
    assert np.array_equal(text.intercept, compiled.intercept)
    assert abs(text.coef - compiled.coef).max() == 0
    assert text.provenance["parameters"] == compiled.provenance["parameters"]


@pytest.mark.parametrize("path", MODELS, ids=name_of)
def test_what_is_written_answers_as_in_yamcha(path):
    machine = gm.load(path)
    assert_same_answers(load_bytes(yamcha.write(machine)), path.with_suffix(".V17.txt"))
    assert_same_answers(load_bytes(yamcha_text.write(machine)), path.with_suffix(".V17.txt"))
