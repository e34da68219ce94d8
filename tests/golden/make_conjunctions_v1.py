"""Makes conjunctions-v1.safetensors and conjunctions-v1.json, with what the machine must answer.

Run once, by a release that writes version 1; never again, so that later releases prove they still read the file.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

import gristmill as gm

HERE = Path(__file__).parent
ROWS = gm.ids([[0], [0, 2], [], [1, 2, 3], [0, 1, 2, 3], [4]], n_features=5)


def machine() -> gm.Machine:
    """One-vs-rest over three classes, with an empty conjunction, duplicates and zeros."""
    support = gm.ids([[], [0], [0, 2], [1, 2, 3], [0, 2], [4]], n_features=5)
    coef = np.array(
        [[0.5, 0.0, -1.0], [2.0, -0.25, 0.0], [0.125, 0.0, 3.0], [0.0, 1.5, 0.75], [-1.0, 1.0, 1.0], [0.0, 0.0, 0.0]]
    )
    names = ["age 37-41", "age 42-60", "housing = own", "größer", "missing"]
    return gm.Machine(
        gm.ConjunctionKernel(),
        support,
        coef,
        [0.25, -0.5, 0.0],
        ["no", "maybe", "ja ✓"],
        "one-vs-rest",
        feature_names=names,
        first_id=0,
        provenance={"solver": "by hand"},
    )


def main() -> None:
    machine().save(HERE / "conjunctions-v1.safetensors")
    scores = machine().compile("direct").decision_function(ROWS).tolist()
    (HERE / "conjunctions-v1.json").write_text(json.dumps(scores) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
