"""Machines by all engines beside exact arithmetic: scores near enough, declared bounds never exceeded, labels right.

`python -m tests.guard 100000 --seed 7` tries so many machines of each kind. What breaks a law is printed with the kind
and number of its machine, which depend on nothing else: `python -m tests.guard 1 --first NUMBER --kind sets` tries it
again.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

import gristmill as gm
from gristmill import _core
from gristmill.scoring.compile import engine_names
from gristmill.scoring.composed import Made
from gristmill.scoring.kernel_engines import Folded
from gristmill.scoring.options import CompileOptions
from gristmill.scoring.scorer import Scorer
from tests.guard.machines import KINDS, Case

LAW = Fraction(1, 10**9)  # of |b| + sum |a_i| k
LEAST = Fraction(1e-290)  # magnitudes below are of numbers that lose digits as they vanish: only the bound is for them
_MOST_CONJUNCTIONS = 200_000
_LISTS = {"lists": (2**62, 10**6), "vectors": (0, 0)}  # bytes and steps that lists of a forest may take


@dataclass
class Tally:
    """What was seen of an engine."""

    scores: int = 0
    labels: int = 0
    of_bound: float = 0.0  # the largest error, as a share of the declared bound
    of_law: float = 0.0  # and of what the law allows


@dataclass
class Findings:
    """Of all machines so far."""

    engines: dict[str, Tally] = field(default_factory=dict)
    refused: int = 0  # machines whose kernel leaves the range of double
    broken: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        lines = [f"{'engine':<12}{'scores':>10}{'labels':>10}{'of bound':>12}{'of law 1':>12}"]
        lines += [
            f"{name:<12}{tally.scores:>10,}{tally.labels:>10,}{tally.of_bound:>12.2g}{tally.of_law:>12.2g}"
            for name, tally in sorted(self.engines.items())
        ]
        return "\n".join([*lines, f"{self.refused} machines out of the range of double", *self.broken])


def guard(count: int, seed: int = 1, kinds: tuple[str, ...] = tuple(KINDS), first: int = 0) -> Findings:
    """Try so many machines of each kind."""
    found = Findings()
    for kind in kinds:
        for number in range(first, first + count):
            _try(found, kind, number, np.random.default_rng([seed, number, list(KINDS).index(kind)]))
    return found


def _try(found: Findings, kind: str, number: int, random: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of trees without marks
        try:
            case = KINDS[kind](random)
        except ValueError as error:
            if "range of double" not in str(error):
                raise
            found.refused += 1
            return
        if not _in_range(case):
            found.refused += 1
            return
        broken = [f"{kind} {number}: {problem}; {case.name}" for problem in _problems(found, case)]
    found.broken += broken


def _in_range(case: Case) -> bool:
    total = max((sum(map(abs, row), Fraction(0)) for row in case.size), default=Fraction(0))
    return total * Fraction(float(np.abs(case.coef).max(initial=0.0))) < Fraction(1e300)


# --- one machine ------------------------------------------------------------------------------------------------------


def _problems(found: Findings, case: Case) -> Iterator[str]:
    exact, size = _exact(case, case.kernel, signed=True), _exact(case, case.size, signed=False)
    definition = case.machine.compile("direct")
    labels = definition.predict(case.X)
    reference = definition.decision_function(case.X).reshape(len(case.X), -1)
    for name, scorer in _scorers(case):
        tally = found.engines.setdefault(name, Tally())
        scores = scorer.decision_function(case.X).reshape(len(case.X), -1)
        bounds = scorer.error_bound(case.X).reshape(scores.shape)
        for at in np.ndindex(scores.shape):
            problem = _of_score(tally, scores[at], bounds[at], exact[at], size[at], reference[at], scorer.exact)
            if problem:
                yield f"{name}, score {at}: {problem}"
        if scorer.exact:
            yield from _of_labels(tally, name, scorer.predict(case.X), labels, exact, bounds)


def _exact(case: Case, kernel: list[list[Fraction]], *, signed: bool) -> Any:
    """Scores, or with the signs left out what they are sums of."""
    sign = (lambda value: value) if signed else abs
    coef = [[sign(Fraction(a)) for a in row] for row in case.coef.tolist()]
    intercept = [sign(Fraction(b)) for b in case.machine.intercept.tolist()]
    out = np.empty((len(case.X), len(intercept)), dtype=object)
    for row, values in enumerate(kernel):
        for output, b in enumerate(intercept):
            out[row, output] = sum((a[output] * k for a, k in zip(coef, values, strict=True)), b)
    return out


def _scorers(case: Case) -> Iterator[tuple[str, Scorer]]:
    machine = case.machine
    for engine in engine_names(machine):
        if engine in ("expanded", "split") and not _is_small(case):
            continue
        if engine != "converted":
            yield engine, machine.compile(engine)
    if machine.is_polynomial and machine.polynomial.expandable and _is_small(case):
        yield "pruned", machine.compile("expanded", sigma=0.01)
    if not machine.explains_features:
        for way, limits in _LISTS.items():
            yield way, _folded(machine, limits)


def _is_small(case: Case) -> bool:
    """Whether tables of conjunctions can be made, quickly."""
    if not case.machine.is_polynomial:
        return True
    degree = case.machine.polynomial.degree
    if not case.machine.polynomial.expandable:
        return False
    lengths = [*case.machine.rows.lengths.tolist(), *case.X.lengths.tolist()]
    return sum(math.comb(length, size) for length in lengths for size in range(degree + 1)) < _MOST_CONJUNCTIONS


def _folded(machine: gm.Machine, limits: tuple[int, int]) -> Scorer:
    own = _core.worthwhile
    _core.worthwhile = lambda trees: limits
    try:
        return Scorer(machine, Folded(machine, Made()), "as asked", CompileOptions())
    finally:
        _core.worthwhile = own


# --- the laws ---------------------------------------------------------------------------------------------------------


def _of_score(
    tally: Tally, score: float, bound: float, exact: Fraction, size: Fraction, reference: float, is_exact: bool
) -> str | None:
    tally.scores += 1
    if not math.isfinite(score):
        return f"is {score}"
    error, allowed = abs(Fraction(score) - exact), LAW * size
    if math.isfinite(bound):
        if error > bound:
            return f"bound {bound:.3g} exceeded: {float(error):.3g} from the exact {float(exact):.17g}"
        tally.of_bound = max(tally.of_bound, _share(error, Fraction(bound)))
        if abs(score - reference) > bound:
            return f"bound {bound:.3g} exceeded: {abs(score - reference):.3g} from the definition's"
    if is_exact and size > LEAST:
        if error > allowed:
            return f"law 1 broken: {float(error):.3g} of {float(allowed):.3g} allowed"
        tally.of_law = max(tally.of_law, _share(error, allowed))
    return None


def _share(error: Fraction, allowed: Fraction) -> float:
    return float(error / allowed) if allowed else 0.0


def _of_labels(tally: Tally, name: str, found: Any, wanted: Any, exact: Any, bounds: Any) -> Iterator[str]:
    """Those of the definition, and what the exact scores say where rounding leaves no doubt."""
    for at, label in enumerate(found.tolist()):
        tally.labels += 1
        if label != wanted[at]:
            yield f"{name}, label {at}: {label}, by the definition {wanted[at]}"
        certain = _certain(exact[at].tolist(), bounds[at].tolist())
        if certain is not None and label != certain:
            yield f"{name}, label {at}: {label}, by exact scores {certain}"


def _certain(exact: list[Fraction], bounds: list[float]) -> int | None:
    """The class by the sign, or by the highest of several; None where scores are nearer than their bounds."""
    if not all(map(math.isfinite, bounds)):
        return None
    if len(exact) == 1:
        return None if abs(exact[0]) <= 2 * Fraction(bounds[0]) else int(exact[0] > 0)
    best = max(range(len(exact)), key=lambda at: exact[at])
    others = (at for at in range(len(exact)) if at != best)
    is_clear = all(exact[best] - exact[at] > 2 * (Fraction(bounds[best]) + Fraction(bounds[at])) for at in others)
    return best if is_clear else None
