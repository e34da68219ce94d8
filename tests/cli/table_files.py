"""A small table for commands: columns of all kinds, two classes, and values that are missing."""

from __future__ import annotations

import numpy as np
import pandas as pd


def people(rows=120, seed=0):
    """Who is young and rents is a risk; `score` is a number to predict."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "id": np.arange(rows) + 1000,
            "age": rng.integers(18, 80, rows),
            "housing": rng.choice(["own", "rent", "free"], rows),
            "income": rng.lognormal(7, 1, rows).round(2),
            "member": rng.random(rows) < 0.4,
            "joined": pd.Timestamp("2021-03-01") + pd.to_timedelta(rng.integers(0, 900, rows), "D"),
        }
    )
    frame["score"] = (frame["age"] / 10 + 2.0 * (frame["housing"] == "own")).round(2)
    frame["risk"] = np.where((frame["age"] < 40) & (frame["housing"] == "rent"), "bad", "good")
    frame.loc[::10, "income"] = np.nan
    return frame


LEARNED = ["age", "housing", "income", "member", "joined"]
QUICK = ("-C", "1", "--degree", "2", "--drop", "id,score", "-q")
