"""Tables of windows: the classes of the definition, whatever the machine, the templates and the text."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gristmill as gm
from gristmill import _core
from gristmill.apps.segmentation.engine import CLASSES, SegmenterEngine, SegmenterModel
from gristmill.apps.segmentation.segmenter import CHARACTERS, DICTIONARY
from gristmill.apps.templates import parse_templates
from gristmill.machines.machine import Machine
from tests.oracle import polynomial
from tests.oracle import segmenter as oracle
from tests.oracle import templates as oracle_templates

TEMPLATES = (
    f"{CHARACTERS} {DICTIONARY}",
    "F:-3..3:0 F:-3..3:0:type B:0:1",
    "F:0:0",
    "B:0:1",
    "F:2..4:0 F:1:0:type",
    "F:-4..-2:0:type B:0:1",
)
WORDS = ("海", "海を", "を", "をa", "ab", "1")
ODD = ("F:+0:0:海", "F:+0:0:を", "F:+0:0:type:C", "F:+0:0:type:H", "B:+0:1:L1", "B:+0:1:L2", "odd")

some_text = st.text("海をab1\u3000 \U0001f30a漢", max_size=12)
texts = st.lists(some_text, max_size=4)
dyadic = st.integers(-12, 12).map(lambda n: n / 4)  # sums of few are exact
kernels = st.builds(
    gm.PolynomialKernel, st.sampled_from([1, 2]), st.sampled_from([1.0, 0.5, 3.0]), st.sampled_from([0.0, 1.0, 0.25])
)


def features(templates: str, text: str) -> list[set[str]]:
    """Of the boundary behind each character of a line, by the definition."""
    found = oracle.characters(text)
    facts = oracle.facts("".join(one for one, _ in found), [wall for _, wall in found], Counter(WORDS))
    tokens = [(character, fact) for (character, _), fact in zip(found, facts, strict=True)]
    return oracle_templates.features(parse_templates(templates, 2), tokens, [None] * len(tokens))


@st.composite
def machines(draw, templates, numbers=dyadic):
    """Support rows are boundaries of texts, or features that no boundary may have together, or none at all."""
    real = [sorted(row) for text in draw(texts) for row in features(templates, text)]
    known = sorted({*ODD, *(name for row in real for name in row)})
    rows = draw(st.lists(st.sampled_from(real), max_size=5)) if real else []
    rows += draw(st.lists(st.lists(st.sampled_from(known), unique=True), max_size=4))
    support = gm.ids([sorted(map(known.index, row)) for row in rows], n_features=len(known))
    coef = draw(st.lists(numbers, min_size=len(rows), max_size=len(rows)))
    return Machine(draw(kernels), support, np.array(coef), draw(numbers), CLASSES, feature_names=known)


def with_templates(numbers=dyadic):
    return st.sampled_from(TEMPLATES).flatmap(lambda one: st.tuples(st.just(one), machines(one, numbers)))


def engine_of(machine: Machine, templates: str, name: str = "auto") -> SegmenterEngine:
    return SegmenterEngine.of(machine, SegmenterModel(templates, " ".join(WORDS)), name)


def lines_of(some: list[str]) -> Any:
    return _core.CharacterLines("\n".join(some).encode())


@given(with_templates(), texts)
def test_classes_are_the_signs_of_the_definition(made, some):
    templates, machine = made
    engine, kernel, names = engine_of(machine, templates), machine.kernel, machine.feature_names
    parted = np.split(machine.rows.ids, machine.rows.offsets[1:-1])
    support = [dict.fromkeys((names[i] for i in row), 1) for row in parted]
    parts = (
        *(support[: machine.n_support], machine.dense_coef().ravel().tolist(), machine.intercept[0]),
        (kernel.degree, kernel.gamma, kernel.coef0),
    )
    rows = [row for text in some for row in features(templates, text)]
    assert engine.tables is not None
    assert engine.classes(lines_of(some), 1).tolist() == [
        int(polynomial.score(*parts, dict.fromkeys(row, 1)) > 0) for row in rows
    ]


@given(with_templates(st.floats(-1e6, 1e6)), texts)
def test_classes_are_those_of_the_direct_engine_however_scores_cancel(made, some):
    templates, machine = made
    engine, direct = engine_of(machine, templates), engine_of(machine, templates, "direct")
    assert direct.tables is None
    assert np.array_equal(engine.classes(lines_of(some), 1), direct.classes(lines_of(some), 1))


@given(with_templates(), texts)
def test_threads_change_nothing(made, some):
    templates, machine = made
    engine, lines = engine_of(machine, templates), lines_of(some * 200)
    assert np.array_equal(engine.classes(lines, 1), engine.classes(lines, 2))


def test_characters_that_no_feature_knows_are_seen_by_their_types():
    machine = Machine("poly", gm.ids([[0, 1]]), [1.0], -2.0, CLASSES, feature_names=["F:+0:0:type:C", "F:+1:0:type:K"])
    engine = engine_of(machine, "F:0..1:0:type")
    assert engine.tables is not None
    assert engine.classes(lines_of(["犬ネ猫コx"]), 1).tolist() == [1, 0, 1, 0, 0]


@pytest.mark.parametrize(
    "templates",
    ["F:-4..3:0", "F:0:0:lower", "U1:%x[0,0]/%x[1,0]", "F:0:0 F:17:0", "U1:%x[0,0] U1:%x[1,0]", "B:1:1"],
)
def test_other_templates_go_the_general_way(templates):
    machine = Machine("poly", gm.ids([[0]]), [1.0], -2.0, CLASSES, feature_names=["U1:海"])
    engine, direct = engine_of(machine, templates), engine_of(machine, templates, "direct")
    assert engine.tables is None
    assert np.array_equal(engine.classes(lines_of(["海を"]), 1), direct.classes(lines_of(["海を"]), 1))


@pytest.mark.parametrize("kernel", [gm.PolynomialKernel(3), gm.RBFKernel(0.5)])
def test_other_kernels_go_the_general_way(kernel):
    machine = Machine(kernel, gm.ids([[0]]), [1.0], -0.5, CLASSES, feature_names=["F:+0:0:海"])
    assert engine_of(machine, "F:0:0").tables is None
