"""Data files for a machine, in the form its support examples have."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from gristmill.base.files import PathLike
from gristmill.data.formats.svmlight import read_rows_for
from gristmill.data.formats.tree_data import read_examples_for
from gristmill.kernels import Progress
from gristmill.machines.machine import Machine
from gristmill.machines.structured import StructuredMachine


def read_for(
    machine: Machine, path: PathLike, *, zero_based: bool | None = None, progress: Progress | None = None
) -> tuple[Any, NDArray[Any]]:
    """Examples and labels: rows in svmlight format, or trees for a machine on trees."""
    if isinstance(machine, StructuredMachine):
        if zero_based is not None:
            raise ValueError("--zero-based and --one-based are for rows; this machine is on trees")
        return read_examples_for(machine, path, progress=progress)
    return read_rows_for(machine, path, zero_based=zero_based, progress=progress)
