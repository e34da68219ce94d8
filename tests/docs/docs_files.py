"""Files and names that the documentation takes for granted: small, but of the right kind."""

from __future__ import annotations

import gzip
import random
from pathlib import Path

import numpy as np
import pandas as pd

import gristmill as gm
from gristmill.cli import run

TREES = [
    f"(S (NP (D {d}) (N {n})) (VP (V {v})))"
    for d in ("the", "a")
    for n in ("dog", "cat", "cow", "hen")
    for v in ("eats", "runs")
]

LABELS = ["farm" if "cow" in tree or "hen" in tree else "house" for tree in TREES]


def make_files(folder: Path) -> None:
    """Everything that commands of the README and of the guide read."""
    chance = random.Random(7)
    for name, examples in (("train.svm", 60), ("dev.svm", 20), ("test.svm", 20)):
        rows = [sorted(chance.sample(range(1, 12), 4)) for _ in range(examples)]
        X = np.zeros((examples, 12))
        for at, row in enumerate(rows):
            X[at, row] = 1
        y = np.array([1 if (1 in row) == (2 in row) else -1 for row in rows])
        gm.write_svmlight(folder / name, X, y)
    labelled = "".join(f"{label}\t{tree}\n" for label, tree in zip(LABELS, TREES, strict=True))
    marked = "".join(
        f"{'up' if 'dog' in t else 'down'}\t{t.replace('(NP', '(NP*2').replace('(V ', '(V*1 ')}\n" for t in TREES
    )
    tk = "".join(f"{1 if 'cow' in tree else -1} |BT| {tree} |ET|\n" for tree in TREES)
    for name, text in (("train.trees", labelled), ("test.trees", labelled), ("roles.trees", marked), ("train.tk", tk)):
        (folder / name).write_text(text)
    (folder / "test.tk").write_text(tk)
    for name in ("train.tk.gz", "test.tk.gz"):
        (folder / name).write_bytes(gzip.compress(tk.encode()))
    people = "".join(f"{20 + at % 40},{'own' if at % 3 else 'rent'},{at % 3 > 1}\n" for at in range(60))
    (folder / "people.csv").write_text(f"age,housing,income\n{people}")
    (folder / "code").mkdir()
    (folder / "code" / "sums.py").write_text("def one(a):\n    return a + 1\n\n\ndef two(b):\n    return b + 1\n")
    make_models(folder)
    make_corpora(folder)


def make_models(folder: Path) -> None:
    for model, *options in (
        ("libsvm.model", "train.svm", "-d", "2", "--format", "libsvm"),
        ("model.safetensors", "train.svm", "-d", "2"),
        ("svm-light-tk.model", "train.tk", "--format", "svmlight-tk"),
    ):
        data, *others = options
        assert run(["train", str(folder / data), str(folder / model), *others, "-q"]) == 0


def make_corpora(folder: Path) -> None:
    (folder / "train.txt").write_text(
        "the DT B-NP\ncat NN I-NP\nsleeps VBZ B-VP\n\na DT B-NP\ndog NN I-NP\neats VBZ B-VP\n"
    )
    words = (("1", "dogs", "NOUN", "2", "nsubj"), ("2", "see", "VERB", "0", "root"), ("3", "cats", "NOUN", "2", "obj"))
    lines = (f"{n}\t{form}\t_\t{tag}\t_\t_\t{head}\t{relation}\t_\t_\n" for n, form, tag, head, relation in words)
    (folder / "train.conllu").write_text("".join(lines) + "\n")
    trees, props = [], []
    for at, (who, verb, whom) in enumerate(
        2 * [("dogs", "see", "cats"), ("men", "eat", "fish"), ("cows", "eat", "hay")]
    ):
        trees.append(f"wsj_0001\t{at}\t(S (NP (NNS {who})) (VP (VB {verb}) (NP (NNS {whom}))) (ADVP (RB often)))\n")
        props.append(f"wsj_0001\t{at}\t1\t{verb}.01\t0-0:ARG0 1-1:V 2-2:ARG1\n")
    (folder / "wsj.trees").write_text("".join(trees))
    (folder / "wsj.props").write_text("".join(props))


def given_names() -> dict[str, object]:
    """What Python examples call X, y and so on."""
    rng = np.random.default_rng(0)
    words = ["not", "good", "bad", "plot", "music", "long"]
    reviews = pd.DataFrame((rng.random((300, 6)) < 0.4).astype(int), columns=words)
    opinion = (reviews["good"] - reviews["bad"]) * (1 - 2 * reviews["not"]) + (reviews["music"] - reviews["long"]) / 2
    liked = np.where((opinion > 0) ^ (rng.random(300) < 0.05), "liked", "disliked")
    X, y = (rng.random((40, 6)) < 0.5).astype(int), np.repeat([-1, 1], 20)
    return {
        "gm": gm,
        "X": X,
        "y": y,
        "X_test": X,
        "machine": gm.KernelSVC(degree=2).fit(X, y).machine_,
        "reviews": reviews,
        "liked": liked,
        "review": pd.DataFrame([[1, 1, 0, 1, 0, 0]], columns=words),
        "blocks": [X, X[:2]],
        "generate": lambda: iter([(X, y), (X, y)]),
    }
