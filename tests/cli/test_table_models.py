"""Commands with a model of tables and files of tables."""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import log_loss, roc_auc_score

import gristmill as gm
from gristmill.cli import run
from tests.cli.table_files import LEARNED, QUICK, people


def call(*arguments):
    return run([str(argument) for argument in arguments])


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("tables")
    people().to_csv(made / "people.csv", index=False)
    people(40, seed=1).sample(frac=1, axis=1, random_state=0).to_csv(made / "others.csv", index=False)
    people(40, seed=1)[LEARNED].to_csv(made / "unknown.csv", index=False)
    assert call("train", made / "people.csv", made / "risk", "--target", "risk", *QUICK) == 0
    learned = ("-C", 1, "--degree", 1, "--drop", "id,risk", "-q")
    assert call("train", made / "people.csv", made / "score", "--target", "score", *learned) == 0
    return made


@pytest.fixture
def classifier(folder):
    frame = people()
    return gm.TableClassifier(C=1.0, degree=2).fit(frame[LEARNED], frame["risk"])


@pytest.mark.parametrize("data", ["others.csv", "unknown.csv"])
def test_predict_matches_columns_by_name(folder, classifier, capsys, data):
    assert call("predict", folder / "risk", folder / data) == 0
    assert capsys.readouterr().out.split() == classifier.predict(people(40, seed=1)[LEARNED]).tolist()


def test_predict_gives_probabilities(folder, classifier, capsys):
    assert call("predict", folder / "risk", folder / "others.csv", "--probabilities") == 0
    found = np.loadtxt(capsys.readouterr().out.splitlines())
    assert np.allclose(found, classifier.predict_proba(people(40, seed=1)[LEARNED]), atol=1e-12)


def test_predict_writes_a_table(folder, classifier, tmp_path):
    how = ("predict", folder / "risk", folder / "others.csv", "--csv", "-o", tmp_path / "answers.csv")
    assert call(*how, "--scores", "--probabilities") == 0
    found, frame = pd.read_csv(tmp_path / "answers.csv"), people(40, seed=1)[LEARNED]
    assert list(found.columns) == ["risk", "score", "probability of bad", "probability of good"]
    assert found["risk"].tolist() == classifier.predict(frame).tolist()
    assert np.allclose(found["score"], classifier.decision_function(frame))
    assert np.allclose(found["probability of good"], classifier.predict_proba(frame)[:, 1])
    assert call(*how) == 0
    assert (tmp_path / "answers.csv").read_text().split() == ["risk", *classifier.predict(frame)]


@pytest.mark.parametrize("options", [("--csv", "--json"), ("--scores", "--probabilities")])
def test_predict_writes_in_one_way(folder, capsys, options):
    assert call("predict", folder / "risk", folder / "others.csv", *options) == 2
    assert "give --" in capsys.readouterr().err


def test_evaluate_has_the_metrics_of_scikit_learn(folder, classifier, capsys):
    assert call("evaluate", folder / "risk", folder / "others.csv", "--json") == 0
    found = json.loads(capsys.readouterr().out)
    frame = people(40, seed=1)
    shares = classifier.predict_proba(frame[LEARNED])
    assert found["accuracy"] == classifier.score(frame[LEARNED], frame["risk"])
    assert found["auc"] == pytest.approx(roc_auc_score(frame["risk"], shares[:, 1]))
    assert found["log_loss"] == pytest.approx(log_loss(frame["risk"], shares))
    assert 0 <= found["calibration_error"] <= 1


def test_evaluate_regression(folder, capsys):
    assert call("evaluate", folder / "score", folder / "others.csv", "--json") == 0
    found, frame = json.loads(capsys.readouterr().out), people(40, seed=1)
    model = gm.TableRegressor(C=1.0, degree=1).fit(people()[LEARNED], people()["score"])
    assert found["root_mean_squared_error"] == pytest.approx(
        np.sqrt(np.mean((model.predict(frame[LEARNED]) - frame["score"]) ** 2))
    )
    assert found["r2"] == pytest.approx(model.score(frame[LEARNED], frame["score"]))


def test_evaluate_prints_the_metrics(folder, capsys):
    assert call("evaluate", folder / "risk", folder / "others.csv") == 0
    said = capsys.readouterr().out
    assert all(name in said for name in ("area under the ROC curve", "log loss", "calibration error"))


def test_evaluate_leaves_rows_without_an_answer_out(folder, tmp_path, capsys):
    frame = people(40, seed=1)
    frame.loc[5:, "risk"] = None
    frame.to_csv(tmp_path / "some.csv", index=False)
    assert call("evaluate", folder / "risk", tmp_path / "some.csv", "--json") == 0
    said = capsys.readouterr()
    assert json.loads(said.out)["examples"] == 5
    assert "some.csv: the target is missing in 35 rows, left out" in said.err


