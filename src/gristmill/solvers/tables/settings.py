"""What a table machine is to be: the parameters of the estimators, checked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from gristmill.base.checks import check_choice, check_not_negative, check_positive, check_positive_int, is_whole

AUTO = "auto"
PARTS = ("both", "thermometer", "onehot")
MOST_DEGREE = 3


@dataclass(frozen=True)
class TableSettings:
    """Parameters by the names of the estimators; 'auto' is chosen on rows held out."""

    degree: Any = AUTO
    C: Any = AUTO
    parts: Any = AUTO
    pair_scale: Any = AUTO
    rounds: Any = AUTO
    max_pairs: int = 300
    tol: float = 1e-3
    max_iter: int = 1000

    def __post_init__(self) -> None:
        if self.C != AUTO:
            _check(check_positive, "C", self.C)
        if self.degree != AUTO and not (is_whole(self.degree) and 1 <= self.degree <= MOST_DEGREE):
            raise ValueError(f"degree must be 1, 2, 3 or 'auto', got {self.degree!r}")
        check_choice("parts", self.parts, (*PARTS, AUTO))
        if self.pair_scale != AUTO:
            _check(check_positive, "pair_scale", self.pair_scale)
        if self.rounds != AUTO and not (is_whole(self.rounds) and self.rounds >= 0):
            raise ValueError(f"rounds must be a whole number from 0 on or 'auto', got {self.rounds!r}")
        check_positive_int("max_pairs", self.max_pairs)
        check_not_negative("tol", self.tol)
        check_positive_int("max_iter", self.max_iter)

    @property
    def is_open(self) -> bool:
        """Whether anything is left to be chosen."""
        return AUTO in (self.degree, self.C, self.parts, self.pair_scale, self.rounds)


def _check(check: Any, name: str, value: Any) -> None:
    """The same check, which also says that 'auto' would do."""
    try:
        check(name, value)
    except ValueError as error:
        raise ValueError(str(error).replace(", got", " or 'auto', got")) from None
