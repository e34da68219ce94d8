"""Decisions by enumeration: all rows that the values of variables make, and what is least among them.

A variable is a list of (feature or None, cost), the row's own value first. A row is made by one place in each.
"""

from __future__ import annotations

from itertools import combinations, product


def all_places(variables):
    """The place of a value for each variable, in all ways; the row itself comes first."""
    return list(product(*(range(len(values)) for values in variables)))


def row_of(variables, fixed, places):
    """The features of a row."""
    chosen = (values[place][0] for values, place in zip(variables, places, strict=True))
    return frozenset(fixed) | {feature for feature in chosen if feature is not None}


def cost_of(variables, places):
    return sum(values[place][1] for values, place in zip(variables, places, strict=True))


def changes_of(places):
    """What differs from the row itself: pairs of a variable and a place."""
    return frozenset((variable, place) for variable, place in enumerate(places) if place)


def answers(variables, fixed, is_wanted, most_changes=None):
    """Places and costs of all rows that are wanted and hold no other one's changes, the cheapest first."""
    most = len(variables) if most_changes is None else most_changes
    found = [p for p in all_places(variables) if len(changes_of(p)) <= most and is_wanted(row_of(variables, fixed, p))]
    changes = [changes_of(places) for places in found]
    minimal = [p for p, own in zip(found, changes, strict=True) if not any(other < own for other in changes)]
    return sorted(((places, cost_of(variables, places)) for places in minimal), key=lambda one: one[1])


def suffices(variables, fixed, label_of, held):
    """Whether all rows that agree in the variables held have the row's label."""
    own = label_of(row_of(variables, fixed, (0,) * len(variables)))
    agree = (p for p in all_places(variables) if all(p[variable] == 0 for variable in held))
    return all(label_of(row_of(variables, fixed, places)) == own for places in agree)


def smallest_reasons(variables, fixed, label_of, facts):
    """The smallest sets of facts that suffice; none where not all of them do."""
    for size in range(len(facts) + 1):
        found = [held for held in combinations(facts, size) if suffices(variables, fixed, label_of, held)]
        if found:
            return found
    return []


def largest_class(scores):
    """The first of the highest."""
    return max(range(len(scores)), key=lambda number: (scores[number], -number))
