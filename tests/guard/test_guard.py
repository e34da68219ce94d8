"""The guard finds nothing, and would find what is wrong; its kernels are those of the oracle."""

from __future__ import annotations

from functools import partial

import pytest
from hypothesis import given

from gristmill.scoring.row_engines import Inverted
from gristmill.scoring.scorer import Scorer
from tests.data.tree_strategies import trees
from tests.guard import exact
from tests.guard.guard import guard
from tests.guard.machines import KINDS
from tests.kernels.test_trees import eighths
from tests.oracle import trees as oracle
from tests.properties import share

MANY = {"sets": 4000, "conjunctions": 3000, "trees": 1000}
ENGINES = {
    "sets": {"auto", "direct", "inverted", "bits", "expanded", "split", "pruned"},
    "conjunctions": {"auto", "direct", "inverted", "expanded"},
    "trees": {"auto", "direct", "forest", "lists", "vectors"},
}


@pytest.mark.parametrize("kind", KINDS)
def test_no_machine_breaks_a_law(kind):
    found = guard(15, seed=1, kinds=(kind,))
    assert not found.broken, str(found)
    assert set(found.engines) == ENGINES[kind]
    assert all(tally.scores for tally in found.engines.values())


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_none_of_many_machines_breaks_a_law(kind):
    found = guard(MANY[kind], seed=2, kinds=(kind,))
    assert not found.broken, str(found)


# --- what it would find -----------------------------------------------------------------------------------------------


def broken_by(monkeypatch, owner, name, change):
    own = getattr(owner, name)
    monkeypatch.setattr(owner, name, lambda self, *args, **options: change(own(self, *args, **options)))
    return "\n".join(guard(15, seed=1, kinds=("sets",)).broken)


def test_a_score_that_is_off_is_found(monkeypatch):
    found = broken_by(monkeypatch, Inverted, "scores", lambda scores: scores * (1 + 1e-6) + 1e-6)
    assert "inverted, score" in found
    assert "bound" in found


def test_a_bound_that_is_too_small_is_found(monkeypatch):
    assert "exceeded" in broken_by(monkeypatch, Inverted, "bounds", lambda bounds: bounds * 1e-9)


def test_a_wrong_label_is_found(monkeypatch):
    found = broken_by(monkeypatch, Scorer, "predict", lambda labels: 1 - labels)
    assert "by exact scores" in found


# --- its kernels ------------------------------------------------------------------------------------------------------

TWINS = {
    "sst": (exact.subset_tree, oracle.subset_tree, {"leaves": [False, True]}),
    "c": (exact.production_tree, oracle.production_tree, {"marked": [False, True], "single_nodes": [False, True]}),
    "lo": (exact.ordered_tree, oracle.ordered_tree, {"marked": [False, True]}),
}


def settings(options):
    """All combinations."""
    made = [{}]
    for name, values in options.items():
        made = [{**one, name: value} for one in made for value in values]
    return made


@pytest.mark.parametrize("kind", TWINS)
@share(0.5)
@given(a=trees(), b=trees(), decay=eighths)
def test_recursions_equal_the_fragments_written_down(kind, a, b, decay):
    ours, definition, options = TWINS[kind]
    for how in settings(options):
        assert partial(ours, decay=decay, **how)(a, b) == definition(a, b, decay, **how)
