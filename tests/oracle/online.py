"""Online learning by the book: the definition that every engine must reproduce, update for update."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import chain
from math import ceil, ldexp

NOBODY = -1


@dataclass(frozen=True)
class Rule:
    """How far to step (docs/formulas.md B1), in whole units of 2^-exponent; in floats if there is no exponent."""

    update: str = "pa1"
    norm: str = "input"
    C: float = 1.0
    exponent: int | None = None

    @property
    def one(self):
        return 1.0 if self.exponent is None else 1 << self.exponent

    def is_fine(self, margin):
        return margin > 0 if self.update == "perceptron" else margin >= self.one

    def step(self, margin, norm, weight):
        loss = self.one - margin
        if self.update == "perceptron":
            return self.one
        if self.update == "pa2":
            step = float(loss) / (float(norm) + 1 / (2 * self.C * weight))
            return step if self.exponent is None else ceil(step)
        if norm == 0:
            return self.largest(weight)
        full = loss / norm if self.exponent is None else -(-loss // norm)
        return min(full, self.largest(weight)) if self.update == "pa1" else full

    def largest(self, weight):
        cost = self.C * weight
        return cost if self.exponent is None else ceil(ldexp(cost, self.exponent))


def learn(examples, order, kernel, rule, outputs=1, log=(), time=0):
    """The log: (row, output that rises, output that falls, size, examples seen before), one entry per step.

    examples : list of (set of features, class, weight); with one output class 1 is its positive sign, 0 the negative
    order : the numbers of the examples, as they are visited
    kernel : the kernel as a function of the number of shared features
    log, time : to go on from
    """
    log = list(log)
    for x, label, weight in (examples[number] for number in order):
        if weight == 0:
            continue
        scores = [sum(((k == up) - (k == down)) * a * kernel(len(row & x)) for row, up, down, a, _ in log)
                  for k in range(outputs)]  # fmt: skip
        up, down = _wanted(scores, label)
        margin = sum(scores[k] for k in [up] if k != NOBODY) - sum(scores[k] for k in [down] if k != NOBODY)
        norm = (len(x) if rule.norm == "input" else kernel(len(x))) * min(outputs, 2)
        learnable = kernel(len(x)) != 0 and (norm != 0 or rule.update != "pa")
        if not rule.is_fine(margin) and learnable:
            log.append((x, up, down, rule.step(margin, norm, weight), time))
        time += 1
    return log, time


def _wanted(scores, label):
    """Which output should rise and which one fall: the right class, and the first of its highest rivals."""
    if len(scores) == 1:
        return (0, NOBODY) if label == 1 else (NOBODY, 0)
    return label, max((k for k in range(len(scores)) if k != label), key=lambda k: scores[k])


def coefficients(log, rule, outputs=1, time=None):
    """{(row, output): coefficient} in rationals: the last ones, or averaged over the models after each of `time`."""
    unit = Fraction(1) if rule.exponent is None else Fraction(1, 2**rule.exponent)
    found = {(row, k): Fraction(0) for row, *_ in log for k in range(outputs)}
    for row, up, down, size, born in log:
        share = 1 if time is None else Fraction(time - born, time)
        for k, sign in ((up, 1), (down, -1)):
            if k != NOBODY:
                found[row, k] += sign * Fraction(size) * unit * share
    return found


def mean_of_models(examples, order, kernel, rule, outputs=1):
    """What averaging means: the mean of the models after each example, one by one."""
    order = [number for number in order if examples[number][2] != 0]
    total = {}
    for seen in range(1, len(order) + 1):
        log, _ = learn(examples, order[:seen], kernel, rule, outputs)
        for key, value in coefficients(log, rule, outputs).items():
            total[key] = total.get(key, 0) + value / len(order)
    return total


def orders(n, passes, seed):
    """The numbers of all visits: pass by pass, shuffled (Fisher and Yates, by SplitMix64) if there is a seed."""
    order, state, visits = list(range(n)), 0 if seed is None else seed, []
    for _ in range(passes):
        for left in range(n, 1, -1) if seed is not None else ():
            state, number = _random(state)
            order[left - 1], order[number % left] = order[number % left], order[left - 1]
        visits.append(list(order))
    return list(chain.from_iterable(visits))


def _random(state):
    mask = 2**64 - 1
    state = (state + 0x9E3779B97F4A7C15) & mask
    z = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & mask
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & mask
    return state, z ^ (z >> 31)
