"""gristmill train --online: from the shell, in memory and as a stream, interrupted and resumed."""

from __future__ import annotations

import gzip
import io
import json
import signal
import subprocess
import sys
from importlib import import_module

import numpy as np
import pytest

import gristmill as gm
from gristmill.cli import run
from gristmill.cli.train_online import Interruption, Watching, describe
from gristmill.solvers.online import OnlineStats, checkpoint, examples
from gristmill.solvers.online.training import Training
from tests.across.interrupting import interrupt, listening

RNG = np.random.default_rng(6)
X = (RNG.random((400, 40)) < 0.2).astype(float)
NOISE = RNG.random(400)
Y2 = np.where(X[:, 0] * X[:, 1] + X[:, 2] + NOISE / 2 > 0.6, 1, -1)
Y3 = np.where(X[:, 3] > NOISE, 3, np.where(X[:, 4] > NOISE, 1, 2))
OPTIONS = ("--online", "--degree", "2", "-C", "0.3", "--epochs", "4")


def call(*arguments):
    return run([str(argument) for argument in arguments])


def write(path, y, names=None):
    gm.write_svmlight(path, X, y)
    if names is not None:
        lines = path.read_text().splitlines()
        path.write_text("".join(f"{names[int(float(a))]} {b}\n" for a, b in (line.split(" ", 1) for line in lines)))


@pytest.fixture(params=[Y2, Y3], ids=["two", "three"])
def data(request, tmp_path):
    path = tmp_path / "data.svm"
    write(path, request.param)
    return path, request.param


@pytest.fixture
def small_blocks(monkeypatch):
    monkeypatch.setattr(examples, "BLOCK", 2000)  # bytes, some thirty examples


def expected(y, **options):
    return gm.OnlineKernelClassifier(degree=2, C=0.3, epochs=4, **options).fit(X, y).machine_


def assert_same(path, machine):
    got = gm.load(path)
    np.testing.assert_array_equal(got.classes, machine.classes)
    np.testing.assert_array_equal(
        got.support.to_csr().toarray(), machine.support.to_csr().toarray()[:, : got.n_features]
    )
    np.testing.assert_array_equal(got.dense_coef(), machine.dense_coef())
    assert got.scheme == machine.scheme
    assert got.first_id == 1


# --- the same as the classifier ---------------------------------------------------------------------------------------


def test_the_model_is_the_classifier_s(data, tmp_path, capsys):
    path, y = data
    assert call("train", path, tmp_path / "m", *OPTIONS) == 0
    assert_same(tmp_path / "m", expected(y))
    assert "1,600 examples, loss 0." in capsys.readouterr().err


@pytest.mark.parametrize("engine", ["auto", "inverted", "split"])
def test_a_stream_learns_the_same(data, tmp_path, small_blocks, engine):
    path, y = data
    assert call("train", path, tmp_path / "m", *OPTIONS, "--stream", "--engine", engine) == 0
    assert_same(tmp_path / "m", expected(y))


def test_compressed_streams(data, tmp_path, small_blocks):
    path, y = data
    packed = tmp_path / "data.svm.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    for how in ((), ("--stream",)):
        assert call("train", packed, tmp_path / "m", *OPTIONS, *how) == 0
        assert_same(tmp_path / "m", expected(y))


@pytest.mark.parametrize("stream", [False, True])
def test_standard_input_to_standard_output(data, tmp_path, small_blocks, capsysbinary, monkeypatch, stream):
    path, y = data
    more = ["--stream", "--classes", ",".join(map(str, np.unique(y)))] if stream else ["--epochs", "1"]
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(path.read_bytes())))
    assert call("train", "-", "-", "--online", "--degree", "2", "-C", "0.3", *more) == 0
    (tmp_path / "m").write_bytes(capsysbinary.readouterr().out)
    assert_same(tmp_path / "m", gm.OnlineKernelClassifier(degree=2, C=0.3, epochs=1).fit(X, y).machine_)


def test_options_are_the_classifier_s(data, tmp_path):
    path, y = data
    words = (
        "--shuffle --random-state 3 --last --update pa2 --norm kernel --engine reslice --expanded 5 --reuse --gamma 2 "
    )
    words += "--coef0 0 --rank-by appearance --max-bytes 1M --full-margins --arithmetic integer --budget 30"
    assert call("train", path, tmp_path / "m", *OPTIONS, *words.split()) == 0
    options = {
        "shuffle": True,
        "averaged": False,
        "update": "pa2",
        "norm": "kernel",
        "gamma": 2.0,
        "coef0": 0.0,
        "budget": 30,
    }
    clf = gm.OnlineKernelClassifier(degree=2, C=0.3, epochs=4, arithmetic="integer", **options)
    clf._begin(clf._settings(), np.unique(y), np.ones(len(np.unique(y))))
    clf.n_features_in_ = 40
    clf._learn(gm.data.rows.as_rows(X), y, np.empty(0), passes=4, seed=3)
    assert_same(tmp_path / "m", clf.machine_)


