"""The comparison with other programs, which stand-ins by the book play here."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

import gristmill as gm
from benchmarks import __main__ as benchmarks_main
from benchmarks import (
    beside_peers,
    conll,
    contest,
    learn_beside_opal,
    learning_tables,
    log_linear,
    many_outputs,
    measure,
    peer_machines,
    peers,
)
from benchmarks.peer_machines import Case


def decisions(rows, seed):
    """Features that agree with the label more often than not, as dense as real ones."""
    rng = np.random.default_rng(seed)
    y = np.where(rng.random(rows) < 0.5, 1, -1)
    X = (rng.random((rows, 12)) < np.where(y[:, None] > 0, 0.6, 0.3)).astype(float)
    X[:, 0] = 1
    return sp.csr_matrix(X), y


def load():
    return decisions(60, 1), decisions(40, 2)


def tags():
    (X, _), (queries, wanted) = load()
    names = np.array(["B", "I", "O"])
    return (X, names[np.arange(60) % 3]), (queries, wanted)


LIBSVM, OPAL = Case("tiny", load, 2, "LIBSVM", 1.0), Case("tiny", load, 3, "opal", 0.5)


@pytest.fixture
def path(tmp_path, monkeypatch):
    """A folder that is all of PATH, and programs put into it by name."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))

    def put(*programs):
        source = (Path(__file__).parent / "fake_peers.py").read_text(encoding="utf-8")
        for program in programs:
            (folder / program).write_text(f"#!{sys.executable}\n{source}", encoding="utf-8")
            (folder / program).chmod(0o755)
        return folder

    return put


@pytest.fixture
def results(tmp_path, monkeypatch):
    """Where results go; few rounds and options."""
    monkeypatch.setattr(measure, "RESULTS", tmp_path / "data")
    monkeypatch.setattr(measure, "_git", lambda *_: "")  # not on that PATH
    for module, name, value in (
        (beside_peers, "CASES", (LIBSVM, OPAL)),
        (beside_peers, "PECCO", {2: ("-t 1",), 3: ("-t 1 -e TRAIN -r 0.2", "-t 2 -f TRAIN", "-t 0")}),
        (beside_peers, "OPAL", {3: ("",)}),
        (contest, "ROUNDS", 2),
        (contest, "TRIALS", 1),
        (contest, "COMPILES", 1),
        (contest, "FINALISTS", 2),
    ):
        monkeypatch.setattr(module, name, value)
    return lambda name="beside_peers": json.loads((tmp_path / "data" / f"{name}.json").read_text(encoding="utf-8"))


def test_the_claims_can_be_run_by_name():
    assert {"beside_peers", "many_outputs"} <= set(benchmarks_main.CLAIMS)


def test_all_programs_take_part_with_their_clocks(path, results):
    calls = path("pecco", "opal", "svm-predict") / "calls"
    beside_peers.main()
    found = results()
    columns = found["columns"]
    rows = {(row[0], row[2]): dict(zip(columns, row, strict=False)) for row in found["rows"]}
    ours = ["gristmill", "gristmill, scipy matrices"]
    assert [program for machine, program in rows if machine == str(LIBSVM)] == [*ours, "pecco", "svm-predict"]
    assert [program for machine, program in rows if machine == str(OPAL)] == [*ours, "pecco", "opal"]
    pecco = found["timings"][str(OPAL)]["pecco"]
    assert pecco["margin"]["median"] == pytest.approx(2e-6)  # what the stand-ins' clocks say
    assert pecco["compile"]["median"] == 2.5
    own = found["timings"][str(OPAL)]["gristmill"]
    assert found["timings"][str(OPAL)]["opal"]["label"]["rounds"] == own["label"]["rounds"] == 2
    last = [row for row in found["rows"] if row[2] == "pecco"][-1]
    assert last[5] == f"{2e-6 / own['margin']['median']:,.2f}x"
    assert "not on PATH" not in " ".join(found["notes"])
    said = calls.read_text(encoding="utf-8")
    assert "pecco -t 1 -e events -r 0.2 -O 2 model" in said  # margins are asked for where they are timed
    assert "opal -t 1 -d 3 -p -O 2 - model" in said


