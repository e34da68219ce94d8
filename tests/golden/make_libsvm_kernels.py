"""Makes libsvm-rbf and libsvm-sigmoid .model and .json: tiny models of LIBSVM with its own decision values and labels.

Run once; the files are kept so that later releases prove they still read them.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from libsvm.svmutil import svm_predict, svm_save_model, svm_train

HERE = Path(__file__).parent
KERNELS = {"rbf": "-t 2 -g 0.25", "sigmoid": "-t 3 -g 0.125 -r -0.5"}


def main() -> None:
    rng = np.random.default_rng(11)
    table = rng.random((24, 9)) < 0.4
    rows = [np.flatnonzero(row).tolist() for row in table]
    examples = [{feature + 1: 1.0 for feature in row} for row in rows]
    labels = [3, 1, 2] * 8
    for name, options in KERNELS.items():
        model = svm_train(labels, examples, f"-q -s 0 -c 2 {options}")
        svm_save_model(str(HERE / f"libsvm-{name}.model"), model)
        predicted, _, scores = svm_predict(labels, examples, model, "-q")
        expected = {"rows": rows, "scores": scores, "labels": [int(label) for label in predicted]}
        (HERE / f"libsvm-{name}.json").write_text(json.dumps(expected) + "\n")


if __name__ == "__main__":
    main()
