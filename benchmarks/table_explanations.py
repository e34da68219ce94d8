"""Claim: fields of tables are explained exactly at least a hundred times as fast as TreeSHAP explains LightGBM.

Values beside values, interactions beside interactions, each of the own model of the same rows. TreeSHAP of its own kind
(`tree_path_dependent`) and against rows (`interventional`), which is what gristmill computes against these rows. The
answers of gristmill are first held against an enumeration of all sets of fields.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from math import factorial
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

import gristmill as gm
from benchmarks.measure import Timing, corpora, in_turn, record, seconds_of

Floats = NDArray[np.float64]

TABLES = {"adult": ("income", ","), "bank": ("y", ","), "german": ("Risk", ";")}
HAS_PEERS = all(importlib.util.find_spec(name) for name in ("lightgbm", "shap"))
COLUMNS = ["table", "explained", "explainer", "microseconds a row", "beside gristmill"]
VALUES, PAIRS, AGAINST = "values", "values and interactions", "values against 100 rows"
ENCODED, FRAME, SINGLE = (
    "gristmill, encoded rows",
    "gristmill, from the frame",
    "gristmill, a dict at a time",
)
NATIVE, NATIVE_SINGLE = "LightGBM, pred_contrib", "LightGBM, pred_contrib, a row at a time"
SHAP, MARGINAL = "shap, TreeExplainer", "shap, TreeExplainer, interventional"
WANTED = 100
BACKGROUND, CHECKED, CHECKED_BACKGROUND, SEED = 100, 2, 2, 0
TOLERANCE = 1e-9


@dataclass(frozen=True)
class Sizes:
    """Rows that each explains in a round."""

    ours: int = 5_000
    values: int = 2_000
    pairs: int = 100
    against: int = 100
    singles: int = 100


@dataclass(frozen=True)
class Data:
    """A table, split."""

    X: pd.DataFrame
    y: NDArray[Any]
    rows: pd.DataFrame  # to be explained


@dataclass(frozen=True)
class Outcome:
    """Seconds a row of one explainer."""

    table: str
    explained: str
    explainer: str
    timing: Timing


def load(name: str, rows: int) -> Data:
    """Four fifths to learn from, and some of the rest to explain, over again where they are few."""
    target, separator = TABLES[name]
    table = pd.read_csv(corpora() / "tables" / f"{name}.csv.gz", sep=separator)
    table = table.drop(columns=[column for column in table if column.startswith("Unnamed")])
    order = np.random.default_rng(SEED).permutation(len(table))
    learned, others = order[: 4 * len(table) // 5], order[4 * len(table) // 5 :]
    X = table.drop(columns=target)
    return Data(X.iloc[learned], table[target].to_numpy()[learned], X.iloc[np.resize(others, rows)])


# --- answers ----------------------------------------------------------------------------------------------------------


def check(model: gm.TableClassifier, data: Data) -> None:
    """AssertionError where values or interactions are not those of the enumeration of all sets of fields."""
    rows, background = data.rows[:CHECKED], data.X[:CHECKED_BACKGROUND]
    found = gm.explain(model, rows, background=background, interactions=True)
    scale = 1 + float(np.abs(model.decision_function(data.rows)).max())
    for at, row in enumerate(found):
        values, pairs = by_sets(model, rows[at : at + 1], background)
        assert row.interactions is not None
        assert np.abs(row.values[:, 0] - values).max() <= TOLERANCE * scale
        assert np.abs(row.interactions[:, 0] - pairs).max() <= TOLERANCE * scale
    scores = gm.explain(model, data.rows).scores[:, 0]
    assert np.abs(scores - model.decision_function(data.rows)).max() <= TOLERANCE * scale


def by_sets(model: gm.TableClassifier, row: pd.DataFrame, background: pd.DataFrame) -> tuple[Floats, Floats]:
    """Values and interactions from the scores of all mixtures of the row and each row of the background."""
    n = row.shape[1]
    sets = (np.arange(1 << n)[:, None] >> np.arange(n)) & 1 == 1
    game = np.mean([_scores_of_mixtures(model, row, background[at : at + 1], sets) for at in range(len(background))], 0)
    sizes = sets.sum(axis=1)
    values = np.array([_mean_gain(game, sizes, n, (one,)) for one in range(n)])
    pairs = np.array([_mean_gain(game, sizes, n, pair) for pair in combinations(range(n), 2)])
    return values, pairs


def _scores_of_mixtures(
    model: gm.TableClassifier, row: pd.DataFrame, other: pd.DataFrame, sets: NDArray[np.bool_]
) -> Floats:
    columns = {
        name: pd.concat([row[name], other[name]]).iloc[np.where(sets[:, at], 0, 1)].to_numpy()
        for at, name in enumerate(row)
    }
    return np.asarray(model.decision_function(pd.DataFrame(columns)))


def _mean_gain(game: Floats, sizes: NDArray[np.intp], n: int, joining: tuple[int, ...]) -> float:
    """What the players add beyond any fewer of them, over all orders of the others."""
    bits, k = [1 << one for one in joining], len(joining)
    without = np.flatnonzero((np.arange(len(game)) & sum(bits)) == 0)
    gain = np.zeros(len(without))
    for size in range(k + 1):
        for came in combinations(bits, size):
            gain += (-1) ** (k - size) * game[without + sum(came)]
    others = n - k
    weights = [factorial(s) * factorial(others - s) / factorial(others + 1) for s in range(others + 1)]
    return float(np.take(weights, sizes[without]) @ gain)


# --- sides ------------------------------------------------------------------------------------------------------------


def measured(name: str, sizes: Sizes, rounds: int) -> list[Outcome]:
    """Ours is right; then all take turns, on one thread."""
    data = load(name, sizes.ours)
    model = gm.TableClassifier().fit(data.X, data.y)
    check(model, data)
    clocks = _ours(model, data, sizes) | (_theirs(data, sizes) if HAS_PEERS else {})
    with threadpool_limits(1):
        numbers = {str(at): clock for at, clock in enumerate(clocks.values())}
        timings = in_turn(numbers, rounds).values()
    return [Outcome(name, *side, timing) for side, timing in zip(clocks, timings, strict=True)]


def _ours(model: gm.TableClassifier, data: Data, sizes: Sizes) -> dict[tuple[str, str], Callable[[], float]]:
    explainer, against = gm.Explainer(model), gm.Explainer(model, background=data.X[:BACKGROUND])
    machine = gm.Explainer(model.machine_)
    encoded = model.machine_.examples(data.rows)
    singles = [[row] for row in data.rows[: sizes.singles].to_dict("records")]
    for one in (explainer, against, machine):
        one(data.rows[:1])  # which makes its tables
    sides: dict[tuple[str, str], Callable[[], float]] = {}
    for explained, interactions in ((VALUES, False), (PAIRS, True)):
        how: dict[str, Any] = {"interactions": interactions}
        sides[explained, ENCODED] = partial(_each, partial(machine, encoded, **how), sizes.ours)
        sides[explained, FRAME] = partial(_each, partial(explainer, data.rows, **how), sizes.ours)
        sides[explained, SINGLE] = partial(_each, partial(_one_by_one, explainer, singles, **how), sizes.singles)
    sides[AGAINST, FRAME] = partial(_each, partial(against, data.rows), sizes.ours)
    return sides


def _theirs(data: Data, sizes: Sizes) -> dict[tuple[str, str], Callable[[], float]]:
    import lightgbm
    import shap

    X, rows = _numbered(data.X, data.X), _numbered(data.rows, data.X)
    categories = [at for at, column in enumerate(data.X) if not pd.api.types.is_numeric_dtype(data.X[column])]
    model = lightgbm.LGBMClassifier(n_jobs=1, verbose=-1).fit(X, data.y, categorical_feature=categories)
    # shap does not compare categories with rows of a background: for that, their numbers are taken for numbers
    plain = lightgbm.LGBMClassifier(n_jobs=1, verbose=-1).fit(X, data.y)
    trees, marginal = shap.TreeExplainer(model), shap.TreeExplainer(plain, X[:BACKGROUND])
    values, pairs, against = rows[: sizes.values], rows[: sizes.pairs], rows[: sizes.against]
    singles = [rows[at : at + 1] for at in range(sizes.singles)]
    contributions = partial(model.predict, pred_contrib=True, num_threads=1)
    return {
        (VALUES, NATIVE): partial(_each, partial(contributions, values), len(values)),
        (VALUES, NATIVE_SINGLE): partial(_each, partial(_one_by_one, contributions, singles), len(singles)),
        (PAIRS, SHAP): partial(_each, partial(trees.shap_interaction_values, pairs), len(pairs)),
        (AGAINST, MARGINAL): partial(
            _each, partial(marginal.shap_values, against, check_additivity=False), len(against)
        ),
    }


def _numbered(table: pd.DataFrame, known: pd.DataFrame) -> Floats:
    """Categories by their number."""
    columns = [
        table[name]
        if pd.api.types.is_numeric_dtype(known[name])
        else pd.Categorical(table[name], categories=sorted(known[name].dropna().unique())).codes
        for name in known
    ]
    return np.column_stack(columns).astype(np.float64)


def _one_by_one(explain: Callable[..., Any], rows: list[Any], **how: Any) -> None:
    for row in rows:
        explain(row, **how)


def _each(explain: Callable[[], Any], rows: int) -> float:
    return seconds_of(explain) / rows


# --- the page ---------------------------------------------------------------------------------------------------------


def main() -> None:
    _run(list(TABLES), Sizes(), rounds=5)


def quick() -> None:
    """For a look."""
    _run(["german"], Sizes(ours=500, values=200, pairs=10, against=10, singles=10), rounds=1)


def _run(tables: list[str], sizes: Sizes, rounds: int) -> None:
    found = [outcome for name in tables for outcome in measured(name, sizes, rounds)]
    title = "Explanations of tables, and TreeSHAP"
    record("table_explanations", title, COLUMNS, [_line(one, found) for one in found], list(_notes(found)), found)


def _line(one: Outcome, found: list[Outcome]) -> list[Any]:
    return [one.table, one.explained, one.explainer, f"{1e6 * one.timing.median:,.2f}", f"{_times(one, found):,.1f}"]


def _times(one: Outcome, found: list[Outcome]) -> float:
    """How many times as long as gristmill takes from the same frame."""
    return one.timing.median / next(
        other.timing.median
        for other in found
        if (other.table, other.explained, other.explainer) == (one.table, one.explained, FRAME)
    )


def _notes(found: list[Outcome]) -> Iterator[str]:
    yield (
        "`TableClassifier` with its defaults; microseconds a row on one thread, medians. Before, values and "
        f"interactions of {CHECKED} rows against {CHECKED_BACKGROUND} were asserted to be those of all sets of fields, "
        "and all values to add up to their scores. gristmill explains against the distribution of fields, or against "
        f"{BACKGROUND} rows; *from the frame* includes the encoding of the columns."
    )
    if not HAS_PEERS:
        yield "lightgbm and shap are not installed: TreeSHAP is left out."
        return
    for explained, peer in ((VALUES, NATIVE), (PAIRS, SHAP), (AGAINST, MARGINAL)):
        least = min(_times(one, found) for one in found if (one.explained, one.explainer) == (explained, peer))
        yield f"{explained.capitalize()}: at least {least:,.0f} times as fast as {peer}. Wanted: {WANTED}."
    yield (
        "LightGBM has its defaults, and categories as such, except against rows: shap does not compare categories with "
        "a background. Its interactions are of the same index, half of one on either side of the diagonal; the models "
        "differ, so values are not compared. Of rows one by one gristmill is given dicts, LightGBM arrays of numbers."
    )


if __name__ == "__main__":
    main()
