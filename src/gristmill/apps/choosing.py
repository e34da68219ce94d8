"""Parameters that are chosen by how well an app does on sentences that it has not learned from (development data).

One parameter after another is changed: from where it is, up while that helps, else down while that helps. Each trial
learns anew, so that this takes some ten times as long as learning once.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gristmill.apps.learning import Learning

Values = Mapping[str, Any]  # of parameters that are changed together

_COSTS = (1 / 64, 1 / 16, 1 / 4, 1, 4, 16, 64, 256)  # times the solver's own
_DEGREES = (1, 2, 3)
_EPOCHS = (5, 10, 20)
_SYSTEMS = (
    ("arc-eager", "dynamic", "none"),
    ("arc-standard", "static", "none"),
    ("arc-standard", "static", "head"),
    ("swap", "static", "none"),
)


@dataclass(frozen=True)
class Choice:
    """What a parameter may be, in an order in which scores rise and fall, and where the search begins."""

    values: tuple[Values, ...]
    start: int


@dataclass(frozen=True)
class Trial:
    """Parameters, and the score of what was learned with them."""

    params: Values
    score: float


def learning_choices(app: Any, fixed: Collection[str] = ()) -> list[Choice]:
    """What an error costs, the degree, and the epochs of online learning; but for parameters that are fixed."""
    scheme = getattr(app, "multiclass", "auto")  # apps with two classes have none
    how = Learning(app.solver, scheme, app.degree, app.C, app.epochs)
    known = {"C": ([how.cost * factor for factor in _COSTS], how.cost), "degree": (_DEGREES, how.degree)}
    if how.solver == "online":
        known["epochs"] = (_EPOCHS, how.epochs)
    return [_choice(name, *values) for name, values in known.items() if name not in fixed]


def system_choices(app: Any, fixed: Collection[str] = ()) -> list[Choice]:
    """How a parser deals with crossing arcs, if its algorithm is one of those."""
    systems = tuple(dict(zip(("algorithm", "oracle", "pseudo_projective"), one, strict=True)) for one in _SYSTEMS)
    start = next((at for at, one in enumerate(systems) if one.items() <= vars(app).items()), None)
    return [] if start is None or not {*fixed}.isdisjoint(systems[0]) else [Choice(systems, start)]


def _choice(name: str, values: Sequence[Any], own: Any) -> Choice:
    values = sorted({*values, own})
    return Choice(tuple({name: value} for value in values), values.index(own))


def choose(
    app: Any, choices: Sequence[Choice], score: Callable[[], float], tell: Callable[[Trial], object] | None = None
) -> list[Trial]:
    """Give an app the best parameters that are found.

    Parameters
    ----------
    app : App
    choices : list of Choice
    score : callable
        Learns with the parameters that the app has then, and gives a score on development data; higher is better.
    tell : callable or None
        Called with each trial.

    Returns
    -------
    list of Trial
        All, in their order.
    """
    best = {name: value for choice in choices for name, value in choice.values[choice.start].items()}
    trials = list[Trial]()

    def judge(params: Values) -> float:
        _set(app, best | dict(params))
        trials.append(Trial(best | dict(params), score()))
        if tell is not None:
            tell(trials[-1])
        return trials[-1].score

    top = judge({})
    for choice in choices:
        found, top = _climb(choice, top, judge)
        best |= choice.values[found]
    _set(app, best)
    return trials


def _climb(choice: Choice, top: float, judge: Callable[[Values], float]) -> tuple[int, float]:
    """Where the score is best, upwards from the start or else downwards, as far as each value beats that before it."""
    for way in (range(choice.start + 1, len(choice.values)), range(choice.start - 1, -1, -1)):
        at = choice.start
        for place in way:
            found = judge(choice.values[place])
            if found <= top:
                break
            at, top = place, found
        if at != choice.start:
            return at, top
    return choice.start, top


def _set(app: Any, params: Values) -> None:
    for name, value in params.items():
        setattr(app, name, value)
