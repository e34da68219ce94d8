"""Makes polynomial-v1.safetensors and .json: a small machine in version 1 of our format, with what it must answer.

Run once, by the release that introduced version 1; never again, so that later releases prove they still read the file.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import scipy.sparse as sp

import gristmill as gm
from gristmill.machines.probability import Sigmoid

HERE = Path(__file__).parent

SUPPORT = [[0, 1], [2, 3, 4], [], [1, 3], [0, 4]]
COEF = [[0.5, 0.25, 0], [-0.75, 0, 1.5], [0, -1, -0.125], [0.3, 0, 0], [0, 0, -2.1]]
ROWS = [[], [0], [0, 1], [1, 2, 3], [0, 1, 2, 3, 4], [4], [7]]


def machine() -> gm.Machine:
    return gm.Machine(
        gm.PolynomialKernel(3, 0.5, 1.25),
        gm.ids(SUPPORT),
        sp.csr_matrix(np.array(COEF)),
        [0.1, -0.2, 0.3],
        ["noun", "verb", "größer"],
        "one-vs-one",
        feature_names=["w=the", "w=dog", "t=DT", "t=NN", "end"],
        probability=Sigmoid(np.array([-1.5, -2.0, -0.5]), np.array([0.0, 0.25, -0.125])),
        provenance={"made by": "tests/golden/make_polynomial_v1.py"},
    )


def main() -> None:
    made = machine()
    made.save(HERE / "polynomial-v1.safetensors")
    scorer, rows = made.compile("direct"), gm.ids(ROWS)
    expected = {
        "rows": ROWS,
        "scores": scorer.decision_function(rows).tolist(),
        "labels": scorer.predict(rows).tolist(),
        "probabilities": scorer.predict_proba(rows).tolist(),
    }
    (HERE / "polynomial-v1.json").write_text(json.dumps(expected) + "\n")


if __name__ == "__main__":
    main()
