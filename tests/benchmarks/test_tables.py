"""The contest of table learners: what is read, how it is judged, that it goes on where it stopped."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

from benchmarks import __main__ as benchmarks
from benchmarks import measure, table_data, table_runs, table_systems, tables
from benchmarks.table_data import made, sources
from benchmarks.table_runs import Run, calibration_error
from benchmarks.table_systems import OURS, SYSTEMS, System

RNG = np.random.default_rng(1)
FRAME = pd.DataFrame(
    {
        "size (cm)": RNG.integers(0, 20, 60),
        "size cm": RNG.random(60),
        "kind": RNG.choice(["a", "b", None], 60),
        "nothing": np.nan,
        "target": ["no", "yes"] * 29 + ["rare", None],
    }
)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Two tables, and results that are thrown away."""
    FRAME.to_csv(tmp_path / "small.csv", index=False)
    FRAME.drop(columns="target").assign(value=FRAME["size cm"]).to_csv(tmp_path / "values.csv", index=False)
    monkeypatch.setattr(measure, "RESULTS", tmp_path / "results" / "data")
    monkeypatch.setattr(measure, "TABLES", tmp_path)
    return tmp_path


def test_a_table_has_names_for_all_programs_and_classes_in_every_fold(folder):
    table = sources(folder)["small"]()
    assert list(table.frame.columns) == ["size_cm_", "size_cm", "kind"]
    assert (table.classes, len(table.y)) == (2, 58)
    assert isinstance(table.frame["kind"].dtype, pd.CategoricalDtype)
    assert all(set(table.y[held]) == {0, 1} for _, held in table.folds())
    assert sources(folder)["values"]().classes == 0


def test_large_tables_are_drawn_from(monkeypatch):
    monkeypatch.setattr(table_data, "ROWS", 20)
    assert len(made("small", FRAME, "target").y) == 20


def test_the_calibration_error_is_how_far_confidence_is_from_accuracy():
    shares = np.array([[0.9, 0.1]] * 10)
    assert calibration_error(shares, np.zeros(10)) == pytest.approx(0.1)
    assert calibration_error(shares, np.array([1] + [0] * 9)) == pytest.approx(0)
    assert calibration_error(np.array([[1.0, 0.0], [0.0, 1.0]]), np.array([1, 0])) == pytest.approx(1)


def _linear():
    return next(system for system in SYSTEMS if system.name.startswith("linear"))


def test_a_contest_goes_on_where_it_stopped(folder, monkeypatch):
    ours = System(OURS, _linear().fit)
    monkeypatch.setattr(table_runs, "OURS", "")  # no tables to look into
    tables.main([0], ["small", "values"], [ours])
    monkeypatch.setattr(table_runs, "_scores", lambda *_: pytest.fail("measured again"))
    tables.main([0], ["small", "values"], [ours])
    assert set(table_runs.remembered()) == {("small", 0, OURS), ("values", 0, OURS)}
    page = json.loads((measure.RESULTS / "tables.json").read_text())
    assert page["rows"][0][:3] == [OURS, "1.00", 1]


@pytest.mark.parametrize("name", [OURS, "SVM, RBF", "HistGradientBoosting"])
@pytest.mark.parametrize("table", ["small", "values"])
def test_systems_read_what_there_is(folder, name, table):
    system = next(system for system in SYSTEMS if system.name == name)
    run = table_runs.measured(sources(folder)[table](), 0, system)
    assert (run.rmse is None) == (table == "small")
    assert min(run.fit, run.batch, run.row, run.nbytes) > 0
    assert (None not in (run.encoded, run.explain)) == (name == OURS)


def test_what_is_not_installed_takes_no_part():
    assert not System("peer", _linear().fit, "no_such_module").is_there


def test_wins_losses_and_ranks_are_by_the_folds_that_both_have():
    values = {OURS: [0.8, 0.6], "LightGBM": [0.7], "SVM, RBF": [0.9, 0.5]}
    runs = [Run("t", fold, name, auc=auc) for name, aucs in values.items() for fold, auc in enumerate(aucs)]
    cells = {("t", name): [run for run in runs if run.system == name] for name in values}
    rows = {name: tables._summary(name, ["t"], cells) for name in values}
    assert rows["LightGBM"][4:6] == [1, 0]
    assert rows["SVM, RBF"][4:6] == [0, 0]
    assert [rows[name][1] for name in values] == ["1.50", "3.00", "1.50"]


def test_times_are_of_the_least_disturbed_fold_and_ratios_of_folds_that_both_have():
    seconds = {OURS: [4.0, 3.0, 1.0], "EBM": [40.0, 60.0]}
    cells = {
        ("t", name): [Run("t", fold, name, fit=fit, batch=1.0, row=1.0) for fold, fit in enumerate(own)]
        for name, own in seconds.items()
    }
    assert tables._costs(OURS, ["t"], cells)[:2] == ["1.00", "1.00"]
    assert tables._costs("EBM", ["t"], cells)[:2] == ["40.00", f"{40 / 3:.2f}"]
    assert tables._costs("EBM", ["t"], cells)[4:6] == ["", ""]


def test_the_page_says_how_busy_the_machine_was():
    runs = [Run("t", fold, OURS, load=load) for fold, load in enumerate([None, 2.0, 6.0])]
    assert "of 2 of 3 runs; it was 4 in the median, 6 at most" in tables._said_of_load({("t", OURS): runs})
    assert "not remembered" in tables._said_of_load({("t", OURS): runs[:1]})


@pytest.mark.filterwarnings("ignore")  # of LightGBM
def test_tuning_tries_settings_with_their_own_numbers_of_trees(folder, monkeypatch):
    pytest.importorskip("lightgbm")
    monkeypatch.setattr(table_systems, "SETTINGS", 2)
    tuned = next(system for system in SYSTEMS if system.is_tuned)
    for name in ("small", "values"):
        table = sources(folder)[name]()
        assert tuned.fit(table.frame, table.y, table.classes).n_estimators < table_systems.ROUNDS


def test_a_folder_of_tables_is_named_behind_data(monkeypatch, tmp_path):
    monkeypatch.setattr(measure, "TABLES", None)
    assert benchmarks._without_data(["tables", "--data", str(tmp_path)]) == ["tables"]
    assert tmp_path == measure.TABLES
    with pytest.raises(SystemExit, match="--data needs a folder"):
        benchmarks._without_data(["--data"])
    with pytest.raises(measure.Missing, match="no folder"):
        sources(tmp_path / "absent")
