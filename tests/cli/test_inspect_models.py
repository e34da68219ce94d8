"""gristmill inspect on models whose provenance is long."""

from __future__ import annotations

import json

import pytest

import gristmill as gm
from gristmill.cli import run

LONG = "word " * 1000


@pytest.fixture(params=["rows", "trees"])
def model(request, tmp_path):
    if request.param == "rows":
        kernel, support = gm.PolynomialKernel(2), [{0, 1}]
    else:
        kernel, support = gm.SubsetTreeKernel(), gm.Forest.from_strings(["(S (A a) (B b))"])
    path = tmp_path / "model"
    gm.Machine(kernel, support, [1.0], 0.0, provenance={"C": 0.5, "dictionary": LONG}).save(path)
    return path


def test_long_values_of_the_provenance_are_cut_for_people(model, capsys):
    assert run(["inspect", str(model)]) == 0
    shown = capsys.readouterr().out
    assert "C 0.5, dictionary word word" in " ".join(shown.split())
    assert 30 <= shown.count("word") <= 40
    assert "..." in shown


def test_long_values_of_the_provenance_are_whole_for_programs(model, capsys):
    assert run(["inspect", str(model), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["provenance"]["dictionary"] == LONG
