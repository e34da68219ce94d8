"""What an installed wheel must do: hold its files, learn, save, load, score."""

from __future__ import annotations

import tempfile
from importlib.resources import files
from pathlib import Path

import gristmill as gm

for name in ("display/css/parts.css", "web/page/index.html", "py.typed"):
    assert (files("gristmill") / name).read_text() is not None, name

kernel = gm.PolynomialKernel(2)
assert kernel(gm.ids([[1, 2]]), gm.ids([[2]])).tolist() == [[4.0]]

X = [[1, 0, 1], [1, 1, 0], [0, 1, 1], [0, 0, 1]]
clf = gm.OnlineKernelClassifier(degree=2, C=1.0).fit(X, ["a", "a", "b", "b"])
assert clf.predict(X).tolist() == ["a", "a", "b", "b"]
trees = ["(S (A a) (B b))", "(S (A a) (B c))", "(S (C a) (B b))", "(S (C c) (B b))"]
assert gm.KernelSVC("sst", C=10).fit(trees, ["a", "a", "c", "c"]).predict(["(S (A d) (B e))"]).tolist() == ["a"]

with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "model.safetensors"
    clf.machine_.save(path)
    rows = gm.ids([[0, 2], [1, 2]])
    scores = gm.load(path).compile(engine="expanded").decision_function(rows)
    assert abs(scores - clf.machine_.compile(engine="direct").decision_function(rows)).max() < 1e-9
print("the installed wheel learns, saves, loads and scores")