def test_absent_programs_are_skipped_and_named(path, results):
    path()
    beside_peers.main()
    notes = " ".join(results()["notes"])
    for program in ("pecco", "opal", "svm-predict"):
        assert f"{program} was not on PATH." in notes
    assert f"{OPAL}: skipped, opal is not on PATH" in notes
    assert {row[0] for row in results()["rows"]} == {str(LIBSVM)}  # scikit-learn trains it


def test_nothing_to_train_is_missing(path, results, monkeypatch):
    path()
    monkeypatch.setattr(beside_peers, "CASES", (OPAL,))
    with pytest.raises(measure.Missing, match="no machine"):
        beside_peers.main()


@pytest.mark.parametrize(
    ("program", "fault", "what"),
    [
        ("pecco", "liar", "pecco -t 1: labels"),
        ("pecco", "rough", "pecco -t 1: margins"),
        ("svm-predict", "liar", "svm-predict : labels"),
    ],
)
def test_other_answers_end_the_benchmark(path, results, monkeypatch, program, fault, what):
    path(program)
    monkeypatch.setenv("FAKE_PEER", fault)
    with pytest.raises(AssertionError, match=what):
        beside_peers.main()


def test_a_program_without_clocks_is_named(path, results, monkeypatch):
    path("pecco")
    monkeypatch.setenv("FAKE_PEER", "mute")
    beside_peers.main()
    assert "pecco prints no clock 'model': it was built without USE_TIMER." in results()["notes"]
    assert "pecco" not in {row[2] for row in results()["rows"]}


def test_a_program_that_fails_says_why(tmp_path):
    with pytest.raises(RuntimeError, match=r"ended with 3: no such model"):
        peers.run([sys.executable, "-c", "import sys; print('no such model', file=sys.stderr); sys.exit(3)"], tmp_path)


def test_the_fastest_options_stay_and_the_others_leave_no_files(path, results, monkeypatch):
    path("opal", "pecco")
    monkeypatch.setattr(beside_peers, "CASES", (OPAL,))
    kept = []
    in_turn = contest.in_turn
    monkeypatch.setattr(contest, "in_turn", lambda clocks, rounds: kept.append(list(clocks)) or in_turn(clocks, rounds))
    discarded = []
    monkeypatch.setattr(peers.Pecco, "discard", lambda self: discarded.append(self.options))
    seconds = {"-t 1 -e TRAIN -r 0.2": 3.0, "-t 2 -f TRAIN": 2.0, "-t 0": 9.0}

    def run_of(self, data):
        return peers.Run(seconds[self.options], margins(self, data).text, 1)

    margins = peers.Pecco.margins
    monkeypatch.setattr(peers.Pecco, "margins", run_of)
    monkeypatch.setattr(peers.Pecco, "labels", lambda self, data: peers.Run(seconds[self.options], "", 0))
    monkeypatch.setattr(contest, "check", lambda *_: None)
    beside_peers.main()
    assert discarded == ["-t 0"]
    assert "pecco -t 2 -f TRAIN: margin" in kept[0]
    assert "pecco -t 0: margin" not in kept[0]
    assert results()["timings"][str(OPAL)]["pecco"]["options"] == ["-t 2 -f TRAIN"] * 2


def test_pecco_is_given_thresholds_and_ids_of_the_data_files():
    machine = gm.Machine(gm.PolynomialKernel(2), [{0, 4}, {2}], [0.5, -0.1], 0.25, classes=[-1, 1], first_id=1)
    lines = peers.pecco_model(machine).splitlines()
    assert lines[2] == "2 # kernel parameter -d"
    assert lines[7:] == ["-0.25 # threshold b", "0.5 1:1 5:1", f"{-0.1:.17g} 3:1"]


def test_labels_of_data_files_have_signs(tmp_path):
    X, y = sp.csr_matrix([[1.0, 0, 1], [0, 1, 0], [0, 0, 0]]), [1, -1, 1]
    assert peer_machines.write_examples(tmp_path / "data", (X, y)).read_text() == "+1 1:1 3:1\n-1 2:1\n+1\n"


def test_the_test_part_is_repeated_for_the_programs(tmp_path):
    files = peer_machines.write_files(LIBSVM, tmp_path)
    assert files.repeated.read_text() == files.test.read_text() * peer_machines.PASSES
    assert files.nothing.read_text() == ""


@pytest.mark.parametrize("programs", [["opal"], []])
def test_many_outputs_are_those_of_single_machines(path, results, monkeypatch, programs):
    path(*programs)
    monkeypatch.setattr(conll, "load_tags", tags)
    many_outputs.main()
    rows = results("many_outputs")["rows"]
    assert [row[0] for row in rows] == [3] * 4
    assert rows[0][6] == rows[1][6] == "1.00x"


