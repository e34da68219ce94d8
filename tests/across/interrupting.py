"""Ctrl-C for a command, or for a call, that runs for long."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import contextmanager, redirect_stderr, redirect_stdout

from gristmill.cli import run
from gristmill.cli.ending import terminated_as_interrupted

SOON = 5  # seconds: one, and room for a busy machine


@contextmanager
def listening():
    """SIGINT interrupts this process and programs that it starts, also where it was ignored when the tests started."""
    with _sigint(signal.default_int_handler):
        yield


@contextmanager
def ignoring():
    """SIGINT is ignored by this process and by programs that it starts, as behind a shell's & or nohup."""
    with _sigint(signal.SIG_IGN):
        yield


@contextmanager
def _sigint(handler):
    before = signal.signal(signal.SIGINT, handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


SANITIZED = "asan" in os.environ.get("LD_PRELOAD", "")  # everything takes several times as long, and keeps freed memory
SLOWER = 5 if SANITIZED else 1


def clocks():
    """The time of day, and the time that processors gave to this process."""
    return time.monotonic(), time.process_time()


def elapsed(before, after):
    """Seconds between two readings of the clocks, by the slower one: a busy machine stops the process now and then."""
    return min(late - early for early, late in zip(before, after, strict=True))


def interrupt(*arguments, after=0.7, number=signal.SIGINT, hears=listening):
    """Run gristmill here, interrupt it after some seconds of work, and return what it wrote to stderr.

    hears : listening, or ignoring for a run that SIGINT does not interrupt
    """
    begin, sent, ended = time.process_time(), [], threading.Event()

    def send():
        while time.process_time() - begin < after * SLOWER and not ended.wait(0.02):
            pass
        if not ended.is_set():
            sent.append(clocks())
            os.kill(os.getpid(), number)

    errors = io.StringIO()
    sender = threading.Thread(target=send)
    quiet = redirect_stdout(io.TextIOWrapper(io.BytesIO()))
    with hears(), terminated_as_interrupted() as terminator, quiet, redirect_stderr(errors):
        sender.start()
        try:
            code = terminator.exit_code(run(list(map(str, arguments))))
        finally:
            ended.set()
            sender.join()
    assert sent, f"it ended before it could be interrupted: {errors.getvalue()}"
    assert elapsed(sent[0], clocks()) < SOON
    assert code == 128 + number
    return errors.getvalue()


def interrupt_program(*arguments, after=4.0):
    """Start gristmill as a program of its own, interrupt it, and return what it wrote to stderr."""
    command = [sys.executable, "-m", "gristmill", *map(str, arguments)]
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    with listening():
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=environment)
    time.sleep(after)
    assert process.poll() is None, f"it ended before it could be interrupted: {process.communicate()[1].decode()}"
    process.send_signal(signal.SIGINT)
    start = time.monotonic()
    _, errors = process.communicate(timeout=60)
    assert time.monotonic() - start < SOON
    assert process.returncode == 130
    return errors.decode()


def seconds_to_stop(work, after=0.2):
    """Call work(), interrupt it, and return how long it went on."""
    sent = []

    def send():
        sent.append(clocks())
        os.kill(os.getpid(), signal.SIGINT)

    timer = threading.Timer(after, send)
    with listening():
        timer.start()
        try:
            work()
            timer.cancel()
            time.sleep(after)  # or the signal may come later still
        except KeyboardInterrupt:
            return elapsed(sent[0], clocks())
    raise AssertionError("it ended before it could be interrupted")
