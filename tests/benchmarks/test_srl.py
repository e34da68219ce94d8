"""Boundary examples of semantic roles: which nodes are candidates, and what is left of the tree around them."""

from __future__ import annotations

import gzip

import numpy as np
import pytest

from benchmarks.srl import boundary_examples

TREES = [
    "(TOP (S (NP (D the) (N dog)) (ADVP (R now)) (VP (V saw) (NP (NP (N cats)) (PP (P in) (NP (N trees))))) (. .)))",
    "(TOP (S (NP (PRP we)) (VP (V sleep))))",
]
TAGS = ["(TOP (S (NP D N) (ADVP R) (VP V (NP (NP N) (PP P (NP N)))) .))", "(TOP (S (NP PRP) (VP V)))"]
PROPS = ["d\t1\t1\tsleep.01\t0-0:ARG0 1-1:V", "d\t0\t3\tsee.01\t0-1:ARG0 3-3:V 4-6:ARG1"]


@pytest.fixture
def data(tmp_path, monkeypatch):
    (tmp_path / "srl").mkdir()
    for name, trees in {"tiny": TREES, "tiny_delex": TAGS}.items():
        sentences = [f"d\t{number}\t{tree}" for number, tree in enumerate(trees)]
        for kind, lines in {"trees": sentences, "props": PROPS}.items():
            (tmp_path / "srl" / f"{name}.{kind}.gz").write_bytes(gzip.compress("\n".join(lines).encode()))
    monkeypatch.setenv("GRISTMILL_DATA", str(tmp_path))


def pairs(*arguments, **options):
    trees, labels = boundary_examples(*arguments, **options)
    assert labels.dtype == np.int8
    return list(zip(trees, labels.tolist(), strict=True))


@pytest.mark.usefixtures("data")
def test_paths_lead_to_the_predicate_and_to_the_candidate_with_all_below_it():
    """Post-order; neither words nor the full stop nor what dominates the predicate; both nodes above `we` are it."""
    assert pairs("tiny") == [
        ("(S (NP (PRP we)) (VP (V sleep)))", 1),
        ("(S (NP (PRP we)) (VP (V sleep)))", 1),
        ("(S (NP (D the)) (VP (V saw)))", -1),
        ("(S (NP (N dog)) (VP (V saw)))", -1),
        ("(S (NP (D the) (N dog)) (VP (V saw)))", 1),
        ("(S (ADVP (R now)) (VP (V saw)))", -1),
        ("(S (ADVP (R now)) (VP (V saw)))", -1),
        ("(VP (V saw) (NP (NP (N cats))))", -1),
        ("(VP (V saw) (NP (NP (N cats))))", -1),
        ("(VP (V saw) (NP (PP (P in))))", -1),
        ("(VP (V saw) (NP (PP (NP (N trees)))))", -1),
        ("(VP (V saw) (NP (PP (NP (N trees)))))", -1),
        ("(VP (V saw) (NP (PP (P in) (NP (N trees)))))", -1),
        ("(VP (V saw) (NP (NP (N cats)) (PP (P in) (NP (N trees)))))", 1),
    ]


@pytest.mark.usefixtures("data")
def test_without_words_tags_are_the_leaves():
    assert pairs("tiny_delex", 9) == [
        ("(S (NP PRP) (VP V))", 1),
        ("(S (NP PRP) (VP V))", 1),
        ("(S (NP D) (VP V))", -1),
        ("(S (NP N) (VP V))", -1),
        ("(S (NP D N) (VP V))", 1),
        ("(S (ADVP R) (VP V))", -1),
        ("(S (ADVP R) (VP V))", -1),
        ("(VP V (NP (NP N)))", -1),
        ("(VP V (NP (NP N)))", -1),
    ]


@pytest.mark.usefixtures("data")
def test_marks_tell_the_candidate_from_what_is_above_it():
    assert [tree for tree, _ in pairs("tiny", marks=True)[:4]] == [
        "(S (NP (PRP*2 we)) (VP (V*1 sleep)))",
        "(S (NP*2 (PRP we)) (VP (V*1 sleep)))",
        "(S (NP (D*2 the)) (VP (V*1 saw)))",
        "(S (NP (N*2 dog)) (VP (V*1 saw)))",
    ]
    assert pairs("tiny_delex", marks=True)[2] == ("(S (NP D*2) (VP V*1))", -1)


@pytest.mark.usefixtures("data")
def test_minimal_trees_have_all_from_the_first_to_the_last_token():
    assert pairs("tiny", form="minimal")[2:] == [
        ("(S (NP (D*2 the) (N dog)) (ADVP (R now)) (VP (V*1 saw)))", -1),
        ("(S (NP (N*2 dog)) (ADVP (R now)) (VP (V*1 saw)))", -1),
        ("(S (NP*2 (D the) (N dog)) (ADVP (R now)) (VP (V*1 saw)))", 1),
        ("(S (ADVP (R*2 now)) (VP (V*1 saw)))", -1),
        ("(S (ADVP*2 (R now)) (VP (V*1 saw)))", -1),
        ("(VP (V*1 saw) (NP (NP (N*2 cats))))", -1),
        ("(VP (V*1 saw) (NP (NP*2 (N cats))))", -1),
        ("(VP (V*1 saw) (NP (NP (N cats)) (PP (P*2 in))))", -1),
        ("(VP (V*1 saw) (NP (NP (N cats)) (PP (P in) (NP (N*2 trees)))))", -1),
        ("(VP (V*1 saw) (NP (NP (N cats)) (PP (P in) (NP*2 (N trees)))))", -1),
        ("(VP (V*1 saw) (NP (NP (N cats)) (PP*2 (P in) (NP (N trees)))))", -1),
        ("(VP (V*1 saw) (NP*2 (NP (N cats)) (PP (P in) (NP (N trees)))))", 1),
    ]


@pytest.mark.usefixtures("data")
def test_the_first_examples():
    for n in (0, 1, 5, 14, 100):
        assert pairs("tiny", n) == pairs("tiny")[:n]


@pytest.mark.slow  # 100,000 trees
def test_as_many_as_the_prototype_had(corpora):
    """Of the first 100,000 examples it had 138k different subtrees and 70k different trees, 6 % of them positive."""
    trees, labels = boundary_examples("wsj_delex.train_02-21", 100_000, marks=True)
    assert (len(trees), trees.n_subtrees, len(set(trees))) == (100_000, 137_819, 70_078)
    assert round(100 * float((labels == 1).mean())) == 6
