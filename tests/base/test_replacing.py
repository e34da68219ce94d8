"""What is written stays after a power cut, and what killed processes have left is removed, and nothing else."""

from __future__ import annotations

import errno
import fcntl
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from gristmill.base import replacing as module
from gristmill.base.files import write_bytes, writing
from gristmill.base.replacing import replacing, scratch_folder


def left(folder):
    return sorted(path.name for path in folder.iterdir())


# --- durable ----------------------------------------------------------------------------------------------------------


def test_the_file_is_synced_before_it_is_renamed_and_the_folder_after(tmp_path, monkeypatch):
    calls, sync, rename = [], os.fsync, module.Path.replace

    def synced(handle):
        calls.append(str(Path(f"/proc/self/fd/{handle}").readlink()))
        sync(handle)

    def renamed(path, target):
        calls.append("rename")
        return rename(path, target)

    monkeypatch.setattr(os, "fsync", synced)
    monkeypatch.setattr(module.Path, "replace", renamed)
    write_bytes(tmp_path / "file", b"new")
    file, *rest = calls
    assert file.startswith(str(tmp_path / ".gristmill-part-"))
    assert rest == ["rename", str(tmp_path)]


def test_a_folder_that_cannot_be_synced_is_no_error(tmp_path, monkeypatch):
    sync = os.fsync

    def of_files_alone(handle):
        if Path(f"/proc/self/fd/{handle}").is_dir():
            raise OSError(errno.EINVAL, "no folders")
        sync(handle)

    monkeypatch.setattr(os, "fsync", of_files_alone)
    write_bytes(tmp_path / "file", b"new")
    assert (tmp_path / "file").read_bytes() == b"new"


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO])
@pytest.mark.parametrize("way", [writing, replacing])
def test_a_full_disk_is_an_error_that_names_the_file(tmp_path, way, number):
    with pytest.raises(OSError, match="file") as caught, way(tmp_path / "file"):
        raise OSError(number, "as from write")
    assert caught.value.filename == str(tmp_path / "file")
    assert left(tmp_path) == []


def test_a_loop_of_links_is_an_ordinary_error(tmp_path):
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    with pytest.raises(OSError, match="loop") as caught:
        write_bytes(tmp_path / "loop", b"new")
    assert caught.value.errno == errno.ELOOP
    assert left(tmp_path) == ["loop"]


# --- what is left -----------------------------------------------------------------------------------------------------

KILLED = """
import os, signal, sys
from pathlib import Path
from gristmill.base.replacing import replacing, scratch_folder
folder = Path(sys.argv[1])
with scratch_folder(folder) as parts, replacing(folder / "file") as part:
    (parts / "one").write_bytes(b"half")
    part.write_bytes(b"half")
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_what_a_killed_process_has_left_goes_with_the_next_write(tmp_path):
    (tmp_path / "file").write_bytes(b"old")
    killed = subprocess.run([sys.executable, "-c", KILLED, tmp_path], check=False, timeout=60)
    assert killed.returncode == -signal.SIGKILL
    assert len(left(tmp_path)) == 3
    assert (tmp_path / "file").read_bytes() == b"old"
    write_bytes(tmp_path / "other", b"new")
    assert left(tmp_path) == ["file", "other"]


def test_what_is_being_written_is_not_removed(tmp_path):
    with replacing(tmp_path / "one") as one, scratch_folder(tmp_path) as parts:
        one.write_bytes(b"one")
        (parts / "part").touch()
        module._remove_left.cache_clear()
        write_bytes(tmp_path / "two", b"two")
        assert (parts / "part").exists()
    assert left(tmp_path) == ["one", "two"]


def test_nothing_else_is_taken_for_left(tmp_path):
    strange = tmp_path / ".gristmill-part-pipe"
    os.mkfifo(strange)  # would wait for a writer
    (tmp_path / ".gristmill-part-link").symlink_to(tmp_path / "kept")
    for name in ("kept", ".gristmill-0123456789abcdef", "gristmill-part-"):
        (tmp_path / name).touch()
    write_bytes(tmp_path / "file", b"new")
    assert {"kept", ".gristmill-0123456789abcdef", "gristmill-part-", ".gristmill-part-link"} < {*left(tmp_path)}


def test_files_are_written_where_there_are_no_locks(tmp_path, monkeypatch):
    def none(*_):
        raise OSError(errno.ENOLCK, "no locks")

    monkeypatch.setattr(fcntl, "flock", none)
    (tmp_path / ".gristmill-part-1").touch()
    write_bytes(tmp_path / "file", b"new")
    assert left(tmp_path) == [".gristmill-part-1", "file"]


def test_another_process_may_take_it_for_left_before_it_is_locked(tmp_path, monkeypatch):
    make, made = module._touch, []

    def removed_at_first(path):
        make(path)
        made.append(path)
        if len(made) == 1:
            path.unlink()

    monkeypatch.setattr(module, "_touch", removed_at_first)
    write_bytes(tmp_path / "file", b"new")
    assert len(made) == 2
    assert left(tmp_path) == ["file"]
