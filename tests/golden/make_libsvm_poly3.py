"""Makes libsvm-poly3.model and .json: a tiny three-class model of LIBSVM with its own decision values and labels.

Run once; the files are kept so that later releases prove they still read them.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from libsvm.svmutil import svm_predict, svm_save_model, svm_train

HERE = Path(__file__).parent


def main() -> None:
    rng = np.random.default_rng(7)
    table = rng.random((24, 9)) < 0.4
    rows = [np.flatnonzero(row).tolist() for row in table]
    examples = [{feature + 1: 1.0 for feature in row} for row in rows]
    labels = [3, 1, 2] * 8
    model = svm_train(labels, examples, "-q -s 0 -t 1 -d 3 -g 0.5 -r 1.25 -c 0.5")
    svm_save_model(str(HERE / "libsvm-poly3.model"), model)
    predicted, _, scores = svm_predict(labels, examples, model, "-q")
    expected = {"rows": rows, "scores": scores, "labels": [int(label) for label in predicted]}
    (HERE / "libsvm-poly3.json").write_text(json.dumps(expected) + "\n")


if __name__ == "__main__":
    main()
