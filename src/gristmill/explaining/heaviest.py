"""What a list of the heaviest conjunctions and one of fragments have in common."""

from __future__ import annotations

import abc
import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, ClassVar, TypeVar

from gristmill.explaining.limits import Limits
from gristmill.machine import Machine

One = TypeVar("One")


class Heaviest(Sequence[One]):
    """Parts of a machine, heaviest first.

    `floor` bounds what is not here: no other that was looked for weighs more. `limits` says what was, and `outputs`
    those that were looked at.
    """

    kind: ClassVar[str]  # what JSON calls them

    def __init__(self, machine: Machine, floor: float, outputs: range, limits: Limits) -> None:
        self.machine, self.floor, self.outputs, self.limits = machine, floor, outputs, limits

    @abc.abstractmethod
    def table(self) -> str:
        """What was looked for, and a table of what was found."""

    def __str__(self) -> str:
        return self.table()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({len(self)} of {self.machine!r})"

    def as_dict(self) -> dict[str, Any]:
        """Everything as JSON can hold it."""
        found: list[Any] = list(self)
        return {"floor": self.floor, **asdict(self.limits), self.kind: [asdict(one) for one in found]}

    def to_json(self) -> str:
        return json.dumps(self.as_dict(), allow_nan=False)
