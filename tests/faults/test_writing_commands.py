"""Whatever happens while a command writes, each of its files is the old one or the new one, whole."""

from __future__ import annotations

import contextlib
import shutil

import pytest

from tests.across.file_kinds import TEXTS, make_files
from tests.across.interrupting import SANITIZED
from tests.faults.injector import injecting
from tests.faults.trials import Trials
from tests.faults.writers import OUTPUTS, QUICK, VARYING, WRITERS

pytestmark = [
    pytest.mark.skipif(shutil.which("g++") is None, reason="no g++ here, to build what makes the faults"),
    pytest.mark.skipif(SANITIZED, reason="something else is preloaded"),
]


@pytest.fixture(scope="module")
def injector():
    with injecting() as made:
        yield made


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    return tmp_path_factory.mktemp("faults")


@pytest.fixture(scope="module")
def rows(base):
    """The data of the quick commands."""
    (base / "in").mkdir(exist_ok=True)
    (base / "in" / "rows").write_text(TEXTS["rows"])


@pytest.fixture(scope="module")
def every_kind(base):
    (base / "in").mkdir(exist_ok=True)
    with contextlib.chdir(base / "in"):
        make_files(base / "in")


SMALL = 200  # bytes
ANNOTATE = "predict ../in/m.rows ../in/rows ../in/more -o folder --cluster local --block-size 1"


def trials(injector, base, command):
    outputs = tuple(name for name in OUTPUTS if name in command.split())
    more = ("out.scorer",) if "convert" in command and "--engine" in command else ()
    return Trials(injector, base / "work", command, (*outputs, *more), VARYING)


@pytest.mark.parametrize("fault", ["kill", "full"])
def test_training_leaves_the_old_model_or_the_new_one(injector, base, rows, fault):
    made = trials(injector, base, QUICK)
    for kind, at in made.faults(fault):
        made.check(kind, at)


@pytest.mark.slow
@pytest.mark.parametrize("name", WRITERS)
def test_every_fault_at_every_call_of_every_command(injector, base, every_kind, name):
    made = trials(injector, base, WRITERS[name])
    for kind, at in made.faults("kill", "full", "broken", "short", "interrupted"):
        made.check(kind, at)


@pytest.mark.slow
@pytest.mark.parametrize("name", WRITERS)
def test_a_disk_with_room_for_less_than_the_files(injector, base, every_kind, name):
    """Room for each number of bytes of small files; for none, all but one and shares of large ones."""
    made = trials(injector, base, WRITERS[name])
    size = made.size
    for room in range(size) if size <= SMALL else sorted({0, 1, size // 7, size // 3, size * 6 // 7, size - 1}):
        made.check("budget", room)


@pytest.mark.slow
def test_every_fault_at_every_call_of_a_cluster_that_annotates_files(injector, base, every_kind):
    """In blocks, so that outputs are joined; the cluster is threads of the process."""
    (base / "in" / "more").write_text(TEXTS["rows"])
    outputs = ("folder/rows", "folder/more")
    made = Trials(injector, base / "work", ANNOTATE, outputs, {}, "tests.faults.annotating:annotate")
    for kind, at in made.faults("kill", "full", "broken", "short"):
        made.check(kind, at)
