"""A program in a process of its own: seconds of the clock and of the processor, the most memory, what it printed.

It is started by a small process, for the system counts the memory of the one that starts a program as the program's.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

_START = """
import json, os, sys, time
begin = time.perf_counter()
child = os.posix_spawnp(sys.argv[2], sys.argv[2:], os.environ)
_, status, usage = os.wait4(child, 0)
report = {"seconds": time.perf_counter() - begin, "bytes": 1024 * usage.ru_maxrss}
report["cpu"] = usage.ru_utime + usage.ru_stime
with open(sys.argv[1], "w") as file:
    file.write(json.dumps(report))
sys.exit(status != 0)
"""


@dataclass(frozen=True)
class Launched:
    """Of a program that has ended."""

    seconds: float
    bytes: int
    text: str
    cpu: float  # seconds of the processor, children included


def launch(command: list[str], folder: Path) -> Launched:
    """Run it there, on one thread; RuntimeError with its own words if it fails."""
    with tempfile.TemporaryDirectory() as name:
        report = Path(name) / "report"
        text = call([sys.executable, "-S", "-E", "-c", _START, str(report), *command], folder)
        return Launched(**json.loads(report.read_text(encoding="ascii")), text=text)


def call(command: list[str], folder: Path) -> str:
    """What it prints; libraries that it uses have one thread."""
    alone = os.environ | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(
        command, cwd=folder, env=alone, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise RuntimeError(f"{' '.join(command[-8:])} ended with {done.returncode}: {done.stderr[-2000:]}")
    return done.stdout
