"""Tables by their definition: equal-mass bins, what the words of bins say, what is unseen; value by value."""

from __future__ import annotations

import math
import re
from fractions import Fraction


def equal_mass_bins(counts, bins):
    """First values of bins: the heaviest value is a spike while it has more than the mean of the others."""
    if len(counts) <= bins:
        return list(range(len(counts)))
    spikes = spikes_of(counts, bins)
    while len(spikes) + len(runs_between(spikes, len(counts))) > bins:
        spikes.remove(min(spikes, key=lambda value: (counts[value], -value)))
    starts = list(spikes)
    runs = runs_between(spikes, len(counts))
    left = bins - len(spikes)
    mass = sum(counts[value] for run in runs for value in run)
    while runs:
        share = Fraction(mass, left)
        taken = first_bin(runs[0], counts, share) if left > len(runs) else runs[0]
        starts.append(taken[0])
        mass, left = mass - sum(counts[value] for value in taken), left - 1
        runs[0] = runs[0][len(taken) :]
        runs = [run for run in runs if run]
    return sorted(starts)


def spikes_of(counts, bins):
    spikes = []
    while True:
        others = [value for value in range(len(counts)) if value not in spikes]
        heaviest = max(others, key=lambda value: counts[value])
        if counts[heaviest] * (bins - len(spikes)) <= sum(counts[value] for value in others):
            return spikes
        spikes.append(heaviest)


def runs_between(spikes, size):
    runs = [[]]
    for value in range(size):
        if value in spikes:
            runs.append([])
        else:
            runs[-1].append(value)
    return [run for run in runs if run]


def first_bin(run, counts, share):
    """Values from the left whose mass is nearest to the share; all where they have less than one and a half shares."""
    if 2 * sum(counts[value] for value in run) < 3 * share:
        return run
    best, mass = 1, counts[run[0]]
    for number, value in enumerate(run[1:], 2):
        if abs(mass + counts[value] - share) >= abs(mass - share):
            break
        best, mass = number, mass + counts[value]
    return run[:best]


# --- what words say ---------------------------------------------------------------------------------------------------


def is_missing(value):
    return value is None or (isinstance(value, float) and math.isnan(value))


def text(value):
    if isinstance(value, bool | str):
        return str(value)
    if isinstance(value, int | float):
        return str(int(value)) if float(value).is_integer() and abs(value) < 1e15 else repr(value)
    return value.isoformat().removesuffix("T00:00:00")


MONTHS = "January February March April May June July August September October November December".split()
DAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()


def part(value, name):
    if name == "year":
        return value.year
    if name == "month":
        return value.month - 1
    if name == "day of week":
        return value.weekday()
    return getattr(value, "hour", 0)


def says(field, number, value, whole):
    """Whether the words of a bin are true of a value of training; `whole`: of a column of whole numbers."""
    if is_missing(value) or number == field.missing:
        return is_missing(value) and number == field.missing
    word = field.bins[number]
    if field.kind == "number":
        return number_is(word, value, whole)
    if field.kind == "date":
        name = field.name.rpartition(": ")[2]
        names = {"month": MONTHS, "day of week": DAYS}.get(name)
        found = part(value, name)
        if name == "year":
            return number_is(word, found, True)
        ends = [names.index(end) if names else int(end) for end in word.split(" to ")]
        return ends[0] <= found <= ends[-1]
    return number == field.other or word == text(value)


def number_is(word, value, whole):
    """'<= 5', '>= 5', '> 0.5', '5', '5-7' with both ends, '0.5-0.7' without the lower, 'finite'."""
    if word == "finite":
        return math.isfinite(value)
    if word[0] in "<>":
        sign, edge = word.split(" ")
        return {"<=": value <= float(edge), ">=": value >= float(edge), ">": value > float(edge)}[sign]
    found = re.fullmatch(r"(\S+) to (\S+)|(\d[\d.]*)-(\d[\d.]*)", word)
    if found is None:
        return value == float(word) or math.isclose(value, float(word), rel_tol=1e-5)
    low, high = (float(end) for end in found.groups() if end is not None)
    return (low <= value if whole else low < value) and value <= high
