"""A model where it is needed: workers open it by its path; where they do not see the file it is sent to each once.

A model is known by the digest of its file and is opened once in a process. A compiled scorer beside it
(`gristmill convert --engine`) is read, not built.
"""

from __future__ import annotations

import functools
import hashlib
import tempfile
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from gristmill.apps.loading import open_model
from gristmill.base.files import PathLike
from gristmill.base.replacing import replacing
from gristmill.machines.machine import Machine
from gristmill.machines.store import to_bytes
from gristmill.scoring.compile import cached_scorer
from gristmill.scoring.scorer import Scorer

SCORER_SUFFIX = ".scorer"
_KEPT = 4  # models that a process keeps open


@dataclass(frozen=True)
class SharedModel:
    """A model file: its digest, and its path or what it holds."""

    digest: str
    path: str | None = field(default=None, compare=False)
    content: bytes | None = field(default=None, compare=False, repr=False)
    engine: str = "auto"  # of a machine without a compiled scorer

    @classmethod
    def of(cls, model: Machine | PathLike, engine: str = "auto") -> SharedModel:
        """Of a machine, or of a file that is here."""
        if isinstance(model, Machine):
            content = to_bytes(model)
            return cls(hashlib.sha256(content).hexdigest(), None, content, engine)
        path = str(Path(model).absolute())
        return cls(_digest(path), path, None, engine)

    @property
    def nbytes(self) -> int:
        """Of the file."""
        return len(self.content) if self.content is not None else Path(self.file()).stat().st_size

    def with_content(self) -> SharedModel:
        """For workers that do not see the file."""
        return self if self.path is None else replace(self, path=None, content=Path(self.path).read_bytes())

    def is_seen(self) -> bool:
        """Whether the file is the same where this is called."""
        return self.path is None or (Path(self.path).is_file() and _digest(self.path) == self.digest)

    def file(self) -> str:
        """A path of the file here; what was sent is written once, to a folder that goes with the process."""
        if self.path is not None:
            if not self.is_seen():
                raise FileNotFoundError(f"{self.path} is not here, or not the model that was asked for")
            return self.path
        target = Path(_folder().name) / f"{self.digest[:32]}.model"
        if not (target.is_file() and _digest(str(target)) == self.digest):
            assert self.content is not None
            with replacing(target) as written:
                written.write_bytes(self.content)
        return str(target)

    def opened(self) -> Any:
        """An app, or the scorer of a machine."""
        return _opened(self)


@functools.lru_cache(maxsize=_KEPT)
def _opened(model: SharedModel) -> Any:
    if model.content is None:
        return _read(model.file(), model.engine)
    with tempfile.NamedTemporaryFile(prefix="gristmill-") as written:  # training sends a machine in every round
        written.write(model.content)
        written.flush()
        return _read(written.name, model.engine)


def _read(path: str, engine: str) -> Any:
    found, compiled = open_model(path), Path(path + SCORER_SUFFIX)
    if not isinstance(found, Machine):
        return found
    scorer = cached_scorer(found, compiled) if compiled.is_file() else None
    return scorer if isinstance(scorer, Scorer) else found.compile(engine)


@functools.cache
def _folder() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="gristmill-")


def _digest(path: str) -> str:
    """Of a file; that of one that has not changed is kept."""
    about = Path(path).stat()
    return _digest_of(path, about.st_mtime_ns, about.st_size)


@functools.lru_cache(maxsize=64)
def _digest_of(path: str, changed: int, size: int) -> str:
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
