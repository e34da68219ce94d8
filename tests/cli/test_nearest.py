"""gristmill nearest: neighbours as lines and as JSON."""

from __future__ import annotations

import io
import json
import sys
from types import SimpleNamespace

import pytest

import gristmill as gm
from gristmill.cli import run

ROWS = "1 1:1 2:1 3:1\n2 2:1 3:1 4:1\n-1 7:1\n"
QUERIES = "0 2:1 3:1 4:1 5:1\n0 7:1\n"
TREES = "one\t(S (A a) (B b))\ntwo\t(S (A c) (B b))\nthree\t(T (A a))\n"


@pytest.fixture
def files(write):
    return SimpleNamespace(rows=write(ROWS, "rows"), queries=write(QUERIES, "queries"), trees=write(TREES, "trees"))


def call(*arguments):
    return run(["nearest", *map(str, arguments)])


def test_a_line_for_each_neighbour(files, capsys):
    assert call(files.rows, files.queries, "-k", 2) == 0
    assert capsys.readouterr().out == "1\t2\t0.75\t2\n1\t1\t0.4\t1\n2\t3\t1\t-1\n2\t1\t0\t1\n"


def test_without_queries_each_example_is_compared_with_the_others(files, capsys):
    assert call(files.rows, "--threshold", 0.5) == 0
    assert capsys.readouterr().out == "1\t2\t0.5\t2\n2\t1\t0.5\t1\n"


def test_five_are_found_where_nothing_is_said(files, capsys):
    assert call(files.rows, files.queries) == 0
    assert len(capsys.readouterr().out.splitlines()) == 6


def test_json_has_an_object_for_each_query(files, capsys):
    assert call(files.rows, files.queries, "--threshold", 0.5, "--json") == 0
    first, second = map(json.loads, capsys.readouterr().out.splitlines())
    query = {"number": 1, "label": "0"}
    assert first == {"query": query, "neighbours": [{"number": 2, "label": "2", "similarity": 0.75}]}
    assert second["neighbours"][0]["number"] == 3


def test_queries_come_from_standard_input_and_go_to_a_file(files, capsys, monkeypatch):
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(QUERIES.encode()), isatty=lambda: False))
    out = files.rows.parent / "found"
    assert call(files.rows, "-", "-k", 1, "-o", out) == 0
    assert out.read_text() == "1\t2\t0.75\t2\n2\t3\t1\t-1\n"


@pytest.mark.parametrize(
    ("options", "kernel"),
    [
        ("--kernel cosine", gm.CosineKernel()),
        ("--kernel rbf -g 0.25", gm.RBFKernel(0.25)),
        ("--kernel poly -d 3 -r 2", gm.PolynomialKernel(3, 1.0, 2.0)),
        ("--kernel linear", gm.PolynomialKernel(1, 1.0, 0.0)),
    ],
)
def test_any_kernel_of_rows(files, options, kernel, capsys):
    assert call(files.rows, files.queries, "-k", 3, *options.split()) == 0
    found = [line.split("\t")[:3] for line in capsys.readouterr().out.splitlines()]
    data, queries = (gm.read_svmlight(path)[0] for path in (files.rows, files.queries))
    expected = gm.nearest(data, queries, k=3, kernel=kernel)
    assert found == [
        [str(query + 1), str(one.number + 1), f"{one.similarity:.6g}"]
        for query, neighbours in enumerate(expected)
        for one in neighbours
    ]


def test_trees_by_a_normalised_kernel(files, capsys):
    assert call(files.trees, "--kernel", "sst", "-k", 1) == 0
    found = [line.split("\t") for line in capsys.readouterr().out.splitlines()]
    assert [(line[0], line[1], line[3]) for line in found] == [("1", "2", "two"), ("2", "1", "one"), ("3", "1", "one")]


CODE = {
    "one.py": "def total(items):\n    s = 0\n    for i in items:\n        s += i\n    return s\n",
    "two.py": 'def all_of(items):\n    """Sum."""\n    s = 0\n    for i in items:\n        s += i\n    return s\n',
    "three.py": "class A:\n    async def go(self):\n        await self.stop(1)\n",
}


@pytest.fixture
def code(tmp_path):
    for name, text in CODE.items():
        (tmp_path / "code").mkdir(exist_ok=True)
        (tmp_path / "code" / name).write_text(text)
    return tmp_path / "code"


def test_clones_of_functions(code, capsys):
    assert call(code, "--language", "python", "--threshold", 0.6) == 0
    (one, *_), (other, *_) = (line.split("\t") for line in capsys.readouterr().out.splitlines())
    assert (one, other) == (f"{code / 'one.py'}:1 total", f"{code / 'two.py'}:1 all_of")
    assert call(code, code / "three.py", "--language", "python", "-k", 1, "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert found["query"]["place"].endswith("three.py:2 go")
    assert found["neighbours"][0]["similarity"] == pytest.approx(1)


def test_files_that_are_no_code(code, capsys):
    (code / "bad.py").write_text("def f(:\n")
    (code / "null.py").write_text("x = '\0'\n")
    assert call(code, "--language", "python", "-k", 1) == 0
    assert capsys.readouterr().err.count("the file is passed over") == 2
    assert call(code / "bad.py", "--language", "python", "-k", 1) == 1
    assert f"{code / 'bad.py'}:1:7: no Python" in capsys.readouterr().err
    (code / "empty.py").write_text("x = 1\n")
    assert call(code / "empty.py", "--language", "python") == 1
    assert "there are no Python functions in it" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--language python --kernel cosine", "--language goes with kernels of trees"),
        ("--kernel tanimoto --degree 3", "--degree does not go with --kernel tanimoto"),
        ("--kernel linear -g 2", "--gamma does not go with --kernel linear"),
        ("--kernel rbf --decay 0.5", "--decay does not go with --kernel rbf"),
        ("--kernel cosine --marks", "go with kernels of trees"),
        ("--kernel sst", "trees"),
        ("-k 0", "-k"),
    ],
)
def test_what_does_not_fit_is_refused(files, options, message, capsys):
    assert call(files.rows, files.queries, *options.split()) != 0
    assert message in capsys.readouterr().err
