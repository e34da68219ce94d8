"""What the lists of the heaviest conjunctions and of the heaviest fragments have in common."""

from __future__ import annotations

import abc
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, TypeVar

import numpy as np

from gristmill.base.arrays import Floats
from gristmill.base.checks import check_not_negative, check_positive_int
from gristmill.display.bars import aligned
from gristmill.display.page import notebook
from gristmill.display.words import counted
from gristmill.explanations.models import output_names, output_number
from gristmill.explanations.pictures import heaviest_picture
from gristmill.machines.machine import Machine

Item = TypeVar("Item")


@dataclass(frozen=True)
class Limits:
    """The limits of a search: it does not look beyond them."""

    min_support: int = 1
    max_size: int | None = None

    def others(self, floor: float, part: str, example: str) -> str:
        """A sentence about all that is not listed: `part` is the unit of sizes, `example` that of support."""
        size = "" if self.max_size is None else f" of up to {counted(self.max_size, part)}"
        support = "" if self.min_support == 1 else f" in {counted(self.min_support, example)} or more"
        if floor > 0:
            return f"no other{size}{support} weighs more than {floor:.4g}"
        return f"there are no others{size}{support}"


@dataclass(frozen=True)
class Search:
    """What is searched for: the `top` heaviest, or where that is None all of at least this weight."""

    top: int | None
    least: float
    outputs: range
    limits: Limits
    most: int  # that the list may have

    @classmethod
    def of(
        cls,
        machine: Machine,
        top: int,
        output: int | str | None,
        min_support: int,
        max_size: int | None,
        min_weight: float | None,
        **most: int,
    ) -> Search:
        """The parameters checked; `most` names the one that limits the length of the list."""
        ((name, value),) = most.items()
        sizes = {} if max_size is None else {"max_size": max_size}
        for whole, number in {"top": top, "min_support": min_support, **most, **sizes}.items():
            check_positive_int(whole, number)
        if min_weight is not None:
            check_not_negative("min_weight", min_weight)
        elif top > value:
            raise ValueError(f"top must be at most {name} = {value}, got {top}")
        outputs = range(machine.n_outputs)
        if output is not None:
            outputs = outputs[output_number(output_names(machine), output) :][:1]
        limits = Limits(int(min_support), None if max_size is None else int(max_size))
        least = 0.0 if min_weight is None else float(min_weight)
        return cls(int(top) if min_weight is None else None, least, outputs, limits, int(value))

    def floor(self, weights: Floats) -> float:
        """What nothing unlisted exceeds, where the list has these weights."""
        return float(np.abs(weights).min()) if len(weights) == self.top else self.least


class Heaviest(Sequence[Item]):
    """The heaviest parts of a machine, in order of ``|weight|``.

    `floor` bounds what is not listed: nothing else within `limits` weighs more. `outputs` are those searched.
    """

    kind: ClassVar[str]  # their name in JSON
    numeric: ClassVar[tuple[int, ...]]  # columns of `lines` that hold numbers

    def __init__(self, machine: Machine, search: Search, weights: Floats) -> None:
        self.machine, self.outputs, self.limits = machine, search.outputs, search.limits
        self.floor = search.floor(weights)

    @abc.abstractmethod
    def summary(self) -> str:
        """What was searched, in words."""

    @abc.abstractmethod
    def lines(self, top: int | None = None) -> list[tuple[str, ...]]:
        """The list, or its first lines, as a table with a header."""

    def table(self) -> str:
        """The summary and the table as text."""
        return "\n".join([self.summary(), *aligned(self.lines(), right=self.numeric)])

    def __str__(self) -> str:
        return self.table()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({len(self)} of {self.machine!r})"

    def _repr_html_(self) -> str:
        return notebook(heaviest_picture(self))

    def as_dict(self) -> dict[str, Any]:
        """The list as plain data for JSON."""
        items: list[Any] = list(self)
        return {"floor": self.floor, **asdict(self.limits), self.kind: [asdict(item) for item in items]}

    def to_json(self) -> str:
        return json.dumps(self.as_dict(), allow_nan=False)