def test_outputs_that_differ_are_seen():
    X, y = decisions(30, 3)
    machines = [gm.Machine(gm.PolynomialKernel(2), X, y * scale, 0.5, classes=[-1, 1]) for scale in (1.0, -0.5, 0.1)]
    one = many_outputs.joined(machines, ["a", "b", "c"])
    assert one.n_support == len({tuple(row) for row in X.toarray().tolist()})
    each = [machine.compile() for machine in machines]
    many_outputs.check(one.compile(), each, X)
    with pytest.raises(AssertionError):
        many_outputs.check(one.compile(), [each[1], each[0], each[2]], X)


def learning_case(**changes):
    return learn_beside_opal.Case("tiny", load, 2, 0.5, passes=2, **changes)


def test_learning_is_timed_beside_opal(path, results, monkeypatch):
    calls = path("opal") / "calls"
    learn_beside_opal.main((learning_case(modes=("-p", "-k -p")), learning_case(program="opal-multi")), rounds=2)
    found = results("learn_beside_opal")
    (row,) = found["rows"]
    line = dict(zip(found["columns"], row, strict=False))
    assert float(line["accuracy, ours"]) > 0.6
    (X, y), (queries, wanted) = load()
    learned = gm.Machine(gm.PolynomialKernel(2), X, y * 0.5, 0.0, classes=[-1, 1])  # by the stand-in
    assert line["opal's"] == f"{np.mean(learned.compile().predict(queries) == wanted):.4f}"
    assert found["timings"]["tiny, d=2"]["opal"]["rounds"] == 2
    assert "opal-multi is not on PATH" in " ".join(found["notes"])
    said = calls.read_text(encoding="utf-8")
    assert "opal -t 1 -d 2 -c 0.5 -a -i 2 -k -p train model nothing" in said


def test_without_opal_there_is_nothing_to_learn_beside(path, results, monkeypatch):
    path()
    with pytest.raises(measure.Missing):
        learn_beside_opal.main((learning_case(),))


def test_a_quick_look_beside_opal_takes_few_examples(path, results, monkeypatch):
    path("opal")
    monkeypatch.setattr(learn_beside_opal, "CASES", (learning_case(), replace(learning_case(), degree=3)))
    monkeypatch.setattr(learn_beside_opal, "_few", lambda load: load())
    learn_beside_opal.quick()
    found = results("learn_beside_opal")
    assert [(row[0], row[1]) for row in found["rows"]] == [("tiny", 2)]
    assert found["timings"]["tiny, d=2"]["opal"]["rounds"] == 1


def test_the_tables_of_learning_are_made(results, monkeypatch):
    try:
        log_linear.library()
    except measure.Missing as reason:
        pytest.skip(str(reason))
    learning_tables.learned.cache_clear()
    monkeypatch.setattr(learning_tables, "DATA", {"BaseNP": load})
    for name in ("memory_table", "self_training_table"):
        monkeypatch.setattr(learning_tables, name, lambda *_: measure.Table("of processes", [], []))
    learning_tables.main(learning_tables.Sizes(None, 30, 20, (2, 4), (20, 30, 40), (5,), 30, 30))
    found = results("learning_tables")
    assert {row[1] for row in found["rows"]} >= {
        "push",
        "inverted",
        "expanded",
        "split",
        "slice",
        "reslice",
        "log-linear",
    }
    titles = [table["title"] for table in found["more"]]
    assert titles[0] == "The data"
    assert {"Bytes of a conjunction", "A budget of support rows"} < set(titles)
    assert {row[1] for row in found["more"][1]["rows"]} == {"inverted", "split", "reslice", "push"}
    assert len(found["plots"]) == 2
    learning_tables.learned.cache_clear()


def test_slopes_are_those_of_powers():
    assert learning_tables.slope([(x, 3 * x**1.5) for x in (1.0, 10.0, 50.0)]) == pytest.approx(1.5)


def test_programs_have_one_thread_and_no_input(tmp_path):
    code = "import os, sys; print(os.environ['OMP_NUM_THREADS'], repr(sys.stdin.read()))"
    assert peers.run([sys.executable, "-c", code], tmp_path).stdout == "1 ''\n"
