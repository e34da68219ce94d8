"""`gristmill serve` in processes of its own: started, found listening, weighed, ended."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

_PATIENCE = 60.0  # seconds until a server answers


@dataclass(frozen=True)
class Served:
    """A server that answers."""

    process: subprocess.Popen[bytes]
    port: int
    workers: int

    def memory(self) -> int:
        """Bytes that all its processes have now, pages that they share counted once for each."""
        return sum(resident(process) for process in self.processes())

    def processes(self) -> list[int]:
        found = [self.process.pid]
        for process in found:
            found += _children(process)
        return found


@contextmanager
def served(model: Path, workers: int = 1, host: str = "127.0.0.1") -> Iterator[Served]:
    """A server of the model on a free port, which is asked to end when the block does, and has to."""
    port = _free_port(host)
    command = [sys.executable, "-m", "gristmill", "serve", str(model)]
    options = ["--host", host, "--port", str(port), "--workers", str(workers)]
    process = subprocess.Popen([*command, *options], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        _wait(f"http://{host}:{port}/api/health", process)
        yield Served(process, port, workers)
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(timeout=30)


def _wait(address: str, process: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + _PATIENCE
    while process.poll() is None and time.monotonic() < until:
        try:
            with urllib.request.urlopen(address, timeout=5):
                return
        except OSError:
            time.sleep(0.05)
    raise RuntimeError(f"no server at {address}")


def _free_port(host: str) -> int:
    with socket.socket() as one:
        one.bind((host, 0))
        return int(one.getsockname()[1])


def resident(process: int) -> int:
    """Bytes that a process has now; 0 when it has just ended."""
    try:
        lines = Path(f"/proc/{process}/status").read_text(encoding="ascii", errors="replace").splitlines()
    except (FileNotFoundError, ProcessLookupError):
        return 0
    return sum(1024 * int(line.split()[1]) for line in lines if line.startswith("VmRSS:"))


def _children(process: int) -> list[int]:
    """None of a process that has just ended."""
    with suppress(FileNotFoundError, ProcessLookupError):
        tasks = Path(f"/proc/{process}/task").iterdir()
        return [int(child) for task in tasks for child in (task / "children").read_text(encoding="ascii").split()]
    return []
