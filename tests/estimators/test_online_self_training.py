"""Learning from one's own answers, as the guide shows it: a million examples, in the memory of the model."""

from __future__ import annotations

import resource
import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse as sp

import gristmill as gm

LOOP = """
import resource, sys
sys.path.insert(0, {here!r})
import gristmill as gm
from tests.estimators.test_online_self_training import block, self_trained

X, y = block(2_000, 0)
clf = gm.OnlineKernelClassifier(degree=2, C=0.1).fit(X, y)
X_test, y_test = block(20_000, 1)
clf.decision_function(X_test)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
first = clf.score(X_test, y_test)
self_trained(clf, (block(50_000, seed)[0] for seed in range(2, 42)))
print(first, clf.score(X_test, y_test), clf.stats_.examples)
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024)
"""


def block(n, seed):
    """Rows of ten of 500 features, the low ones in most; pairs of them decide."""
    rng = np.random.default_rng(seed)
    ids = np.minimum((500 ** rng.random((n, 10))).astype(np.int32), 499)
    X = sp.csr_matrix((np.ones(ids.size), ids.ravel(), np.arange(0, ids.size + 1, 10)), shape=(n, 500))
    X.sum_duplicates()
    X.data[:] = 1
    left, right = (np.asarray(X[:, first::3].sum(axis=1)).ravel() for first in (1, 2))
    return X, np.where(left * right > 5, 1, -1)


def self_trained(clf, blocks):
    for rows in blocks:
        scores = clf.decision_function(rows)
        sure = abs(scores) > 1
        if sure.any():
            clf.partial_fit(rows[sure], clf.classes_[(scores[sure] > 0).astype(int)])
    return clf


def test_a_model_learns_from_its_own_answers():
    X, y = block(500, 0)
    X_test, y_test = block(3000, 9)
    clf = gm.OnlineKernelClassifier(degree=2, C=0.1).fit(X, y)
    seen, before = clf.stats_.examples, clf.score(X_test, y_test)
    self_trained(clf, [block(2000, seed)[0] for seed in (1, 2)] + [sp.csr_matrix((3, 500))])
    assert clf.stats_.examples > seen + 1000
    assert clf.score(X_test, y_test) > before - 0.02


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(resource, "RUSAGE_SELF"), reason="memory cannot be measured")
def test_a_million_examples_take_no_more_memory_than_the_model(request):
    code = LOOP.format(here=str(request.path.parents[2]))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr
    (first, last, seen), (megabytes,) = (line.split() for line in done.stdout.splitlines())
    assert int(seen) - 10 * 2_000 > 1_000_000  # less those that had labels
    assert float(last) > float(first) - 0.02
    assert int(megabytes) < 200
