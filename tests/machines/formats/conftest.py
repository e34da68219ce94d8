"""Programs that the formats come from."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest


@pytest.fixture(scope="session")
def svm_classify_tk(tmp_path_factory):
    """The scores of SVM-light-TK's own svm_classify for a data file and a model.

    It is looked for in the folder GRISTMILL_SVMLIGHT_TK, else on PATH, where SVMlight's may have the same name.
    """
    folder = os.environ.get("GRISTMILL_SVMLIGHT_TK")
    program = shutil.which("svm_classify", path=folder)
    if program is None or b"|BT|" not in Path(program).read_bytes():
        pytest.skip("set GRISTMILL_SVMLIGHT_TK to the folder of SVM-light-TK's svm_classify to compare with it")
    out = tmp_path_factory.mktemp("classified") / "out"

    def scores(data, model):
        command = [program, "-v", "0", str(data), str(model), str(out)]
        subprocess.run(command, check=True, capture_output=True)
        return np.loadtxt(out, ndmin=1)

    return scores
