"""What is asked of the heaviest conjunctions and fragments alike."""

from __future__ import annotations

from dataclasses import dataclass

from gristmill.base.checks import check_not_negative, check_positive_int
from gristmill.display.words import counted
from gristmill.explanations.names import output_names, output_number
from gristmill.machines.machine import Machine


@dataclass(frozen=True)
class Limits:
    """Beyond which nothing was looked for."""

    min_support: int = 1
    max_size: int | None = None

    def others(self, floor: float, part: str, example: str) -> str:
        """What can be said of all that was not found: `part` is what sizes count, `example` what supports."""
        size = "" if self.max_size is None else f" of up to {counted(self.max_size, part)}"
        support = "" if self.min_support == 1 else f" in {counted(self.min_support, example)} or more"
        if floor > 0:
            return f"no other{size}{support} weighs more than {floor:.4g}"
        return f"there are no others{size}{support}"


def check_limits(top: int, min_support: int, max_size: int | None, sigma: float | None, **most: int) -> None:
    """ValueError for what cannot be asked; `most` names the largest number that may be found."""
    ((name, value),) = most.items()
    for whole, number in (("top", top), ("min_support", min_support), (name, value)):
        check_positive_int(whole, number)
    if max_size is not None:
        check_positive_int("max_size", max_size)
    if sigma is not None:
        check_not_negative("sigma", sigma)
    elif top > value:
        raise ValueError(f"top must be at most {name} = {value}, got {top}")


def outputs_of(machine: Machine, output: int | str | None) -> range:
    """One output, named or numbered, or all."""
    if output is None:
        return range(machine.n_outputs)
    number = output_number(output_names(machine), output)
    return range(number, number + 1)