def test_evaluate_says_which_labels_are_no_classes(folder, tmp_path, capsys):
    frame = people(40, seed=1)
    frame.loc[:2, "risk"] = ["Good", "?!", "Good"]
    frame.to_csv(tmp_path / "some.csv", index=False)
    assert call("evaluate", folder / "risk", tmp_path / "some.csv", "--json") == 0
    said = capsys.readouterr()
    assert json.loads(said.out)["examples"] == 40
    assert "some.csv: 3 examples with labels that are no classes of the model" in said.err
    assert "got '?!', 'Good', the classes are 'bad', 'good'" in said.err


@pytest.mark.parametrize("labels", [["Good", "Bad"], [0, 1]])
def test_evaluate_refuses_labels_of_which_none_is_a_class(folder, tmp_path, capsys, labels):
    frame = people(40, seed=1)
    frame.assign(risk=np.resize(labels, 40)).to_csv(tmp_path / "none.csv", index=False)
    assert call("evaluate", folder / "risk", tmp_path / "none.csv") == 1
    named = ", ".join(map(repr, sorted(map(str, labels))))
    assert f"no label is a class of the model: got {named}, the classes are 'bad', 'good'" in capsys.readouterr().err


def test_evaluate_says_that_numbers_are_no_classes(tmp_path, capsys):
    machine = gm.Machine(gm.PolynomialKernel(1, 1.0, 0.0), [{0}], [2.0], 1.0, classes=[0, 1])
    machine.save(tmp_path / "m")
    gm.write_svmlight(tmp_path / "d", [{0}, set(), {0}], [3.0, 2.0, 4.5])
    assert call("evaluate", tmp_path / "m", tmp_path / "d") == 1
    assert "no label is a class of the model: got 2, 3, 4.5, the classes are 0, 1" in capsys.readouterr().err


@pytest.fixture
def booleans(tmp_path):
    """A model of a target that is true or false, and its table."""
    frame = pd.DataFrame({"x": np.arange(60) % 6, "y": np.arange(60) % 6 > 2})
    frame.to_csv(tmp_path / "b.csv", index=False)
    assert call("train", tmp_path / "b.csv", tmp_path / "b", "--target", "y", "-C", 1, "--degree", 1, "-q") == 0
    return tmp_path / "b", tmp_path / "b.csv", frame


def test_a_boolean_target_has_the_classes_that_the_estimator_has(booleans, capsys):
    model, data, frame = booleans
    expected = gm.TableClassifier(C=1.0, degree=1).fit(frame[["x"]], frame["y"]).machine_
    found = gm.load(model)
    assert found.classes.dtype == expected.classes.dtype == np.bool_
    assert (found.compile().predict(frame[["x"]]) == frame["y"]).all()
    assert call("predict", model, data) == 0
    assert capsys.readouterr().out.split() == [str(answer) for answer in frame["y"]]
    assert call("explain", model, data, "--json") == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [line["true_label"] for line in lines] == frame["y"].tolist()


