"""Which changes of a row are allowed, and what they cost."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gristmill.base.arrays import Flags, Floats, Indices, Int32s
from gristmill.explanations.change_options import NAMED_RULES, ChangeOptions
from gristmill.explanations.row_variables import NO_COLUMN, RowVariables


class Choices(NamedTuple):
    """What a row may become, as the core reads it: of each variable that may change its own value first."""

    starts: NDArray[np.uint32]
    columns: Int32s
    costs: Floats
    fixed: Int32s
    values: Indices  # of the variables
    own: Indices  # of all variables


@dataclass(frozen=True, eq=False)
class ChangeRules:
    """Which changes of a row's variables are allowed, and what they cost."""

    variables: RowVariables
    options: ChangeOptions = field(default_factory=ChangeOptions)

    def choices(self, ids: Int32s, held: Iterable[int] = ()) -> Choices:
        """Of a row; `held`: variables that keep their values."""
        variables = self.variables
        own = variables.own(ids)
        every = np.arange(len(variables.variable))
        is_own = every == own[variables.variable]
        allowed = self._allowed(own)
        if held:
            allowed &= ~np.isin(variables.variable, np.fromiter(held, dtype=np.intp))
        kept = np.flatnonzero(allowed | is_own)
        kept = kept[(np.bincount(variables.variable[kept], minlength=len(variables)) > 1)[variables.variable[kept]]]
        kept = kept[np.argsort(2 * variables.variable[kept] + ~is_own[kept], kind="stable")]
        counts = np.bincount(variables.variable[kept], minlength=len(variables))
        starts = np.concatenate([[0], np.cumsum(counts[counts > 0])]).astype(np.uint32)
        group = variables.variables_of(ids)
        fixed = ids[(group < 0) | (counts[group] == 0)] if len(counts) else ids
        costs = np.where(is_own, 0.0, self._cost(own))[kept]
        return Choices(starts, variables.columns[kept], costs, np.ascontiguousarray(fixed), kept, own)

    def _allowed(self, own: Indices) -> Flags:
        variables = self.variables
        variable, ranks = variables.variable, variables.ranks
        own_rank = ranks[own][variable]
        has_order = (ranks >= 0) & (own_rank >= 0)
        is_none, was_none = variables.columns == NO_COLUMN, (variables.columns[own] == NO_COLUMN)[variable]
        allowed = ~self._flags["immutable"][variable]
        allowed &= ~is_none | variables.optional[variable]
        if not self.options.to_unknown:
            allowed &= ~variables.unknown
        allowed &= ~self._flags["increase_only"][variable] | (has_order & (ranks > own_rank))
        allowed &= ~self._flags["decrease_only"][variable] | (has_order & (ranks < own_rank))
        allowed &= ~self._flags["add_only"][variable] | was_none
        allowed &= ~self._flags["remove_only"][variable] | is_none
        return np.asarray(allowed)

    @cached_property
    def _flags(self) -> dict[str, Flags]:
        found = {}
        for name in NAMED_RULES:
            flags = np.zeros(len(self.variables), dtype=np.bool_)
            flags[self.variables.numbers(getattr(self.options, name), name)] = True
            found[name] = flags
        return found

    def _cost(self, own: Indices) -> Floats:
        variable, ranks = self.variables.variable, self.variables.ranks
        each, by_distance, given = self._prices
        own_rank = ranks[own][variable]
        far = np.where((ranks >= 0) & (own_rank >= 0), np.abs(ranks - own_rank), 1)
        cost = each[variable] * np.where(by_distance[variable], far, 1)
        return np.where(np.isnan(given), cost, given)

    @cached_property
    def _prices(self) -> tuple[Floats, Flags, Floats]:
        """Of each variable the cost of a change, and whether distance counts; of each value its own, or NaN."""
        variables = self.variables
        each, by_distance = np.ones(len(variables)), np.zeros(len(variables), dtype=np.bool_)
        given = np.full(len(variables.variable), np.nan)
        costs = self.options.costs
        if costs == "distance":
            by_distance[:] = True
        elif costs is not None:
            if not isinstance(costs, Mapping):
                raise ValueError(f"costs must be None, 'distance' or a dict from names to costs, got {costs!r}")
            for name, cost in costs.items():
                for number in variables.numbers(name, "costs").tolist():
                    self._set_price(number, cost, each, by_distance, given)
        return each, by_distance, given

    def _set_price(self, number: int, cost: Any, each: Floats, by_distance: Flags, given: Floats) -> None:
        name = self.variables.name(number)
        if cost == "distance":
            by_distance[number] = True
        elif isinstance(cost, Mapping):
            values = np.flatnonzero(self.variables.variable == number).tolist()
            words = {self.variables.word(value): value for value in values}
            for word, own in cost.items():
                if str(word) not in words:
                    raise ValueError(f"costs of {name!r} name the value {word!r}; it has {', '.join(map(repr, words))}")
                given[words[str(word)]] = _price(own, name)
        else:
            each[number] = _price(cost, name)


def _price(cost: Any, name: str) -> float:
    if isinstance(cost, bool) or not isinstance(cost, int | float | np.number) or not 0 < cost < np.inf:
        raise ValueError(f"a change of {name!r} must cost a number above 0, got {cost!r}; to forbid it use immutable")
    return float(cost)
