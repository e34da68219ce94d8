"""A resumed run keeps its checkpoint up to date, learns the same and is as fast as before."""

from __future__ import annotations

import importlib
import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gristmill as gm
from gristmill.cli import run
from gristmill.cli.train_online import Watching
from gristmill.machines.store import pack, unpack
from gristmill.solvers.online import OnlineLearner, OnlineSettings, checkpoint, examples
from gristmill.solvers.online.training import Training

RNG = np.random.default_rng(11)
X = (RNG.random((1200, 50)) < 0.2).astype(float)
Y = (X[:, 0] * X[:, 1] + X[:, 2] + RNG.random(1200) > 0.8).astype(int)
OPTIONS = ("--online", "--degree", "2", "--epochs", "4", "--stream")


def slow(*values: object) -> Any:
    return pytest.param(*values, marks=pytest.mark.slow)


def call(*arguments: object) -> int:
    return run([str(argument) for argument in arguments])


@pytest.fixture
def data(tmp_path: Path) -> Path:
    gm.write_svmlight(tmp_path / "data", X, Y)
    return tmp_path / "data"


@pytest.fixture
def stop_after(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Ask for an end once so many examples have been visited; never if nothing is said."""
    monkeypatch.setattr(examples, "BLOCK", 3000)  # bytes: there is a report between blocks
    limit = [10**9]

    class Stopping(Watching):
        def __call__(self, done: int, total: int | None) -> None:
            self.interruption.requested = done >= limit[0]
            super().__call__(done, total)

    monkeypatch.setattr(importlib.import_module("gristmill.cli.train_online"), "Watching", Stopping)

    def stop(visited: int = 10**9) -> None:
        limit[0] = visited

    return stop


def test_resume_goes_on_with_the_checkpoint_it_came_from(data: Path, tmp_path: Path, stop_after: Any) -> None:
    assert call("train", data, tmp_path / "whole", *OPTIONS) == 0
    state, model = tmp_path / "state", tmp_path / "model"
    stop_after(1000)
    assert call("train", data, model, *OPTIONS, "--checkpoint", state) == 130
    reached = [checkpoint.load(state)[1].visited]
    for visited in (2000, 3500):
        stop_after(visited)
        assert call("train", data, model, "--online", "--resume", state) == 130
        reached.append(checkpoint.load(state)[1].visited)
        assert reached[-2] < visited <= reached[-1]
    stop_after()
    assert call("train", data, model, "--online", "--resume", state) == 0
    assert checkpoint.load(state)[1].visited == 4 * 1200
    assert model.read_bytes() == (tmp_path / "whole").read_bytes()


def test_with_another_checkpoint_the_first_one_stays(data: Path, tmp_path: Path, stop_after: Any) -> None:
    state, other, model = tmp_path / "state", tmp_path / "other", tmp_path / "model"
    stop_after(1000)
    assert call("train", data, model, *OPTIONS, "--checkpoint", state) == 130
    before = state.read_bytes()
    stop_after(2000)
    assert call("train", data, model, "--online", "--resume", state, "--checkpoint", other) == 130
    assert state.read_bytes() == before
    assert checkpoint.load(other)[1].visited >= 2000


def test_what_cannot_be_kept_up_to_date_is_refused_at_once(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    state = tmp_path / "state"
    assert call("train", data, tmp_path / "model", *OPTIONS, "--checkpoint", state) == 0
    before = state.read_bytes()
    assert call("train", data, state, "--online", "--resume", state) == 2
    assert "name another file" in capsys.readouterr().err
    assert call("train", data, tmp_path / "model", *OPTIONS, "--checkpoint", data) == 2
    monkeypatch.setattr(os, "access", lambda _, mode: mode != os.W_OK)
    assert call("train", data, tmp_path / "model", "--online", "--resume", state) == 2
    assert "--checkpoint" in capsys.readouterr().err
    assert state.read_bytes() == before


# --- in memory, where the engine keeps a score for each example -------------------------------------------------------


def begun(degree: int, arithmetic: str, epochs: int) -> OnlineLearner:
    settings = OnlineSettings(gm.PolynomialKernel(degree), norm="kernel", epochs=epochs, arithmetic=arithmetic)
    return OnlineLearner(settings, np.array([0, 1]))


def training(learner: OnlineLearner, path: Path, watch: Any, visited: int = 0, seed: int | None = 3) -> Training:
    source = examples.FileInMemory(path, [], None, 0.0, None)
    return Training(learner, source, [1.0, 1.0], seed, watch, visited)


def stopped(degree: int, arithmetic: str, path: Path, state: Path, seed: int | None) -> tuple[OnlineLearner, int]:
    """A learner interrupted after two passes, and its epochs: as many as it takes, for reports come by the clock."""

    def stop(done: int, _: int | None) -> None:
        if done > 2 * 1200:
            raise KeyboardInterrupt

    epochs = 60
    while True:
        learner = begun(degree, arithmetic, epochs)
        run = training(learner, path, stop, seed=seed)
        try:
            run.run()
        except KeyboardInterrupt:
            assert 0 < run.visited < epochs * 1200
            checkpoint.save(learner, run.position(), state)
            return learner, epochs
        epochs *= 4


@pytest.mark.parametrize(
    ("degree", "arithmetic", "seed"),
    [
        *((4, "auto", None), (2, "double", 3)),
        *(slow(4, "auto", 3), slow(4, "double", None), slow(4, "double", 3)),
        *(slow(2, "auto", None), slow(2, "auto", 3), slow(2, "double", None)),
    ],
)
def test_nothing_is_added_up_again(data: Path, tmp_path: Path, degree: int, arithmetic: str, seed: int | None) -> None:
    first, epochs = stopped(degree, arithmetic, data, tmp_path / "state", seed)
    whole = begun(degree, arithmetic, epochs)
    training(whole, data, lambda *_: None, seed=seed).run()
    second, at = checkpoint.load(tmp_path / "state")
    training(second, data, lambda *_: None, at.visited, seed).run()
    if degree == 4:  # no tables: every step is pushed once
        pushed = [learner._trainer.postings_read for learner in (whole, first, second) if learner._trainer]
        assert pushed[0] == pushed[1] + pushed[2] or seed is None  # the last pass pushes only to what comes after
        assert pushed[2] < pushed[0]
    assert same(second, whole)


def same(one: OnlineLearner, other: OnlineLearner) -> bool:
    ours, theirs = one.machine(), other.machine()
    return (
        np.array_equal(ours.dense_coef(), theirs.dense_coef())
        and np.array_equal(ours.support.ids, theirs.support.ids)
        and one.stats().updates == other.stats().updates
    )


def test_checkpoints_without_scores_still_resume(data: Path, tmp_path: Path) -> None:
    """As older files are: what was learned is added up again."""
    state = tmp_path / "state"
    whole = begun(4, "auto", stopped(4, "auto", data, state, 3)[1])
    training(whole, data, lambda *_: None).run()
    header, arrays = unpack(state.read_bytes(), checkpoint.KEY, checkpoint.VERSION, "checkpoint")
    assert json.dumps(header["learner"]).count("smallest_weight") == 1
    del header["learner"]["smallest_weight"]
    plain = {name: array for name, array in arrays.items() if not name.startswith("kept")}
    assert len(plain) < len(arrays)
    state.write_bytes(pack(header, plain, checkpoint.KEY))
    second, at = checkpoint.load(state)
    training(second, data, lambda *_: None, at.visited).run()
    assert same(second, whole)


def test_scores_of_other_examples_are_not_used(data: Path, tmp_path: Path) -> None:
    learner, order = begun(4, "auto", 2), RNG.permutation(1200)
    source = examples.FileInMemory(data, [], None, 0.0, None)
    learner.learn(source.all.rows.take(order), source.all.labels[order])
    kept = learner.kept()
    assert len(kept["kept_units"]) == 1200
    plain, offered = (OnlineLearner.from_state(*learner.state()) for _ in range(2))
    offered.offer(kept)
    for one in (plain, offered):
        one.learn(*source.all, passes=2, visited=1200)
    assert same(plain, offered)


def test_a_checkpoint_of_an_older_version_goes_on() -> None:
    golden = Path(__file__).parents[1] / "golden"
    learner, at = checkpoint.load(golden / "online-checkpoint-v1.safetensors")
    assert at.visited == 40
    training(learner, golden / "online-checkpoint-v1.svm", lambda *_: None, at.visited, at.seed).run()
    whole = OnlineLearner(OnlineSettings(gm.PolynomialKernel(2), C=0.5, epochs=3), np.array([0, 1]))
    training(whole, golden / "online-checkpoint-v1.svm", lambda *_: None, seed=None).run()
    assert same(learner, whole)


def test_a_stream_goes_on_in_the_same_data_only(tmp_path, capsys):
    first = "".join(f"{'+1' if at % 3 else '-1'} {at % 7 + 1}:1 {at % 5 + 8}:1\n" for at in range(50))
    (tmp_path / "first").write_text(first)
    (tmp_path / "second").write_text("".join(f"{'+1' if at % 2 else '-1'} {at % 11 + 1}:1\n" for at in range(60)))
    (tmp_path / "more").write_text(first + "+1 2:1 9:1\n-1 3:1 9:1\n")
    how = ["--online", "--stream", "-q"]
    begun = [*how, "-d", "2", "-C", "0.1", "--epochs", "1", "--checkpoint", str(tmp_path / "ck")]
    assert run(["train", str(tmp_path / "first"), str(tmp_path / "m"), *begun]) == 0
    goes_on = [str(tmp_path / "m2"), *how, "--resume", str(tmp_path / "ck")]
    assert run(["train", str(tmp_path / "second"), *goes_on]) == 1
    assert "second does not begin with the examples that the checkpoint was learning from" in capsys.readouterr().err
    assert not (tmp_path / "m2").exists()
    assert run(["train", str(tmp_path / "more"), *goes_on]) == 0
    assert run(["train", str(tmp_path / "more"), str(tmp_path / "m3"), *begun[:-2]]) == 0
    assert gm.load(tmp_path / "m2") == gm.load(tmp_path / "m3")
