"""Commands as pages and --help show them, run as a shell does; those of gristmill in this process."""

from __future__ import annotations

import io
import shlex
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from itertools import groupby
from pathlib import Path
from unittest.mock import patch

from gristmill.cli import run


def run_shell(line: str) -> tuple[int, str]:
    """The exit code of `a | b && c`, and what was printed; the first stage that fails ends it."""
    shown = io.StringIO()
    for pipeline in _split(_words(line), "&&"):
        code = _run_pipeline(pipeline, shown)
        if code:
            return code, shown.getvalue()
    return 0, shown.getvalue()


def _words(line: str) -> list[str]:
    """With their quotes, which only the shell takes away."""
    lexer = shlex.shlex(line, posix=False, punctuation_chars="|&>")
    lexer.commenters = ""
    lexer.whitespace_split = True
    return list(lexer)


def _split(words: list[str], joint: str) -> list[list[str]]:
    return [list(group) for is_joint, group in groupby(words, joint.__eq__) if not is_joint]


def _run_pipeline(words: list[str], shown: io.StringIO) -> int:
    stages, data = _split(words, "|"), b""
    for stage in stages:
        code, data = (_run_here if stage[0] == "gristmill" else _run_apart)(stage, data, shown)
        if code:
            break
    shown.write(data.decode())
    return code


def _run_apart(words: list[str], data: bytes, shown: io.StringIO) -> tuple[int, bytes]:
    done = subprocess.run(["bash", "-c", " ".join(words)], input=data, capture_output=True, check=False)
    shown.write(done.stderr.decode())
    return done.returncode, done.stdout


def _run_here(words: list[str], data: bytes, shown: io.StringIO) -> tuple[int, bytes]:
    words, target = (words[: words.index(">")], words[words.index(">") + 1]) if ">" in words else (words, None)
    out, given = (io.TextIOWrapper(io.BytesIO(held), encoding="utf-8", write_through=True) for held in (b"", data))
    with patch.object(sys, "stdin", given), redirect_stdout(out), redirect_stderr(shown):
        code = run(shlex.split(" ".join(words), comments=True)[1:])
    printed = out.buffer.getvalue()
    if target is None:
        return code, printed
    Path(target).write_bytes(printed)
    return code, b""
