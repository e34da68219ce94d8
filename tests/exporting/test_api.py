"""gm.export: what it is given, and what it says of what it wrote."""

from __future__ import annotations

import json
import subprocess

import numpy as np
import pytest

import gristmill as gm
from gristmill.cli import run
from tests.exporting.programs import found


def machine(**parts):
    rows = gm.ids([[0], [1], [2]])
    made = gm.Machine(gm.PolynomialKernel(1, coef0=0.0), rows, [0.1, 0.2, -0.3], 0.0, classes=["a", "b"])
    return made.replace(**parts)


def test_it_says_what_is_promised(tmp_path):
    exported = gm.export(machine(), tmp_path / "model.c")
    assert (exported.language, exported.conjunctions, exported.exact, exported.labels) == ("c", 3, False, "always")
    assert exported.nbytes == (tmp_path / "model.c").stat().st_size
    assert "Labels are gristmill's, always" in str(exported)
    assert gm.export(machine(), tmp_path / "model.c", definition=False).labels == "beyond the bound"
    assert gm.export(machine(coef=[1.0, 2.0, 4.0]), tmp_path / "model.js", definition=False).labels == "always"
    values = machine(classes=None, scheme="regression")
    assert gm.export(values, tmp_path / "model.mjs").labels == "none"


def test_rows_near_a_decision_are_counted(tmp_path):
    data = gm.ids([[0], [0, 1, 2], [2], [0, 1, 2]])
    exported = gm.export(machine(), tmp_path / "model.js", data=data)
    assert (exported.rows, exported.open_rows) == (4, 2)
    assert "2 nearer to a decision" in str(exported)
    assert '"rows": [[0], [0, 1, 2], [2], [0, 1, 2]]' in (tmp_path / "model.js").read_text()


def test_an_estimator_is_as_good_as_its_machine(tmp_path):
    X, y = np.array([[1, 0], [0, 1], [1, 1], [0, 0]]), np.array([0, 1, 1, 0])
    model = gm.KernelSVC(kernel="poly").fit(X, y)
    gm.export(model, tmp_path / "one.c", name="m")
    gm.export(model.machine_, tmp_path / "two.c", name="m")
    assert (tmp_path / "one.c").read_bytes() == (tmp_path / "two.c").read_bytes()


@pytest.mark.parametrize(
    ("path", "options", "message"),
    [
        ("model.py", {}, "got a path that ends in '.py'"),
        ("model.c", {"language": "rust"}, "got 'rust'"),
        ("model.c", {"name": "a b"}, "name must be a letter"),
        ("model.c", {"bits": 8}, "bits must be one of 16, 32, 53"),
        ("model.c", {"names": True}, "have no names"),
    ],
)
def test_what_cannot_be_is_refused_and_nothing_is_written(path, options, message, tmp_path):
    with pytest.raises(ValueError, match=message):
        gm.export(machine(), tmp_path / path, **options)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(("stem", "name"), [("my model-2", "my_model_2"), ("2fast", "model"), ("ü", "model")])
def test_names_are_made_of_the_file_name(stem, name, tmp_path):
    gm.export(machine(), tmp_path / f"{stem}.c")
    assert f"int {name}_predict(" in (tmp_path / f"{stem}.c").read_text()


def test_the_command_writes_a_file_that_checks_itself(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    machine(first_id=1).save("model.safetensors")
    (tmp_path / "data.svm").write_text("b 1:1 2:1 3:1\na 3:1\n")
    assert run(["export", "model.safetensors", "-o", "model.js", "--data", "data.svm", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["language"], told["rows"], told["open_rows"]) == ("js", 2, 1)
    assert subprocess.run([found("node"), "model.js", "--self-test"], check=False).returncode == 0
    assert "Feature 1 of its data files is column 0." in (tmp_path / "model.js").read_text()
    assert run(["export", "model.safetensors", "-o", "-", "--language", "c", "-q"]) == 0
    assert "int model_predict(" in capsys.readouterr().out


def test_the_command_refuses_what_it_cannot_export(tmp_path, capsys):
    gm.Machine(gm.RBFKernel(0.5), gm.ids([[0]]), [1.0], 0.0).save(tmp_path / "rbf.safetensors")
    assert run(["export", str(tmp_path / "rbf.safetensors"), "-o", str(tmp_path / "rbf.c")]) == 1
    assert "polynomial kernel of degree 1 to 12" in capsys.readouterr().err


def test_a_machine_of_tables_reads_the_one_hot_columns_of_its_encoder(tmp_path):
    rng = np.random.default_rng(0)
    X = [{"size": float(size), "colour": colour} for size, colour in zip(rng.normal(size=60), "abc" * 20, strict=True)]
    model = gm.TableClassifier().fit(X, [row["size"] > 0 for row in X])
    path = tmp_path / "model.js"
    gm.export(model, path, names=True, data=X)
    rows = model.machine_.examples(X)
    asked = json.dumps([rows.one(at).ids.tolist() for at in range(len(rows))])
    code = f"const m = require({json.dumps(str(path))}); console.log(JSON.stringify({asked}.map(m.predict)))"
    out = subprocess.run([found("node"), "-e", code], capture_output=True, text=True, check=True).stdout
    assert json.loads(out) == model.predict(X).tolist()
