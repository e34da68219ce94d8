"""What an encoding must do: give the columns that transformers give, for every table, or refuse what they refuse."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import scipy.sparse as sp
from hypothesis import reject
from hypothesis import strategies as st

from gristmill.estimators.encodings.machine import encoding_of

NUMBERS = st.sampled_from([-2.0, -0.0, 0.0, 0.1, 0.5, 1.0, 3.0, 1e9]) | st.floats(-5, 5)
WHOLES = st.integers(-3, 6) | st.sampled_from([2**53 - 1, -1000])
TEXTS = st.sampled_from(["a", "b", "c", "", "1", "1.0", "nan", "other", "missing", "True"])
CELLS = {"text": TEXTS, "whole": WHOLES, "number": NUMBERS, "boolean": st.booleans()}


@st.composite
def frames(draw, kinds=tuple(CELLS), missing=True):
    """A frame to fit on and one to transform, with columns of the same kinds; in both some cells may be missing."""
    chosen = draw(st.lists(st.sampled_from(kinds), min_size=1, max_size=3))
    sizes = draw(st.integers(2, 14)), draw(st.integers(1, 8))
    columns = {f"c{at}": draw(pairs_of_columns(CELLS[kind], sizes, missing)) for at, kind in enumerate(chosen)}
    return tuple(pd.DataFrame({name: pair[which] for name, pair in columns.items()}) for which in (0, 1))


@st.composite
def pairs_of_columns(draw, cells, sizes, missing):
    few = st.sampled_from(draw(st.lists(cells, min_size=1, max_size=4)))
    found = []
    for size in sizes:
        own = draw(st.sampled_from([few, cells]))
        own = st.one_of(own, own, own, st.just(np.nan)) if missing and draw(st.booleans()) else own
        found.append(pd.Series(draw(st.lists(own, min_size=size, max_size=size))))
    return found


def fitted(step, table, y=None):
    """Without warnings; tables that scikit-learn cannot fit on are none to try."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return step.fit(table, y)
        except (ValueError, IndexError):
            reject()


def columns_given(step, table):
    given = step.transform(table)
    return given.toarray() if sp.issparse(given) else np.asarray(given, dtype=np.float64)


def assert_same_columns(step, table, binarize=None):
    """The encoding gives the columns of the fitted step, and refuses the tables that it refuses.

    Columns of the table that nothing is made of are not looked at. binarize: of the estimator behind the step.
    """
    encoding, places = encoding_of([step], binarize)
    looks_at_all = all(coder.fields for coder in encoding.coders)
    if not len(places):
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            expected = columns_given(step, table)
            expected = expected if binarize is None else expected > binarize
        except ValueError:
            expected = None
        except TypeError:  # scikit-learn cannot compare these types at all
            return
        try:
            found = encoding.one_hot(encoding.codes(table)).toarray()[:, places]
        except ValueError:
            found = None
    if expected is None:
        assert found is None or not looks_at_all
    else:
        assert np.array_equal(found, expected)
