"""What every kind of model does for the server."""

from __future__ import annotations

import abc
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from gristmill.web.limits import Limits
from gristmill.web.watch import Watch

Answer = dict[str, Any]
Schema = dict[str, Any]


@dataclass(frozen=True)
class Wanted:
    """What is asked about inputs that are explained, by the names of the request."""

    output: str | None = None
    interactions: bool = False
    without: bool = False


class Asked(NamedTuple):
    """A request: inputs, and what is asked about them where they are explained."""

    inputs: Sequence[Any]
    wanted: Wanted | None = None


class Player(abc.ABC):
    """One model. Immutable: many threads ask it at once."""

    kind: ClassVar[str]
    inputs: ClassVar[str]  # the key of a request: rows, trees or sentences
    options: ClassVar[tuple[str, ...]] = ("output",)  # of an explanation

    def __init__(self, limits: Limits) -> None:
        self.limits = limits

    @abc.abstractmethod
    def facts(self) -> Answer:
        """What the model is, for /api/model."""

    @property
    @abc.abstractmethod
    def outputs(self) -> tuple[str, ...]:
        """Names of the outputs that can be asked about."""

    @abc.abstractmethod
    def read(self, given: Any, where: str) -> Any:
        """One input, checked; RefusedError where it is none. Cheap: what takes time is for score and explain."""

    @abc.abstractmethod
    def score(self, inputs: Sequence[Any], watch: Watch) -> list[Answer]: ...

    @abc.abstractmethod
    def explain(self, inputs: Sequence[Any], wanted: Wanted, watch: Watch) -> list[Answer]: ...

    def answer(self, asked: Asked, watch: Watch) -> list[Answer]:
        """Scores, or explanations where these are wanted."""
        inputs, wanted = asked
        return self.score(inputs, watch) if wanted is None else self.explain(inputs, wanted, watch)

    def effort(self, asked: Asked) -> float:
        """About how many nanoseconds an answer takes; infinite where that is not known."""
        return math.inf

    def examples(self) -> list[Any]:
        """Inputs to try, as a request has them."""
        return []

    def features(self, prefix: str, limit: int) -> list[Answer]:
        """Features that begin like this, the frequent ones first."""
        return []

    @property
    @abc.abstractmethod
    def input_schema(self) -> Schema: ...

    @property
    @abc.abstractmethod
    def scored_schema(self) -> Schema: ...

    @property
    @abc.abstractmethod
    def explained_schema(self) -> Schema: ...
