"""SIGTERM ends a run like Ctrl-C, and no stream that is closed or full takes results with it."""

from __future__ import annotations

import contextlib
import functools
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import gristmill as gm
from gristmill.base.files import writing
from gristmill.cli.ending import terminated_as_interrupted
from gristmill.cli.train_online import Interruption
from tests.across.interrupting import ignoring, interrupt, listening

slow = functools.partial(pytest.param, marks=pytest.mark.slow)

ROWS = b"1 1:1 2:1\n-1 2:1 3:1\n1 1:1 3:1\n-1 3:1\n"
TABLE = b"a,b,y\n" + b"1,x,no\n2,y,yes\n3,x,no\n4,y,yes\n" * 8


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "data").write_bytes(ROWS)
    (tmp_path / "table.csv").write_bytes(TABLE)
    gm.Machine(gm.PolynomialKernel(2), gm.ids([[0, 1], [1, 2]]), [1.0, -0.5], 0.0, [-1, 1]).save(tmp_path / "model")
    return tmp_path


def shell(folder, command):
    """The exit code, and what was said on standard error."""
    program = f"{sys.executable} -m gristmill"
    done = subprocess.run(
        ["bash", "-c", "set -o pipefail; " + command.replace("gristmill", program)],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    return done.returncode, done.stderr


# --- streams ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("command", "code", "said"),
    [
        ("gristmill train data new 2>&-", 0, ""),
        slow("gristmill train data new 2>/dev/full", 0, ""),
        slow("{ gristmill train data new 2>&1 >&3 | true; } 3>&1", 0, ""),
        slow("gristmill train data new <&- >&- 2>&-", 0, ""),
        ("gristmill train data new --json >&-", 1, "<stdout>: Bad file descriptor"),
        slow("gristmill train data new --json >/dev/full", 1, "<stdout>: No space left on device"),
        slow("gristmill train data new --json -q | true", 1, ""),
        slow("gristmill train table.csv new --target y -q >&-", 0, ""),
        slow("gristmill train table.csv new --target y | true", 1, "gristmill: "),
        slow("gristmill tune data data new -C 1 | true", 1, "gristmill: the best model"),
        slow("gristmill predict model data -o new >&- 2>&-", 0, ""),
    ],
)
def test_a_closed_stream_takes_no_result_with_it(folder, command, code, said):
    got, error = shell(folder, command)
    assert got == code, error
    assert said in error
    assert "Traceback" not in error
    assert "Exception ignored" not in error
    assert len(error.splitlines()) <= 2
    assert (folder / "new").stat().st_size > 0


@pytest.mark.parametrize(
    ("command", "code", "said"),
    [
        slow("gristmill predict model data | true", 1, ""),
        slow("gristmill inspect model | true", 1, ""),
        ("gristmill predict model data >/dev/full", 1, "gristmill: error: <stdout>: No space left on device\n"),
        slow("gristmill predict model data -o /dev/full", 1, "gristmill: error: /dev/full: No space left on device\n"),
        slow("gristmill predict model data >&-", 1, "gristmill: error: <stdout>: Bad file descriptor\n"),
        slow("gristmill predict model - <&-", 1, "gristmill: error: standard input is closed\n"),
    ],
)
def test_what_cannot_be_written_is_said_once(folder, command, code, said):
    assert shell(folder, command) == (code, said)


# --- SIGTERM ----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """Examples that take a minute to learn from."""
    path = tmp_path_factory.mktemp("large") / "data"
    rng = np.random.default_rng(0)
    gm.write_svmlight(path, (rng.random((3000, 300)) < 0.1).astype(float), rng.integers(2, size=3000))
    return path


PLANES = "-k linear -C 1e3 --tol 1e-12 --solver cutting-plane".split()
LONG = {
    "batch": ["train", "IN", "OUT", *PLANES],
    "online": ["train", "IN", "OUT", "--online", "--epochs", 1_000_000],
    "tune": ["tune", "IN", "OUT", "--folds", 9, "--degree", "1,2,3", "-C", "1,2,3,4,5,6,7,8", "--tol", "1e-12"],
}


@pytest.mark.parametrize(
    ("words", "hears"),
    [
        (LONG["batch"], listening),
        (LONG["online"], ignoring),
        slow(LONG["online"], listening),
        slow(LONG["tune"], listening),
        slow(LONG["tune"], ignoring),
    ],
)
def test_sigterm_ends_like_ctrl_c_and_keeps_what_was_learned(large, tmp_path, words, hears):
    names = {"IN": large, "OUT": tmp_path / "new"}
    said = interrupt(*(names.get(word, word) for word in words), number=signal.SIGTERM, hears=hears)
    assert "interrupted" in said
    if words[0] == "train":
        assert gm.load(tmp_path / "new").n_support > 0
    assert [path.name for path in tmp_path.iterdir()] in ([], ["new"])


def test_sigterm_while_a_file_is_written_leaves_the_old_one(tmp_path):
    (tmp_path / "file").write_bytes(b"old")
    interrupts = contextlib.suppress(KeyboardInterrupt)
    with terminated_as_interrupted() as terminator, interrupts, writing(tmp_path / "file") as out:
        out.write(b"new")
        signal.raise_signal(signal.SIGTERM)
    assert terminator.came
    assert [path.read_bytes() for path in tmp_path.iterdir()] == [b"old"]
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL


def test_a_second_sigterm_interrupts_at_once():
    with terminated_as_interrupted() as terminator, Interruption() as interruption:
        signal.raise_signal(signal.SIGTERM)
        assert interruption.requested
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGTERM)
    assert terminator.exit_code(130) == 143
    assert terminator.exit_code(1) == 1


def test_sigterm_that_is_ignored_stays_so():
    before = signal.signal(signal.SIGTERM, signal.SIG_IGN)
    try:
        with terminated_as_interrupted(), Interruption() as interruption:
            signal.raise_signal(signal.SIGTERM)
        assert not interruption.requested
    finally:
        signal.signal(signal.SIGTERM, before)


@pytest.mark.slow
def test_the_program_itself_ends_with_143(large, tmp_path):
    words = [sys.executable, "-m", "gristmill", "train", str(large), "new", *PLANES]
    with subprocess.Popen(words, cwd=tmp_path, stderr=subprocess.PIPE, text=True) as process:
        while seconds_of(process) < 2.5 and process.poll() is None:
            time.sleep(0.05)
        process.terminate()
        said = process.communicate(timeout=60)[1]
    assert process.returncode == 143, said
    assert "interrupted; the best machine so far is in new" in said
    assert gm.load(tmp_path / "new").n_support > 0


def seconds_of(process):
    """That processors gave to another process."""
    fields = Path(f"/proc/{process.pid}/stat").read_text().rsplit(")", 1)[1].split()
    return int(fields[11]) / os.sysconf("SC_CLK_TCK")
