"""Every engine equals the definition; labels always do."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.data.strategies import as_dicts, eighths, odd_kernels, parts, rows
from tests.oracle import polynomial as oracle

BINARY_ENGINES = ["direct", "inverted", "bits", "expanded", "split", "auto"]
ANY_KERNEL = ["direct", "inverted", "bits", "auto"]


def assert_law_one(machine_parts, scores, x_rows):
    """Within 1e-9 of |b| + sum |a_i| k(s_i, x), for every row and output."""
    scores = np.asarray(scores).reshape(len(x_rows), machine_parts.n_outputs)
    for x, row in zip(x_rows, scores, strict=True):
        for output, got in enumerate(row):
            asked = (machine_parts.support, machine_parts.column(output), machine_parts.intercept[output])
            wanted = oracle.score(*asked, machine_parts.parameters, x)
            allowed = Fraction(1, 10**9) * oracle.magnitude(*asked, machine_parts.parameters, x)
            assert abs(Fraction(got) - wanted) <= allowed


@pytest.mark.parametrize("engine", BINARY_ENGINES)
@given(machine_parts=parts(), x=rows)
def test_equals_the_definition(engine, machine_parts, x):
    scores = machine_parts.machine().compile(engine).decision_function(x)
    assert_law_one(machine_parts, scores, as_dicts(x))


@pytest.mark.parametrize("engine", ANY_KERNEL)
@given(machine_parts=parts(kernel=odd_kernels()), x=rows)
def test_equals_the_definition_for_any_gamma_and_coef0(engine, machine_parts, x):
    scores = machine_parts.machine().compile(engine).decision_function(x)
    assert_law_one(machine_parts, scores, as_dicts(x))


@given(
    machine_parts=parts(values=eighths.filter(bool)),
    x=st.lists(st.dictionaries(st.integers(0, 11), eighths.filter(bool)), max_size=6),
)
def test_real_values_are_scored_in_real_arithmetic(machine_parts, x):
    table = np.array([[row.get(feature, 0) for feature in range(12)] for row in x]).reshape(len(x), 12)
    scores = machine_parts.machine().compile("direct", binarize=False).decision_function(table)
    assert_law_one(machine_parts, scores, x)