def test_weights_and_automatic_c(tmp_path, small_blocks):
    write(tmp_path / "d", Y2)
    options = [
        "--online",
        "--degree",
        "2",
        "-C",
        "auto",
        "--class-weight",
        "+1=2.5",
        "--class-weight=-1=0.5",
        "--epochs",
        "4",
    ]
    clf = gm.OnlineKernelClassifier(degree=2, C="auto", epochs=4, class_weight={1: 2.5, -1: 0.5}).fit(X, Y2)
    for how in ((), ("--stream",)):
        assert call("train", tmp_path / "d", tmp_path / "m", *options, *how) == 0
        assert_same(tmp_path / "m", clf.machine_)


def test_labels_may_be_words(tmp_path, small_blocks, capsys):
    write(tmp_path / "d", Y3, names=["", "fig", "plum", "date"])
    for how in ((), ("--stream",)):
        assert call("train", tmp_path / "d", tmp_path / "m", *OPTIONS, *how) == 0
        assert gm.load(tmp_path / "m").classes.tolist() == ["date", "fig", "plum"]
    capsys.readouterr()
    assert call("evaluate", tmp_path / "m", tmp_path / "d", "--json") == 0
    assert json.loads(capsys.readouterr().out)["accuracy"] > 0.7


def test_ids_are_counted_as_the_file_does(tmp_path, small_blocks):
    (tmp_path / "d").write_text("1 0:1 5:1\n-1 3:1\n")
    for how in ((), ("--stream",)):
        assert call("train", tmp_path / "d", tmp_path / "m", *OPTIONS, *how) == 0
        machine = gm.load(tmp_path / "m")
        assert machine.first_id == 0
        assert machine.support.one(0).ids.tolist() == [0, 5]
        assert call("train", tmp_path / "d", tmp_path / "m", *OPTIONS, "--one-based", *how) == 1


def test_other_formats_and_starting_from_a_model(data, tmp_path):
    path, y = data
    assert call("train", path, tmp_path / "opal", *OPTIONS, "--last", "--format", "opal") == 0
    assert call("train", path, tmp_path / "m", *OPTIONS, "--last") == 0
    assert call("train", path, tmp_path / "more", *OPTIONS, "--last", "--init", tmp_path / "m") == 0
    expected = gm.OnlineKernelClassifier(degree=2, C=0.3, epochs=8, averaged=False).fit(X, y)
    assert_same(tmp_path / "more", expected.machine_)
    np.testing.assert_allclose(
        gm.load(tmp_path / "opal").compile().decision_function(X),
        gm.load(tmp_path / "m").compile().decision_function(X),
    )


def test_json_says_what_was_done(data, tmp_path, capsys):
    path, y = data
    assert call("train", path, tmp_path / "m", *OPTIONS, "--json") == 0
    found = json.loads(capsys.readouterr().out)
    clf = gm.OnlineKernelClassifier(degree=2, C=0.3, epochs=4).fit(X, y)
    assert found["updates"] == clf.stats_.updates
    assert found["visited"] == 1600
    assert not found["interrupted"]


def test_values_other_than_0_and_1_warn_once(tmp_path, small_blocks, capsys):
    gm.write_svmlight(tmp_path / "d", 2 * X, Y2)
    for how in ((), ("--stream",)):
        assert call("train", tmp_path / "d", tmp_path / "m", *OPTIONS, *how) == 0
        assert capsys.readouterr().err.count("values other than 0 and 1") == 1
        assert_same(tmp_path / "m", expected(Y2))
        assert call("train", tmp_path / "d", tmp_path / "m", *OPTIONS, *how, "--binarize", "refuse") == 1
        capsys.readouterr()


# --- interrupted and resumed ------------------------------------------------------------------------------------------


class Stopping:
    """Asks to stop at the first report after so many visits; a run in memory reports at least at its end."""

    def __init__(self, after):
        self.after = after
        self.requested = False

    def __call__(self, watch, done, total):
        self.requested = done >= self.after
        watch.interruption.requested = self.requested
        return Watching.__call__(watch, done, total)


