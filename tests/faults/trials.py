"""A command that writes files, tried with a fault: what it leaves behind, and what its next run leaves."""

from __future__ import annotations

import contextlib
import re
import shutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.faults.injector import KILLED, Injector, Outcome

OLD = b"as it was\n"
TEMPORARY = ".gristmill-"
CACHE = ".scorer"  # as good as none, where it is not there
_NAMED = re.compile(r"(?:error: (?=\S+: )|^gristmill: (?=\S+ failed: ))(\S+?):? ", re.M)

State = dict[str, bytes]  # what files hold, by their names


@dataclass
class Trials:
    """A command, its outputs, and the folder that it works in."""

    injector: Injector
    folder: Path  # that is made anew for each run
    command: str
    outputs: tuple[str, ...]
    varying: Mapping[str, Callable[[bytes], Any]]  # outputs that hold the time: whole is what can be read
    call: str = "gristmill.cli:run"
    old: State = field(default_factory=dict)
    new: State = field(default_factory=dict)
    calls: tuple[str, ...] = ()
    size: int = 0  # of all outputs, in bytes

    def __post_init__(self) -> None:
        """Find out what there is to break."""
        self.old = dict.fromkeys(self.outputs, OLD)
        self.begin()
        done = self.run()
        assert done.status == 0, done.said
        self.new, self.calls = self.state(), done.calls
        self.size = sum((self.folder / name).stat().st_size for name in self.new)
        assert set(self.new) == set(self.old), f"it also writes {set(self.new) ^ set(self.old)}, which is not checked"
        assert self.calls

    def begin(self) -> None:
        """The folder as it is before each run."""
        shutil.rmtree(self.folder, ignore_errors=True)
        (self.folder / "tmp").mkdir(parents=True)
        for name, content in self.old.items():
            (self.folder / name).parent.mkdir(exist_ok=True)
            (self.folder / name).write_bytes(content)

    def run(self, fault: str = "none", at: int = 0) -> Outcome:
        return self.injector.run(self.call, [self.command.split()], self.folder, fault, at)

    def state(self) -> State:
        found = {
            str(path.relative_to(self.folder)): path.read_bytes() for path in self.folder.rglob("*") if path.is_file()
        }
        for name, read in self.varying.items():
            with contextlib.suppress(ValueError, KeyError):
                read(found[name])
                found[name] = b"whole"
        return found

    def faults(self, *kinds: str) -> Iterator[tuple[str, int]]:
        """Each kind of fault at each call."""
        return ((kind, at) for kind in kinds for at in range(1, len(self.calls) + 1))

    def check(self, fault: str, at: int) -> None:
        """Run with the fault; then every file is the old one or the new one, and the next run leaves the new alone."""
        self.begin()
        done = self.run(fault, at)
        about = f"{fault} at {at}: {self.calls[at - 1] if fault != 'budget' else 'bytes'}: {done.said}"
        left = self.state()
        for name in self.outputs:
            is_lost = name not in left and not name.endswith(CACHE)
            assert left.get(name, self.old[name]) in (self.old[name], self.new[name]), f"{name} is torn; {about}"
            assert not is_lost, f"{name} is lost; {about}"
        more = sorted(set(left) - set(self.outputs))
        match fault:
            case "kill":
                assert done.status == KILLED, about
                assert all(TEMPORARY in name for name in more), f"left behind: {more}; {about}"
            case "short" | "interrupted":
                assert done.status == 0, about
                assert left == self.new, about
            case _:
                self._check_refused(done, left, about)
        if fault == "kill":
            self._check_next(about)

    def _check_refused(self, done: Outcome, left: State, about: str) -> None:
        """An error that names a file; no error only where all was written."""
        more = sorted(set(left) - set(self.outputs))
        assert not more or "unlink" in about, f"left behind: {more}; {about}"
        if done.status == 0:
            assert {name: left[name] for name in self.outputs} == self.new, f"lost without an error; {about}"
            return
        assert done.status == 1, about
        named = _NAMED.search(done.said)
        assert named, f"names no file; {about}"
        known = {self.folder.name, *(part for name in self.outputs for part in Path(name).parts)}
        assert Path(named[1]).name in known, f"names another file; {about}"

    def _check_next(self, about: str) -> None:
        done = self.run()
        assert done.status == 0, f"{done.said} after {about}"
        assert self.state() == self.new, f"after {about}"
