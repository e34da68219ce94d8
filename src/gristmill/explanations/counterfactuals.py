"""What would change a decision: the results of `gristmill.counterfactual` and `gristmill.flip_radius`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, overload

from gristmill.base.arrays import Floats
from gristmill.display.bars import aligned
from gristmill.display.markup import Html, joined, shortened
from gristmill.display.page import note, notebook
from gristmill.display.tables import LONGEST, table
from gristmill.display.words import counted


@dataclass(frozen=True)
class Change:
    """What one variable of a row was, and what it is to be."""

    name: str
    before: str
    after: str
    cost: float = 1.0

    def __str__(self) -> str:
        if {self.before, self.after} == {"absent", "present"}:
            return f"{'+' if self.after == 'present' else '-'} {self.name}"
        if self.after == "cut off":
            return f"without {self.name}"
        return f"{self.name}: {self.before} -> {self.after}"


@dataclass(frozen=True, eq=False)
class Counterfactual:
    """Changes of a row that give what was asked for.

    Attributes
    ----------
    changes : tuple of Change
    cost : float
        Of all changes together.
    prediction
        The label of the changed row (of regression its value), by the definition of the machine.
    scores : array
        Of the changed row, one for each output.
    probability : float or None
        Of the label, where the machine has probabilities.
    row : Rows or Forest
        The changed row; of a machine on trees a Forest of the changed tree.
    is_proven : bool
        Whether every answer that costs less has been found.
    """

    changes: tuple[Change, ...]
    cost: float
    prediction: Any
    scores: Floats
    probability: float | None
    row: Any
    is_proven: bool

    def __len__(self) -> int:
        return len(self.changes)

    def __str__(self) -> str:
        return ", ".join(map(str, self.changes)) or "no change"

    def as_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        found = {
            "changes": [asdict(change) for change in self.changes],
            "cost": self.cost,
            "prediction": self.prediction,
            "scores": self.scores.tolist(),
            "proven": self.is_proven,
        }
        return found if self.probability is None else found | {"probability": self.probability}


@dataclass(frozen=True, eq=False)
class Counterfactuals(Sequence[Counterfactual]):
    """The cheapest changes of a row that give what was asked for, the cheapest first.

    Attributes
    ----------
    answers : tuple of Counterfactual
        None contains all changes of another.
    prediction
        The label of the row as it is (of regression its value).
    scores : array
    request : str
        What was asked for, in words.
    is_proven : bool
        Whether these are the cheapest answers there are, and, if they are fewer than asked for, all.
    lower_bound : float
        No answer costs less than this, or what was found; infinite where it is proven that there is none.
    nodes : int
        What the search looked at.
    """

    answers: tuple[Counterfactual, ...]
    prediction: Any
    scores: Floats
    request: str
    is_proven: bool
    lower_bound: float
    nodes: int

    def __len__(self) -> int:
        return len(self.answers)

    @overload
    def __getitem__(self, at: int) -> Counterfactual: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[Counterfactual, ...]: ...
    def __getitem__(self, at: int | slice) -> Counterfactual | tuple[Counterfactual, ...]:
        return self.answers[at]

    def __str__(self) -> str:
        parts = [f"{self._label(self.prediction)}; {self.request}: {self.verdict()}"]
        for number, answer in enumerate(self.answers if self.answers and self.answers[0].changes else (), 1):
            head = self._answer_head(answer)
            parts.append(head if len(self.answers) == 1 else f"{number}. {head}")
            lines = [(f"  {one.name}", one.before, "->", one.after) for one in answer.changes]
            parts += aligned(lines, right=()) if lines else []
        return "\n".join(parts)

    __repr__ = __str__

    def verdict(self) -> str:
        """What is proven, in words."""
        if not self.answers:
            if self.is_proven:
                return "no changes give it (proven)"
            return f"nothing found; no answer costs {_number(self.lower_bound)} or less"
        if not self.answers[0].changes:
            return "it is so without any change"
        several = len(self.answers) > 1
        if self.is_proven:
            return f"the {len(self.answers)} cheapest answers (proven)" if several else "the cheapest answer (proven)"
        if self.answers[-1].is_proven:
            return "the cheapest answers (proven); there may be more"
        if self.answers[0].is_proven:
            return "the first is the cheapest (proven); others may be cheaper than the last ones"
        return f"the best found; no answer costs {_number(self.lower_bound)} or less (proven)"

    def _answer_head(self, answer: Counterfactual, *, brief: bool = False) -> str:
        label = self._label(answer.prediction)
        said = f"{_short(label) if brief else label} with {counted(len(answer.changes), 'change')}"
        if answer.cost != len(answer.changes):
            said += f" for {_number(answer.cost)}"
        if answer.probability is not None:
            said += f", probability {answer.probability:.3f}"
        return said

    @staticmethod
    def _label(prediction: Any) -> str:
        return _number(prediction) if isinstance(prediction, float) else str(prediction)

    def _repr_html_(self) -> str:
        return notebook(self.html())

    def html(self) -> Html:
        """For a page: a table for each answer."""
        heads = ["what", "is", "to be", "cost"]
        found = [
            table(
                self._answer_head(answer, brief=True),
                heads,
                [[*map(_short, (one.name, one.before, one.after)), one.cost] for one in answer.changes],
                numeric=[3],
            )
            for answer in self.answers
        ]
        asked = f"{_short(self._label(self.prediction))}; {_short(self.request)}"
        return joined(note(f"{asked}: {self.verdict()}"), *found)

    def as_dict(self) -> dict[str, Any]:
        """Plain data for JSON; a lower bound without end is None."""
        return {
            "prediction": self.prediction,
            "scores": self.scores.tolist(),
            "request": self.request,
            "answers": [answer.as_dict() for answer in self.answers],
            "proven": self.is_proven,
            "lower_bound": self.lower_bound if self.lower_bound < float("inf") else None,
            "nodes": self.nodes,
        }

    def to_json(self) -> str:
        return json.dumps(self.as_dict(), allow_nan=False)


@dataclass(frozen=True, eq=False)
class FlipRadius:
    """The fewest variables that must change for another class: a certificate that fewer cannot do it.

    Attributes
    ----------
    radius : int or None
        Proven; None where the search ended before, or no changes do it.
    lower_bound : float
        No fewer do it; infinite where it is proven that no changes do.
    answer : Counterfactual or None
        Changes that do it: of `radius` variables, or the fewest found.
    prediction
        The label.
    nodes : int
    """

    radius: int | None
    lower_bound: float
    answer: Counterfactual | None
    prediction: Any
    nodes: int

    @classmethod
    def of(cls, found: Counterfactuals) -> FlipRadius:
        """From the smallest counterfactual, where each change costs 1."""
        answer = found.answers[0] if found.answers else None
        radius = len(answer) if answer is not None and found.is_proven else None
        bound = found.lower_bound if found.is_proven else found.lower_bound + 1
        return cls(radius, bound, answer, found.prediction, found.nodes)

    def __str__(self) -> str:
        said = f"{self.prediction}: "
        if self.radius is not None:
            return f"{said}it takes {counted(self.radius, 'change')} (proven), such as {self.answer}"
        if self.lower_bound == float("inf"):
            return f"{said}no changes give another class (proven)"
        known = "" if self.answer is None else f", at most {len(self.answer)}: {self.answer}"
        return f"{said}it takes {self.lower_bound:g} changes or more (proven){known}"

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return notebook(note(str(self)))

    def as_dict(self) -> dict[str, Any]:
        """Plain data for JSON; a lower bound without end is None."""
        return {
            "prediction": self.prediction,
            "radius": self.radius,
            "lower_bound": self.lower_bound if self.lower_bound < float("inf") else None,
            "answer": None if self.answer is None else self.answer.as_dict(),
            "nodes": self.nodes,
        }

    def to_json(self) -> str:
        return json.dumps(self.as_dict(), allow_nan=False)


def _short(text: str) -> str:
    """A name for a page, which a long one would fill."""
    return shortened(text, LONGEST)


def _number(value: float) -> str:
    return f"{value:.6g}"
