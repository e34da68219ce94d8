"""Files for gristmill explain, and how tests call it."""

from __future__ import annotations

import io
import json
import sys
from types import SimpleNamespace

import numpy as np
import pytest

import gristmill as gm
from gristmill.cli import run

TREES = [
    "(S (NP dogs) (VP bark))",
    "(S (NP cats) (VP sleep))",
    "(S (NP cats) (VP bark))",
    "(S (NP dogs) (VP (V sleep)))",
]


def row_files(folder):
    """A machine of three classes with names, and a file of rows with words as labels."""
    rng = np.random.default_rng(0)
    X = (rng.random((30, 12)) < 0.4).astype(float)
    coef, classes, names = rng.normal(size=(10, 3)).round(2), ["a", "b", "c"], [f"f{number}" for number in range(12)]
    machine = gm.Machine(gm.PolynomialKernel(2), X[:10], coef, [0.1, 0.2, 0.3], classes, "ovr", feature_names=names)
    labels = [classes[number % 3] for number in range(30)]
    lines = [
        " ".join([label, *(f"{at + 1}:1" for at in np.flatnonzero(x))]) for label, x in zip(labels, X, strict=True)
    ]
    machine.save(folder / "model")
    (folder / "data").write_text("".join(f"{line}\n" for line in lines))
    return SimpleNamespace(machine=machine, X=X, labels=labels, model=folder / "model", data=folder / "data")


def tree_files(folder):
    """A machine on trees of two classes, and files of trees with labels and without."""
    kernel = gm.Normalized(gm.SubsetTreeKernel(0.5))
    machine = gm.Machine(kernel, TREES[:3], [1.0, -1.0, 0.5], 0.25, classes=["quiet", "loud"])
    machine.save(folder / "trees.model")
    gm.write_trees(folder / "labelled", TREES, ["loud", "quiet", "loud", "quiet"])
    (folder / "plain").write_text("".join(f"{tree}\n" for tree in TREES))
    files = {"model": folder / "trees.model", "labelled": folder / "labelled", "plain": folder / "plain"}
    return SimpleNamespace(machine=machine, **files)


def call(*arguments):
    return run(["explain", *map(str, arguments)])


def printed(capsys):
    return capsys.readouterr().out


def objects(capsys):
    return [json.loads(line) for line in printed(capsys).splitlines()]


def feed(monkeypatch, data):
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(data)))


@pytest.fixture
def rows(tmp_path):
    return row_files(tmp_path)


@pytest.fixture
def trees(tmp_path):
    return tree_files(tmp_path)
