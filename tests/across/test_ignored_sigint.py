"""SIGINT where it is ignored: behind a shell's &, under nohup, in some CI systems.

Tests of Ctrl-C pass there, the command line keeps ignoring it, and a server ends by it all the same.
"""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import httpx
import pytest

import gristmill as gm
from gristmill.cli.train_online import Interruption
from tests.across.interrupting import ignoring, listening, seconds_to_stop

TESTS = Path(__file__).parents[1]
OF_CTRL_C = (
    "scoring/test_scorer_interrupts_and_refusals.py::test_ctrl_c_stops_within_a_second[1]",
    "scoring/test_compile.py::test_ctrl_c_stops_mining_within_a_second[exact, many rows]",
    "cli/test_train_online.py::test_the_second_ctrl_c_interrupts_as_always",
    "data/test_forest.py::test_ctrl_c_stops_a_kernel",
)


@pytest.fixture
def model(tmp_path):
    path = tmp_path / "model.safetensors"
    gm.Machine(gm.PolynomialKernel(2), gm.ids([[0, 1], [1, 2]]), [1.0, -0.5], 0.0, [-1, 1]).save(path)
    return path


def gristmill(*arguments, **streams):
    return subprocess.Popen([sys.executable, "-m", "gristmill", *map(str, arguments)], text=True, **streams)


@pytest.mark.slow  # pytest in pytest
def test_tests_of_ctrl_c_pass_where_sigint_is_ignored():
    names = [str(TESTS / name) for name in OF_CTRL_C]
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *names]
    with ignoring():
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stdout


def test_tests_interrupt_a_process_that_ignores_sigint():
    with ignoring():
        assert seconds_to_stop(lambda: time.sleep(20)) < 5
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN


def test_a_command_goes_on_where_sigint_is_ignored(model):
    """It waits for its input, gets SIGINT, then the input: it answers."""
    with ignoring():
        process = gristmill("predict", model, "-", stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    process.send_signal(signal.SIGINT)
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(2)
    process.send_signal(signal.SIGINT)
    labels, _ = process.communicate("+1 1:1 2:1\n", timeout=60)
    assert (process.returncode, labels) == (0, "1\n")


def test_training_does_not_listen_where_sigint_is_ignored():
    with ignoring(), Interruption() as interruption:
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)
        assert not interruption.requested


def test_training_listens_elsewhere():
    with listening(), Interruption() as interruption:
        signal.raise_signal(signal.SIGINT)
        assert interruption.requested


def test_a_server_ends_by_sigint_also_where_it_is_ignored(model):
    with ignoring():
        process = gristmill("serve", model, "--port", 0, stdout=subprocess.PIPE)
    try:
        address = process.stdout.readline().strip()
        assert httpx.get(f"{address}api/health", trust_env=False, timeout=20).status_code == 200
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == 0
    finally:
        process.kill()
        process.communicate()
