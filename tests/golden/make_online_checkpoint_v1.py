"""Makes online-checkpoint-v1.safetensors and .svm: a learner after one pass of three, without scores beside the log.

Run once, by a release that kept no such scores; never again, so that later releases prove they still read the file.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

import gristmill as gm
from gristmill.solvers.online import OnlineLearner, OnlineSettings, checkpoint, examples
from gristmill.solvers.online.training import Training

HERE = Path(__file__).parent


def main() -> None:
    """One pass of three over forty examples."""
    rng = np.random.default_rng(1)
    X = (rng.random((40, 10)) < 0.3).astype(float)
    y = (X[:, 0] + X[:, 1] * X[:, 2] + rng.random(40) > 0.8).astype(int)
    gm.write_svmlight(HERE / "online-checkpoint-v1.svm", X, y)
    source = examples.FileInMemory(HERE / "online-checkpoint-v1.svm", [], None, 0.0, None)
    learner = OnlineLearner(OnlineSettings(gm.PolynomialKernel(2), C=0.5, epochs=3), np.array([0, 1]))
    learner.begin(source.lengths)
    learner.learn(*source.all)
    run = Training(learner, source, [1.0, 1.0], None, lambda *_: None, 40)
    checkpoint.save(learner, run.position(), HERE / "online-checkpoint-v1.safetensors")


if __name__ == "__main__":
    main()
