"""The same bits on every machine. The digests were made by the plain build; builds with instruction set variants
must give them too (make check runs this file on a build without variants)."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest

import gristmill as gm

SUPPORT, QUERIES, FEATURES, ACTIVE = 4000, 300, 500, 20


def numbers(count, seed):
    """Pseudo-random integers below 2^31, by a rule that no library can change."""
    state, made = seed, []
    for _ in range(count):
        state = (1103515245 * state + 12345) % 2**31
        made.append(state >> 8)
    return np.array(made)


def rows(count, seed):
    """Rows in which low ids are frequent: byte columns, postings and unseen features all occur."""
    drawn = numbers(count * ACTIVE, seed).reshape(count, ACTIVE)
    ids = (drawn % FEATURES) * (drawn // FEATURES % FEATURES) // FEATURES
    return gm.ids(set(row) for row in ids.tolist())


@pytest.mark.parametrize(
    ("engine", "outputs", "digest"),
    [
        ("direct", 1, "5f960e0b669275bd"),
        ("direct", 11, "b3ee65a5c051c04b"),
        ("inverted", 1, "69ed0fb49597a803"),
        ("inverted", 11, "d11ea8559c03083a"),
        ("expanded", 1, "f11eb0aae21b8238"),
        ("expanded", 11, "a8593fbe04af7f95"),
        ("split", 1, "56b1f4c297495180"),
        ("split", 11, "d8399215acc9e690"),
    ],
)
@pytest.mark.parametrize("n_jobs", [1, 3])
def test_scores_have_the_bits_they_always_had(engine, outputs, digest, n_jobs):
    coef = (numbers(SUPPORT * outputs, 7).reshape(SUPPORT, outputs) - 2**22) / 3.0
    machine = gm.Machine(gm.PolynomialKernel(3, 0.7, 1.1), rows(SUPPORT, 1), coef, np.arange(outputs) / 7)
    scores = machine.compile(engine).decision_function(rows(QUERIES, 2), n_jobs)
    assert hashlib.sha256(scores.astype("<f8").tobytes()).hexdigest()[:16] == digest


def test_gram_matrices_have_the_bits_they_always_had():
    gram = gm.PolynomialKernel(4, 0.3, 0.9)(rows(200, 3), rows(SUPPORT, 1), n_jobs=2)
    assert hashlib.sha256(gram.astype("<f8").tobytes()).hexdigest()[:16] == "948ae1f46a018c6e"
