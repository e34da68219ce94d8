"""What a list of the heaviest conjunctions and one of fragments have in common."""

from __future__ import annotations

import abc
import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, ClassVar, TypeVar

from gristmill.display.bars import aligned
from gristmill.explanations.limits import Limits
from gristmill.machines.machine import Machine

One = TypeVar("One")


class Heaviest(Sequence[One]):
    """Parts of a machine, heaviest first.

    `floor` bounds what is not here: no other that was looked for weighs more. `limits` says what was, and `outputs`
    those that were looked at.
    """

    kind: ClassVar[str]  # what JSON calls them
    numeric: ClassVar[tuple[int, ...]]  # columns of `lines` that hold numbers

    def __init__(self, machine: Machine, floor: float, outputs: range, limits: Limits) -> None:
        self.machine, self.floor, self.outputs, self.limits = machine, floor, outputs, limits

    @abc.abstractmethod
    def summary(self) -> str:
        """What was looked for, in words."""

    @abc.abstractmethod
    def lines(self, top: int | None = None) -> list[tuple[str, ...]]:
        """A table of what was found, or of the first: its heads, then a line for each."""

    def table(self) -> str:
        """What was looked for, and a table of what was found."""
        return "\n".join([self.summary(), *aligned(self.lines(), right=self.numeric)])

    def __str__(self) -> str:
        return self.table()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({len(self)} of {self.machine!r})"

    def _repr_html_(self) -> str:
        from gristmill.display.page import notebook
        from gristmill.explanations.pictures import heaviest_picture

        return notebook(heaviest_picture(self))

    def as_dict(self) -> dict[str, Any]:
        """Everything as JSON can hold it."""
        found: list[Any] = list(self)
        return {"floor": self.floor, **asdict(self.limits), self.kind: [asdict(one) for one in found]}

    def to_json(self) -> str:
        return json.dumps(self.as_dict(), allow_nan=False)