@pytest.mark.parametrize("after", [1, 200, 700, 1300])
def test_a_stopped_stream_goes_on_where_it_was(data, tmp_path, small_blocks, monkeypatch, capsys, after):
    path, y = data
    stopping = Stopping(after)
    command = import_module("gristmill.cli.train_online")
    monkeypatch.setattr(command, "Watching", lambda *given: _Watch(stopping, *given))
    code = call("train", path, tmp_path / "part", *OPTIONS, "--stream", "--checkpoint", tmp_path / "c", "--json")
    assert code == 130
    captured = capsys.readouterr()
    assert "interrupted after" in captured.err
    visited = json.loads(captured.out)["visited"]
    assert after <= visited < 1600
    order = np.arange(visited) % 400
    parts = gm.OnlineKernelClassifier(degree=2, C=0.3).partial_fit(X[order], y[order], classes=np.unique(y))
    assert_same(tmp_path / "part", parts.machine_)
    monkeypatch.undo()
    monkeypatch.setattr(examples, "BLOCK", 3000)
    assert call("train", path, tmp_path / "m", "--online", "--resume", tmp_path / "c") == 0
    assert_same(tmp_path / "m", expected(y))


class _Watch:
    def __init__(self, stopping, *given):
        self.stopping = stopping
        self.watch = Watching(*given)

    def __call__(self, done, total):
        return self.stopping(self.watch, done, total)


@pytest.mark.parametrize("shuffle", [False, True])
@pytest.mark.parametrize("visited", [0, 1, 399, 400, 401, 1000, 1599, 1600])
def test_a_checkpoint_in_memory_resumes_to_the_same_model(data, tmp_path, visited, shuffle):
    """The core reports by the clock, so the checkpoint is made by hand, at any visit."""
    path, y = data
    options = [*OPTIONS, *(["--shuffle", "--random-state", "9"] if shuffle else [])]
    assert call("train", path, tmp_path / "whole", *options, "--checkpoint", tmp_path / "end") == 0
    learner, at_end = checkpoint.load(tmp_path / "end")
    source = examples.FileInMemory(path, [], None, 0.0, None)
    fresh = gm.solvers.online.OnlineLearner(learner.settings, learner.classes)
    training = Training(fresh, source, at_end.weights, at_end.seed, lambda done, total: None)
    _visit(training, visited, y, shuffle)
    checkpoint.save(fresh, training.position(), tmp_path / "c")
    assert call("train", path, tmp_path / "m", "--online", "--resume", tmp_path / "c") == 0
    assert (tmp_path / "m").read_bytes() == (tmp_path / "whole").read_bytes()


def _visit(training, visited, y, shuffle):
    from tests.oracle.online import orders

    rows, labels = training.source.all
    order = np.array(orders(400, 4, 9 if shuffle else None)[:visited], dtype=np.intp)
    training.learner.begin(training.source.lengths)
    training.learner.learn(rows.take(order), labels[order])
    training.visited = visited


def test_checkpoints_are_written_on_the_way(data, tmp_path, small_blocks, monkeypatch):
    path, _ = data
    saved = []
    monkeypatch.setattr(checkpoint, "save", lambda learner, at, file: saved.append(at.visited))
    every = ["--checkpoint", tmp_path / "c", "--checkpoint-every", "0"]
    assert call("train", path, tmp_path / "m", *OPTIONS, "--stream", *every) == 0
    assert len(saved) > 20
    assert saved == sorted(saved)
    assert saved[-1] == 1600


@pytest.mark.parametrize("engine", ["inverted", "push"])
def test_ctrl_c_saves_the_model_so_far(tmp_path, engine):
    rng = np.random.default_rng(0)
    table = (rng.random((3000, 300)) < 0.1).astype(float)
    gm.write_svmlight(tmp_path / "d", table, rng.integers(2, size=3000))
    options = ["--online", "--epochs", 1_000_000, "--engine", engine, "--checkpoint", tmp_path / "c", "-j", 2]
    assert "what was learned so far is in" in interrupt("train", tmp_path / "d", tmp_path / "m", *options)
    learner, at = checkpoint.load(tmp_path / "c")
    machine = gm.load(tmp_path / "m")
    assert machine.n_support > 0
    assert at.visited == learner.stats().examples
    np.testing.assert_array_equal(learner.machine().dense_coef(), machine.dense_coef())


def test_the_second_ctrl_c_interrupts_as_always():
    with listening():
        with Interruption() as interruption:
            signal.raise_signal(signal.SIGINT)
            assert interruption.requested
            with pytest.raises(KeyboardInterrupt):
                signal.raise_signal(signal.SIGINT)
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_the_line_says_how_it_goes(data):
    path, y = data
    source = examples.FileInMemory(path, [], None, 0.0, None)
    drawn = []
    training = Training(
        gm.solvers.online.OnlineLearner(gm.solvers.online.OnlineSettings(gm.PolynomialKernel(2)), np.unique(y)),
        source,
        [1.0] * len(np.unique(y)),
        None,
        lambda done, total: None,
    )
    training.run()
    Watching(training, Interruption(), lambda *given: drawn.append(given), None, 60.0)(4000, None)
    ((done, total, said),) = drawn
    assert (done, total) == (4000, None)
    assert said.startswith("4,000 examples, loss 0.")
    assert said.endswith("examples/s")
    assert describe(OnlineStats(12345, 1000, 1, 1, 0.5, 999, 0, 1.0)) == (
        "12,345 examples, loss 0.5000, 1,000 updates, 999 support vectors"
    )