@pytest.mark.parametrize("spell", [str, str.lower, lambda text: str(int(text == "True"))])
def test_booleans_of_a_file_are_compared_however_they_are_spelled(booleans, tmp_path, capsys, spell):
    model, _, frame = booleans
    frame.assign(y=[spell(str(value)) for value in frame["y"]]).to_csv(tmp_path / "spelled.csv", index=False)
    assert call("evaluate", model, tmp_path / "spelled.csv", "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert found["accuracy"] == 1.0
    assert [one["label"] for one in found["classes"]] == [False, True]
    assert [type(one["label"]) for one in found["classes"]] == [bool, bool]


def test_labels_are_of_the_type_that_predict_gives(tmp_path, capsys):
    (tmp_path / "n.csv").write_text("\n".join(["x,y", *(f"{at % 4},{at % 2}" for at in range(40))]))
    assert call("train", tmp_path / "n.csv", tmp_path / "n", "--target", "y", "-C", 1, "--degree", 1, "-q") == 0
    assert call("predict", tmp_path / "n", tmp_path / "n.csv", "--json") == 0
    predicted = {repr(json.loads(line)["label"]) for line in capsys.readouterr().out.splitlines()}
    assert call("evaluate", tmp_path / "n", tmp_path / "n.csv", "--json") == 0
    assert {repr(one["label"]) for one in json.loads(capsys.readouterr().out)["classes"]} == predicted == {"0", "1"}


def test_evaluate_needs_the_column_of_answers(folder, capsys):
    assert call("evaluate", folder / "risk", folder / "unknown.csv") == 1
    assert "unknown.csv has no column 'risk' with true answers" in capsys.readouterr().err


def test_explain_adds_up_to_the_score(folder, classifier, capsys):
    assert call("explain", folder / "risk", folder / "others.csv", "--json") == 0
    found = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    scores = classifier.decision_function(people(40, seed=1)[LEARNED])
    for line, score in zip(found, scores, strict=True):
        assert line["baseline"] + sum(part["value"] for part in line["features"]) == pytest.approx(score)
    assert [line["true_label"] for line in found] == people(40, seed=1)["risk"].tolist()


def test_report_has_the_answers_of_the_table(folder, capsys):
    pytest.importorskip("matplotlib")
    assert call("report", folder / "risk", "--data", folder / "others.csv", "--no-engines", "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert found["quality"]["examples"] == 40


def test_bench_reads_the_table(folder, capsys):
    assert call("bench", folder / "risk", folder / "others.csv", "--json") == 0
    assert json.loads(capsys.readouterr().out)


def test_inspect_shows_columns_of_a_model_and_of_a_table(folder, capsys):
    assert call("inspect", folder / "risk") == 0
    said = capsys.readouterr().out
    assert "predicts" in said
    assert "joined: month" in said
    assert call("inspect", folder / "people.csv") == 0
    assert "typical" in capsys.readouterr().out
    assert call("inspect", folder / "people.csv", "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["rows"], [one["name"] for one in found["columns"]]) == (120, list(people().columns))


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_inspect_knows_a_table_by_its_separators(tmp_path, capsys, separator):
    people(20).to_csv(tmp_path / "table", index=False, sep=separator)
    assert call("inspect", tmp_path / "table", "--json") == 0
    assert [one["name"] for one in json.loads(capsys.readouterr().out)["columns"]] == list(people().columns)


def test_a_model_answers_the_same_whatever_has_read_the_file(tmp_path, capsys):
    """pandas has '?' and blanks around cells as they are."""
    cells = [("own", 1), (" own", 1), ("?", 0), ("rent", 0), ("NA", 0), (" ?", 0)] * 10
    (tmp_path / "t.csv").write_text("\n".join(["home,age,y", *(f"{c},{n if n else '?'},{n}" for c, n in cells)]))
    assert call("train", tmp_path / "t.csv", tmp_path / "m", "--target", "y", "-C", 1, "--degree", 1, "-q") == 0
    assert call("predict", tmp_path / "m", tmp_path / "t.csv", "--scores") == 0
    scores = [float(line) for line in capsys.readouterr().out.split()]
    frame = pd.read_csv(tmp_path / "t.csv", usecols=["home", "age"])
    assert set(frame["home"].dropna()) == {"own", " own", "?", "rent", " ?"}
    assert gm.load(tmp_path / "m").compile().decision_function(frame).tolist() == scores


def test_texts_of_parquet_are_as_they_are(tmp_path):
    polars = pytest.importorskip("polars")
    polars.DataFrame({"x": ["?", " a"] * 20, "y": [0, 1] * 20}).write_parquet(tmp_path / "t.parquet")
    assert call("train", tmp_path / "t.parquet", tmp_path / "m", "--target", "y", "-C", 1, "--degree", 1, "-q") == 0
    encoding = gm.load(tmp_path / "m").encoding
    assert encoding.missing is None
    assert not encoding.unseen([{"x": "?"}, {"x": " a"}]).any()


def test_parquet_is_read_as_text_is(folder, capsys, tmp_path):
    polars = pytest.importorskip("polars")
    polars.read_csv(folder / "others.csv", try_parse_dates=True).write_parquet(tmp_path / "others.parquet")
    answers = []
    for data in (folder / "others.csv", tmp_path / "others.parquet"):
        assert call("predict", folder / "risk", data, "--scores") == 0
        answers.append(capsys.readouterr().out)
    assert answers[0] == answers[1]


def test_predicting_imports_no_frame_library_and_no_scikit_learn(folder):
    program = (
        "import sys; from gristmill.cli import run; "
        f"run(['predict', {str(folder / 'risk')!r}, {str(folder / 'unknown.csv')!r}]); "
        "print([m for m in ('pandas', 'polars', 'narwhals', 'sklearn', 'matplotlib') if m in sys.modules])"
    )
    said = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert said.splitlines()[-1] == "[]"
    assert len(said.splitlines()) == len(pd.read_csv(folder / "unknown.csv")) + 1
