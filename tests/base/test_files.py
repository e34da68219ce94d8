"""Files appear whole or not at all, and compressed ones are opened by what they hold."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import stat
import subprocess
import sys
import time
import zlib
from types import SimpleNamespace

import pytest

import gristmill as gm
from gristmill.base.errors import FormatError
from gristmill.base.files import blocks_of_bytes, line_blocks, read_bytes, write_bytes

TEXT = b"1 1:1 2:1\n" * 100


def pack_zstd(text):
    name = "compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd"
    zstd = pytest.importorskip(name)
    return zstd.compress(text, options={zstd.CompressionParameter.checksum_flag: 1})


PACKERS = {"gz": gzip.compress, "bz2": bz2.compress, "xz": lzma.compress, "zst": pack_zstd}
packed = pytest.mark.parametrize("pack", PACKERS.values(), ids=PACKERS.keys())


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.parametrize("old", [None, b"old"])
def test_what_is_written_is_there(tmp_path, old):
    target = tmp_path / "file"
    if old is not None:
        target.write_bytes(old)
    write_bytes(target, TEXT)
    assert target.read_bytes() == TEXT
    assert list(tmp_path.iterdir()) == [target]


@pytest.mark.parametrize("broken", ["fsync", "rename", "chmod"])
@pytest.mark.parametrize("failure", [OSError("disk full"), KeyboardInterrupt()], ids=["error", "Ctrl-C"])
def test_a_failing_write_leaves_the_old_file_alone(tmp_path, monkeypatch, broken, failure):
    def fail(*_args, **_kwargs):
        raise failure

    target = tmp_path / "file"
    target.write_bytes(b"old")
    place = {"fsync": "os.fsync", "rename": "pathlib.Path.replace", "chmod": "pathlib.Path.chmod"}[broken]
    with monkeypatch.context() as patch:
        patch.setattr(place, fail)
        with pytest.raises(type(failure)):
            write_bytes(target, TEXT)
    assert target.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [target]


@pytest.mark.parametrize("expected", [0o600, 0o640, 0o755])
def test_the_mode_of_an_old_file_is_kept(tmp_path, expected):
    target = tmp_path / "file"
    target.write_bytes(b"old")
    target.chmod(expected)
    write_bytes(target, TEXT)
    assert mode(target) == expected


def test_a_new_file_has_the_mode_of_an_ordinary_one(tmp_path):
    (tmp_path / "ordinary").touch()
    write_bytes(tmp_path / "ours", TEXT)
    assert mode(tmp_path / "ours") == mode(tmp_path / "ordinary")


@pytest.mark.parametrize("dangling", [False, True])
def test_a_link_stays_a_link(tmp_path, dangling):
    link, target = tmp_path / "link", tmp_path / "target"
    link.symlink_to(target)
    if not dangling:
        target.write_bytes(b"old")
    write_bytes(link, TEXT)
    assert link.is_symlink()
    assert target.read_bytes() == TEXT


def test_a_name_as_long_as_the_system_allows_can_be_written(tmp_path):
    target = tmp_path / ("n" * os.pathconf(tmp_path, "PC_NAME_MAX"))
    write_bytes(target, TEXT)
    assert target.read_bytes() == TEXT


def test_a_device_is_written_to_and_not_replaced():
    write_bytes("/dev/null", TEXT)
    assert not os.path.isfile("/dev/null")  # noqa: PTH113


def test_a_missing_folder_is_an_ordinary_error(tmp_path):
    with pytest.raises(FileNotFoundError):
        write_bytes(tmp_path / "none" / "file", TEXT)


def test_a_dash_is_standard_input_and_output(monkeypatch):
    out = io.BytesIO()
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(gzip.compress(TEXT))))
    monkeypatch.setattr(sys, "stdout", SimpleNamespace(buffer=out))
    write_bytes("-", read_bytes("-"))
    assert out.getvalue() == TEXT


@packed
def test_compressed_files_are_opened_by_content_not_by_name(tmp_path, pack):
    target = tmp_path / "plain.txt"
    target.write_bytes(pack(TEXT))
    assert read_bytes(target) == TEXT


@packed
def test_compressed_files_of_several_members_are_read_whole(tmp_path, pack):
    target = tmp_path / "file"
    target.write_bytes(pack(TEXT) + pack(TEXT))
    assert read_bytes(target) == TEXT + TEXT


def flip_middle(data):
    return data[: len(data) // 2] + bytes([data[len(data) // 2] ^ 0xFF]) + data[len(data) // 2 + 1 :]


@pytest.mark.parametrize(
    "damage", [lambda data: data[:-6], lambda data: data[:12], flip_middle], ids=["cut", "head", "flip"]
)
@packed
def test_a_damaged_compressed_file_is_a_format_error_that_names_it(tmp_path, pack, damage):
    target = tmp_path / "broken.gz"
    target.write_bytes(damage(pack(TEXT)))
    with pytest.raises(gm.FormatError, match="damaged") as caught:
        read_bytes(target)
    assert caught.value.path == str(target)
    assert str(caught.value).startswith(f"{target}: ")


def test_damage_in_a_compressed_model_names_the_file_once(tmp_path):
    target = tmp_path / "model.gz"
    target.write_bytes(gzip.compress(b"svm_type c_svc\nkernel_type linear\nSV\n"))
    with pytest.raises(gm.FormatError) as caught:
        gm.load(target)
    assert str(caught.value).count(str(target)) == 1


@pytest.mark.skipif(not os.path.exists("/dev/stdout"), reason="no /dev/stdout here")  # noqa: PTH110
def test_standard_output_by_its_device_is_appended_to_and_not_replaced(tmp_path):
    target = tmp_path / "out"
    target.write_bytes(b"old\n")
    code = "from gristmill.base.files import write_bytes; write_bytes('/dev/stdout', b'new')"
    with target.open("ab") as out:
        subprocess.run([sys.executable, "-c", code], stdout=out, check=True)
    assert target.read_bytes() == b"old\nnew"


def test_a_target_that_cannot_be_written_is_named_in_the_error(tmp_path):
    with pytest.raises(FileNotFoundError) as caught:
        write_bytes(tmp_path / "none" / "file", TEXT)
    assert caught.value.filename == str(tmp_path / "none" / "file")


# --- blocks of lines --------------------------------------------------------------------------------------------------

TEXTS = [b"", b"\n", b"a", b"one\ntwo\nthree", b"one\ntwo\n\nthree\n", b"x" * 50 + b"\ny\n", b"a\nb\n" * 500]


@pytest.mark.parametrize("pack", [bytes, *PACKERS.values()], ids=["plain", *PACKERS])
@pytest.mark.parametrize("size", [1, 7, 100_000])
def test_blocks_are_whole_lines_and_make_up_the_file(tmp_path, monkeypatch, pack, size):
    for text in TEXTS:
        path = tmp_path / "text"
        path.write_bytes(pack(text))
        blocks = list(line_blocks(path, size))
        assert b"".join(blocks) == text
        assert all(block.endswith(b"\n") for block in blocks[:-1])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(pack(text))))
        assert b"".join(line_blocks("-", size)) == text


def test_several_packed_parts_are_one_stream(tmp_path):
    (tmp_path / "text").write_bytes(gzip.compress(b"a\n") + gzip.compress(b"b\n"))
    assert b"".join(line_blocks(tmp_path / "text", 100)) == b"a\nb\n"


@packed
def test_damaged_blocks_are_refused(tmp_path, pack):
    packed = pack(b"".join(b"%d\n" % (n * n) for n in range(1000)))
    (tmp_path / "text").write_bytes(packed[: len(packed) // 2])
    with pytest.raises(gm.FormatError, match="compressed file is damaged"):
        list(line_blocks(tmp_path / "text", 100))


def test_zstd_is_refused_where_nothing_unpacks_it(tmp_path, monkeypatch):
    for name in ("compression.zstd", "backports.zstd"):
        monkeypatch.setitem(sys.modules, name, None)
    (tmp_path / "file").write_bytes(b"\x28\xb5\x2f\xfd and more")
    for read in (read_bytes, lambda path: list(line_blocks(path, 10))):
        with pytest.raises(FormatError, match=r"packed by zstd, which needs Python 3\.14 or later, or: pip install"):
            read(tmp_path / "file")


def test_blocks_are_the_same_however_a_file_is_packed(tmp_path):
    text = b"".join(b"%d\n" % (n * n) for n in range(5000))
    streams = [gzip.compress(text[at : at + 70]) for at in range(0, len(text), 70)]
    for pack in (bytes, gzip.compress, lambda _: b"".join(streams)):
        (tmp_path / "text").write_bytes(pack(text))
        assert list(line_blocks(tmp_path / "text", 1000)) == list(blocks_of_bytes(text, 1000))


def test_a_long_line_takes_time_in_proportion(tmp_path):
    (tmp_path / "text").write_bytes(b"x" * (1 << 25))
    begin = time.process_time()
    assert len(b"".join(line_blocks(tmp_path / "text", 1 << 13))) == 1 << 25
    assert time.process_time() - begin < 3


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_a_line_beyond_the_limit_is_refused_with_its_place(tmp_path, monkeypatch, pack):
    monkeypatch.setattr("gristmill.base.files.LONGEST_LINE", 1000)
    (tmp_path / "text").write_bytes(pack(b"a\nb\n" + b"x" * 900 + b"\n" + b"x" * 2000))
    with pytest.raises(gm.FormatError, match="a line of more than 1,000 bytes") as caught:
        list(line_blocks(tmp_path / "text", 100))
    assert (caught.value.path, caught.value.line) == (str(tmp_path / "text"), 4)


# --- limits of packed files -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("read", [read_bytes, lambda path: b"".join(line_blocks(path, 1000))])
@packed
def test_many_streams_take_time_in_proportion(tmp_path, pack, read):
    """What followed was copied for each of them: 100,000 took minutes."""
    count = {lzma.compress: 5_000, pack_zstd: 1_000}.get(pack, 50_000)
    (tmp_path / "file").write_bytes(pack(TEXT) + pack(b"") * count + pack(TEXT))
    begin = time.process_time()
    assert read(tmp_path / "file") == TEXT + TEXT
    assert time.process_time() - begin < 5


@pytest.mark.parametrize("read", [read_bytes, lambda path: b"".join(line_blocks(path, 1000))])
@packed
def test_what_unpacks_to_too_much_is_refused_and_named(tmp_path, monkeypatch, pack, read):
    monkeypatch.setattr("gristmill.base.packed._PLENTY", 10_000)
    monkeypatch.setattr("gristmill.base.packed._RATIO", 2)
    (tmp_path / "file").write_bytes(pack(b"x\n" * 5000))
    assert len(read(tmp_path / "file")) == 10_000
    (tmp_path / "file").write_bytes(pack(b"x\n" * 5000) + pack(b"x"))
    with pytest.raises(gm.FormatError, match=r"unpack to more than 10,000, the limit .* unpack it first") as caught:
        read(tmp_path / "file")
    assert caught.value.path == str(tmp_path / "file")


@packed
def test_zeros_may_follow_a_stream_and_nothing_else(tmp_path, pack):
    (tmp_path / "file").write_bytes(pack(TEXT) + bytes(5000) + pack(TEXT) + bytes(3))
    assert read_bytes(tmp_path / "file") == TEXT + TEXT
    (tmp_path / "file").write_bytes(pack(TEXT) + bytes(5) + b"x")
    with pytest.raises(gm.FormatError, match="damaged"):
        read_bytes(tmp_path / "file")


def test_a_stream_that_asks_for_much_memory_is_refused(tmp_path):
    data = bytearray(lzma.compress(b"x"))
    begin, end = 12, 12 + 4 * (data[12] + 1)  # the head of the block, and its checksum
    data[begin + 4] = 39  # for the size of the window: 3 GiB
    data[end - 4 : end] = zlib.crc32(data[begin : end - 4]).to_bytes(4, "little")
    (tmp_path / "file").write_bytes(data)
    with pytest.raises(gm.FormatError, match="Memory usage limit"):
        read_bytes(tmp_path / "file")