# --- what is refused --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--online", "-k", "sst", "--tol", "1"], "--kernel, --tol: for batch SVMs, not with --online"),
        (["--online", "--no-shrinking"], "--shrinking: for batch SVMs"),
        (["--online", "--binarize", "keep"], "values of 0 and 1"),
        (["--online", "--stream", "--shuffle"], "not with --stream"),
        (["--online", "--class-weight", "1"], "LABEL=FACTOR"),
        (["--online", "--class-weight", "1=-2"], "LABEL=FACTOR"),
        (["--online", "-C", "much"], "'much' is neither a number nor 'auto'"),
        (["--online", "--resume", "c", "--degree", "2"], "leave out --degree"),
    ],
)
def test_wrong_usage(tmp_path, capsys, options, message):
    write(tmp_path / "d", Y2)
    assert call("train", tmp_path / "d", tmp_path / "m", *options) == 2
    assert message in capsys.readouterr().err
    assert not (tmp_path / "m").exists()


def test_standard_input_is_read_once(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"1 1:1\n")))
    assert call("train", "-", tmp_path / "m", "--online", "--stream") == 1
    assert "named before" in capsys.readouterr().err
    assert call("train", "-", tmp_path / "m", "--online", "--stream", "--classes=-1,1", "--epochs", "2") == 2
    assert "--epochs 1" in capsys.readouterr().err


@pytest.mark.parametrize("stream", [(), ("--stream",)])
def test_unknown_labels_and_damage_are_errors(tmp_path, capsys, small_blocks, stream):
    write(tmp_path / "d", Y3)
    assert call("train", tmp_path / "d", tmp_path / "m", "--online", "--classes", "1,2", *stream) == 1
    assert "not one of the classes 1, 2" in capsys.readouterr().err
    assert call("train", tmp_path / "d", tmp_path / "m", "--online", "--class-weight", "7=2", *stream) == 1
    assert "'7' is not one of the classes" in capsys.readouterr().err
    (tmp_path / "d").write_text((tmp_path / "d").read_text() + "1 x:1\n")
    assert call("train", tmp_path / "d", tmp_path / "m", "--online", *stream) == 1
    assert f"{tmp_path / 'd'}:401:3: " in capsys.readouterr().err
    (tmp_path / "d").write_text("1 1:1\n1 2:1\n")
    assert call("train", tmp_path / "d", tmp_path / "m", "--online", *stream) == 1
    assert "at least two classes" in capsys.readouterr().err


def test_a_checkpoint_knows_its_examples_and_its_bytes(tmp_path, capsys, small_blocks):
    write(tmp_path / "d", Y2)
    write(tmp_path / "other", -Y2)
    (tmp_path / "short").write_text("1 1:1\n-1 2:1\n")
    arguments = [tmp_path / "d", tmp_path / "m", *OPTIONS, "--checkpoint", tmp_path / "c"]
    assert call("train", *arguments) == 0
    assert call("train", tmp_path / "other", tmp_path / "m", "--online", "--resume", tmp_path / "c") == 1
    assert "does not hold the examples" in capsys.readouterr().err
    assert call("train", tmp_path / "d", tmp_path / "m", "--online", "--stream", "--resume", tmp_path / "c") == 2
    assert call("train", *arguments, "--stream") == 0
    capsys.readouterr()
    assert call("train", tmp_path / "short", tmp_path / "m", "--online", "--resume", tmp_path / "c") == 1
    assert "1600 were learned before" in capsys.readouterr().err
    assert call("predict", tmp_path / "c", tmp_path / "d") == 1
    assert "not a gristmill machine" in capsys.readouterr().err
    damaged = bytearray((tmp_path / "c").read_bytes())
    damaged[-3] ^= 1
    (tmp_path / "c").write_bytes(damaged)
    assert call("train", tmp_path / "d", tmp_path / "m", "--online", "--resume", tmp_path / "c") == 1
    assert "the checksum does not fit" in capsys.readouterr().err
    assert call("train", tmp_path / "d", tmp_path / "m2", "--online", "--resume", tmp_path / "m") == 1
    assert (
        "expected a checkpoint of online learning, got a model file (gristmill safetensors)" in capsys.readouterr().err
    )


def test_train_does_not_import_scikit_learn(tmp_path):
    write(tmp_path / "d", Y2)
    code = (
        "import sys; from gristmill.cli import run; "
        f"assert run(['train', {str(tmp_path / 'd')!r}, {str(tmp_path / 'm')!r}, '--online']) == 0; "
        "assert not {'sklearn', 'matplotlib', 'rich', 'narwhals'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)
