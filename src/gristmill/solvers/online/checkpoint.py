"""Checkpoints: a learner in the middle of its work, in a safetensors file with a checksum."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from gristmill.base.files import PathLike, read_bytes, write_bytes
from gristmill.data.formats.kinds import CHECKPOINT
from gristmill.data.formats.reading import reading
from gristmill.machines.store import pack, sound, unpack
from gristmill.solvers.online.learner import OnlineLearner

VERSION = 1
KEY = "gristmill-checkpoint"
_ENGINES = {"kernel": "inverted", "expand": "expanded"}  # names in older files


@dataclass(frozen=True)
class Run:
    """What a learner works on and how far it has come."""

    visited: int  # visits made
    seed: int | None
    first_id: int
    weights: list[float]  # by class
    examples: str | None  # checksum of the examples; None for a stream
    head: str | None = None  # of a stream: checksum of its first examples; older files have none


def save(learner: OnlineLearner, run: Run, path: PathLike) -> None:
    """Write a checkpoint, whole or not at all."""
    header, arrays = learner.state()
    if run.examples is not None:
        arrays = arrays | learner.kept()
    write_bytes(path, pack({"version": VERSION, "learner": header, "run": asdict(run)}, arrays, KEY))


def load(path: PathLike) -> tuple[OnlineLearner, Run]:
    """The learner of a checkpoint, ready to go on."""
    with reading(path, CHECKPOINT) as looked:
        header, arrays = unpack(looked.content(read_bytes(path)), KEY, VERSION, "checkpoint")
        with sound("checkpoint"):
            run: dict[str, Any] = header["run"]
            weights = {"smallest_weight": min(run["weights"], default=1.0)}  # older files do not say it
            learner = OnlineLearner.from_state(weights | _renamed(header["learner"]), arrays)
            learner.offer(arrays)
            return learner, Run(**run)


def _renamed(learner: dict[str, Any]) -> dict[str, Any]:
    """The state of a learner with today's names of engines."""
    settings: dict[str, Any] = learner["settings"]
    engine = settings["engine"]
    return learner | {"settings": settings | {"engine": _ENGINES.get(engine, engine)}}
