"""The benchmarks of tree classes and of pairs, on a few made-up questions."""

from __future__ import annotations

import gzip
import json

import numpy as np
import pytest

from benchmarks import measure, pp_attachment, question_classes
from tests.tuning.sets_to_tune_on import trees


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("GRISTMILL_DATA", str(tmp_path))
    monkeypatch.setattr(measure, "RESULTS", tmp_path / "data")
    return tmp_path


def put(path, lines):
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(gzip.compress("".join(f"{line}\n" for line in lines).encode()))


def result(folder, name):
    return json.loads((folder / "data" / f"{name}.json").read_text())


def test_classes_of_questions_are_measured(folder):
    for part, size, seed in (("train", 60, 0), ("test", 20, 1)):
        texts, labels = trees(size, seed=seed)
        put(folder / f"qc/{part}.tk.gz", [f"{label}\t{tree}" for tree, label in zip(texts, labels, strict=True)])
        put(folder / f"qc/{part}.txt.gz", [f"{label}:{label} question" for label in labels])
    question_classes.main([question_classes.DEFAULT], [{}, {"C": 1.0}, {"decay": 0.2}], n=50, rounds=1)
    found = result(folder, "question_classes")
    assert [row[0] for row in found["rows"]] == ["six classes", "fine classes"]
    near, coarse, fine = found["more"]
    assert [row[0] for row in near["rows"]] == ["none", "C 1.0", "decay 0.2"]
    assert [f"{row[0]}:{row[0]}" for row in coarse["rows"]] == [row[0] for row in fine["rows"]]


def test_pairs_are_measured(folder):
    random = np.random.default_rng(0)
    for part in pp_attachment.PARTS:
        rows = random.choice(list("abc"), (60, 4)).tolist()
        put(folder / f"ppattach/{part}.txt.gz", [f"0 {' '.join(row)} {'NV'[row[0] == row[2]]}" for row in rows])
    pp_attachment.main([1, 2], [0.1, 1.0], rounds=1)
    found = result(folder, "pp_attachment")
    assert [row[:2] for row in found["rows"]] == [["SVM", 1], ["SVM", 2], ["online", 1], ["online", 2]]
    assert [row[0] for row in found["more"][0]["rows"]][:2] == ["the noun, always", "what the preposition prefers"]


def test_numbers_are_words_of_their_own():
    words, answer = pp_attachment.example(["Rose", "5.5", "in", "1990", "V"])
    assert (list(words), answer) == (["0=rose", "1=NUMBER", "2=in", "3=YEAR"], "V")
