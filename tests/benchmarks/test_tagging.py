"""The benchmarks of taggers and of the paper's analysers, on a few made-up sentences."""

from __future__ import annotations

import json

import numpy as np
import pytest

from benchmarks import analyser_tables, chunking, measure, parsing, word_segmentation
from benchmarks.chunking import BASE_NP, CHUNKS, DEFAULT, Setting
from tests.apps.treebank_files import japanese, put

WORDS = {"the": ("DT", "B-NP"), "cat": ("NN", "I-NP"), "sees": ("VB", "B-VP"), "in": ("IN", "B-PP"), ".": (".", "O")}

CACHES = (chunking.sentences, word_segmentation.sentences, parsing._blocks)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("GRISTMILL_DATA", str(tmp_path))
    monkeypatch.setattr(measure, "RESULTS", tmp_path / "data")
    for cached in CACHES:
        cached.cache_clear()
    for part, size, seed in (("train", 40, 0), ("test", 10, 1)):
        put(tmp_path / f"chunking/{part}.txt.gz", english(size, seed))
        put(tmp_path / f"dep/ja_gsd-megagon-{part}.conllu.gz", japanese(size, seed))
    yield tmp_path
    for cached in CACHES:
        cached.cache_clear()


def english(size, seed):
    random = np.random.default_rng(seed)
    words = (random.choice(list(WORDS), random.integers(3, 9)) for _ in range(size))
    return [[f"{word} {' '.join(WORDS[word])}" for word in sentence] for sentence in words]


def result(folder, name):
    return json.loads((folder / "data" / f"{name}.json").read_text())


@pytest.mark.slow  # starts programs again and again
def test_chunks_are_measured(folder):
    pairs = Setting("pairs", {"solver": "dual-cd", "multiclass": "ovo"}, timed=False)
    chunking.main([DEFAULT, pairs], chunking.Sizes([20, 40]), rounds=1)
    found = result(folder, "chunking")
    names = [DEFAULT.name, "pairs"]
    published = [[CHUNKS, name] for name in chunking.YAMCHA]
    assert [row[:2] for row in found["rows"]] == [
        *([CHUNKS, name] for name in names),
        *published,
        *([BASE_NP, name] for name in names),
    ]
    types, engines = found["more"][:2]
    assert [row[0] for row in types["rows"]] == ["NP", "PP", "VP", "all"]
    assert [row[0] for row in engines["rows"]] == [*chunking.SLOW, *chunking.FAST]


def test_chunks_other_than_noun_phrases_are_none_for_base_np(folder):
    written = folder / "some"
    chunking.write_part(written, "train", BASE_NP, 3)
    tags = {line.split()[-1] for line in written.read_text().splitlines() if line}
    assert tags <= {"B-NP", "I-NP", "O"}
    assert written.read_text().count("\n\n") == 3


def test_the_tables_of_the_paper_are_measured(folder):
    analyser_tables.main(rounds=1)
    found = result(folder, "analyser_tables")
    engines = ["direct", "inverted", *["expanded"] * 5]
    assert [row[:2] for row in found["rows"]] == [
        [task, engine] for task in ("EBC", "JWS", "JDP") for engine in engines
    ]
    pruned, machines = found["more"]
    sigmas = {"JWS": "0.005", "JDP": "0.0005"}
    assert [row[:3] for row in pruned["rows"]] == [
        [task, sigma, xi] for task, sigma in sigmas.items() for xi in (1, 2, 3)
    ]
    assert [row[0] for row in machines["rows"]] == [
        f"{task}{of}" for task in ("EBC", *sigmas) for of in ("", ", paper")
    ]
