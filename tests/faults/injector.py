"""Calls of Python with faults of the system under them: a full disk, a damaged one, a short write, the power failing.

Each call runs in a copy of one process that has `interpose.cpp` loaded before the system's own library. The copy is
told which folder to watch, and at which of its calls that change files there what happens. What a copy had to import
is imported by the process, so that the next copies need not.
"""

from __future__ import annotations

import contextlib
import ctypes
import importlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SOURCE = Path(__file__).parent / "interpose.cpp"
ROOT = Path(__file__).parents[2]
FAULTS = {
    "none": 0,
    "kill": 1,  # this process and those that it forked, at once; a write is half done
    "full": 2,  # from this call on nothing has room
    "broken": 3,  # EIO, once
    "short": 4,  # half of a write is done, which is no error
    "interrupted": 5,  # EINTR, once
    "budget": 6,  # so many bytes are written, then the disk is full
}
KILLED = -signal.SIGKILL


@dataclass(frozen=True)
class Outcome:
    """What became of a call."""

    status: int  # what it returned, or the signal that ended it, negative
    calls: tuple[str, ...]  # that changed files, or would have: the name of each and its path; none if it was killed
    said: str  # on standard error


def compiled(folder: Path) -> Path:
    """The library, built into a folder."""
    library = folder / "libfaults.so"
    flags = ["-std=c++20", "-Wall", "-Wextra", "-Wshadow", "-Wconversion", "-Werror", "-O1", "-shared", "-fPIC"]
    subprocess.run(["g++", *flags, "-o", str(library), str(SOURCE), "-ldl"], check=True)
    return library


class Injector:
    """The process that is copied, and requests to it."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def run(self, call: str, arguments: list[Any], watched: Path, fault: str = "none", at: int = 0) -> Outcome:
        """MODULE:FUNCTION of these arguments in the folder that is watched; `at`: the number of the call, from 1 on.

        Temporary files go to `tmp` in that folder.
        """
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        request = [call, arguments, os.path.realpath(watched), FAULTS[fault], at]
        print(json.dumps(request), file=self._process.stdin, flush=True)
        status, calls, said = json.loads(self._process.stdout.readline())
        return Outcome(status, tuple(calls), said)


@contextlib.contextmanager
def injecting() -> Iterator[Injector]:
    """The process, until the block ends."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "LD_PRELOAD": str(compiled(Path(folder))), "PYTHONPATH": str(ROOT)}
        command = [sys.executable, "-m", "tests.faults.injector"]
        with subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment, cwd=ROOT
        ) as process:
            yield Injector(process)
            assert process.stdin is not None
            process.stdin.close()


# --- in the process that is copied ------------------------------------------------------------------------------------


def _serve() -> None:
    """Answer requests by copies of this process."""
    library = ctypes.CDLL(os.environ["LD_PRELOAD"])
    library.faults_call.restype = ctypes.c_char_p
    for line in sys.stdin:
        print(json.dumps(_answered(library, *json.loads(line))), flush=True)


def _answered(library: Any, *request: Any) -> tuple[int, list[str], str]:
    with tempfile.TemporaryFile("w+") as said, tempfile.TemporaryFile("w+") as noted:
        child = os.fork()
        if child == 0:
            _follow(library, said.fileno(), noted.fileno(), *request)
        _, status = os.waitpid(child, 0)
        said.seek(0)
        noted.seek(0)
        calls, modules = json.loads(noted.read() or "[[], []]")
        for name in modules:
            with contextlib.suppress(ImportError):
                importlib.import_module(name)
        return os.waitstatus_to_exitcode(status), calls, said.read()


def _follow(
    library: Any, said: int, noted: int, call: str, arguments: list[Any], watched: str, fault: int, at: int
) -> None:
    """Do it, note which calls there were and what was imported, and end without what this process inherited."""
    status = 99
    try:
        known = set(sys.modules)
        _enter(watched, said)
        module, function = call.split(":")
        do = getattr(importlib.import_module(module), function)
        library.faults_arm(watched.encode(), fault, ctypes.c_long(at))
        status = do(*arguments) or 0
        sys.stderr.flush()
        library.faults_disarm()
        made = [library.faults_call(ctypes.c_long(number)).decode() for number in range(library.faults_calls())]
        os.write(noted, json.dumps([made, sorted(set(sys.modules) - known)]).encode())
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(status)


def _enter(folder: str, said: int) -> None:
    """A process group of its own, nothing to read, and both outputs into one file."""
    os.setpgid(0, 0)
    os.chdir(folder)
    tempfile.tempdir = f"{folder}/tmp"
    for number, descriptor in ((0, os.open(os.devnull, os.O_RDONLY)), (1, said), (2, said)):
        os.dup2(descriptor, number)


if __name__ == "__main__":
    _serve()
