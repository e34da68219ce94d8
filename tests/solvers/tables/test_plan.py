"""What a plan asks of the core: constraints cost weights where they are, and nowhere else."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import pandas as pd
import pytest

import gristmill as gm
from gristmill.solvers.tables.plan import TablePlan, single_terms
from gristmill.solvers.tables.settings import TableSettings
from gristmill.solvers.tables.training import TableRun, TableTask

N, C = 400, 0.1
RNG = np.random.default_rng(0)
FRAME = pd.DataFrame(RNG.normal(size=(N, 4)), columns=list("abcd"))
FUNCTION = FRAME.a + FRAME.b * FRAME.c + 0.5 * FRAME.a * FRAME.d
ENCODER = gm.TableEncoder(bins=16).fit(FRAME)
FIELDS = tuple(ENCODER.fields_)
TERMS = (*single_terms(FIELDS), *combinations(range(4), 2), (0, 1, 2), (1, 2, 3))
FREE = TablePlan(FIELDS, TERMS)
MONOTONE = replace(FREE, monotone=(1, 0, 0, 0))
TIGHT, USUAL = TableSettings(tol=1e-9, max_iter=20_000), TableSettings()
TARGETS = {
    "values": (FUNCTION + RNG.normal(size=N), 0),
    "two classes": ((FUNCTION > 0) * 1.0, 2),
    "several classes": (np.digitize(FUNCTION, [-1, 1]) * 1.0, 3),
}


class BesideEverywhere(TablePlan):
    """All terms with features that are never negative: the same function space, with more weights."""

    def _place(self, term):
        return 0 if len(term) == 1 else 2


def task_of(name):
    y, n_classes = TARGETS[name]
    return TableTask(ENCODER.codes(FRAME), np.array(y, dtype=np.float64), np.ones(N), n_classes)


def run_of(plan, name, settings):
    run = TableRun(task_of(name), plan, 1)
    run.solve(C, settings)
    return run


def weights_of(plan, terms):
    return len(TableRun(task_of("values"), plan.with_terms(terms), 1)._solver.weights)


@pytest.mark.parametrize("term", TERMS)
def test_only_terms_with_a_monotone_field_have_more_weights(term):
    free, monotone = (weights_of(plan, [term]) for plan in (FREE, MONOTONE))
    if 0 in term:
        assert monotone <= 2 ** (len(term) - 1) * free
    else:
        assert monotone == free


@pytest.mark.parametrize("name", TARGETS)
def test_the_minimum_is_that_of_nonnegative_features_everywhere(name):
    beside = BesideEverywhere(**{key: getattr(MONOTONE, key) for key in MONOTONE.__dataclass_fields__})
    few, many = (run_of(plan, name, TIGHT).fit() for plan in (MONOTONE, beside))
    assert few.converged
    assert many.converged
    assert few.objective == pytest.approx(many.objective, rel=1e-7)
    for term, table in few.model.tables.items():
        np.testing.assert_allclose(table, many.model.tables[term], atol=1e-3)


@pytest.mark.parametrize("name", TARGETS)
@pytest.mark.parametrize("direction", [1, -1])
def test_constraints_take_a_few_times_the_iterations(name, direction):
    """Against what the target does, too."""
    free = run_of(FREE, name, USUAL).fit()
    held = run_of(replace(MONOTONE, monotone=(direction, 0, 0, 0)), name, USUAL).fit()
    assert held.converged
    assert held.iterations <= 4 * free.iterations + 4
    assert held.objective >= free.objective - free.gap
