"""Makes yamcha-pairs.model, yamcha-rest.txtmodel, yamcha-pke.model and yamcha.json: tiny models of our own.

The first two are written by gristmill, the third by the oracle; the scores are computed by the oracles. Run once; the
files are kept so that later releases prove they still read them.
"""

from __future__ import annotations

import json
import sys
from itertools import combinations
from pathlib import Path

import numpy as np

import gristmill as gm
from gristmill.machines.formats import write

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parents[1]))

from tests.oracle import polynomial, yamcha_files  # noqa: E402

NAMES = sorted([f"F:{row:+d}:0:{word}" for row in (-1, 0) for word in ("mill", "stone", "grain", "Mühle")] + ["T:-1:A"])
CLASSES = ["A", "B", "C"]


def machine(rng, scheme, kernel):
    table = rng.random((12, len(NAMES))) < 0.4
    coef, intercept = rng.integers(-40, 41, (12, 3)) / 16, rng.integers(-8, 9, 3) / 16
    return gm.Machine(kernel, table, coef, intercept, CLASSES, scheme, feature_names=NAMES, zero_class=1)


def scores_of(made, rows):
    support = [dict.fromkeys(np.flatnonzero(row).tolist(), 1) for row in made.support.to_csr().toarray()]
    kernel = made.kernel.degree, made.kernel.gamma, made.kernel.coef0
    columns = list(zip(made.coef.T.tolist(), made.intercept.tolist(), strict=True))
    return [
        [float(polynomial.score(support, column, b, kernel, dict.fromkeys(row, 1))) for column, b in columns]
        for row in rows
    ]


def main() -> None:
    rng = np.random.default_rng(11)
    rows = [np.flatnonzero(row).tolist() for row in rng.random((20, len(NAMES))) < 0.4]
    pairs = machine(rng, "ovo", gm.PolynomialKernel(2, 0.5, 2.0))
    rest = machine(rng, "ovr", gm.PolynomialKernel(3, 1.0, 1.0))
    write(pairs, HERE / "yamcha-pairs.model", "yamcha")
    write(rest, HERE / "yamcha-rest.txtmodel", "yamcha-text")

    conjunctions = [ids for size in (1, 2, 3) for ids in combinations(range(1, len(NAMES) + 1), size)]
    chosen = [conjunctions[at] for at in sorted(rng.choice(len(conjunctions), 40, replace=False).tolist())]
    vectors = {ids: {int(n): int(rng.integers(-40, 41)) / 16 for n in range(3) if rng.random() < 0.6} for ids in chosen}
    vectors = {ids: vector or {1: 0.5} for ids, vector in vectors.items()}
    classifiers = [(0, 1, 0.25), (0, 2, -0.5), (1, 2, 0.125)]
    features = {name.encode(): number for number, name in enumerate(NAMES, 1)}
    data = yamcha_files.pke([name.encode() for name in CLASSES], classifiers, 3, features, vectors)
    (HERE / "yamcha-pke.model").write_bytes(data)
    met = [[vector for ids, vector in vectors.items() if {number - 1 for number in ids} <= set(row)] for row in rows]
    sums = [[sum(vector.get(n, 0.0) for vector in several) - classifiers[n][2] for n in range(3)] for several in met]
    scores = {"pairs.model": scores_of(pairs, rows), "rest.txtmodel": scores_of(rest, rows), "pke.model": sums}
    (HERE / "yamcha.json").write_text(json.dumps({"names": NAMES, "rows": rows, "scores": scores}) + "\n")


if __name__ == "__main__":
    main()
