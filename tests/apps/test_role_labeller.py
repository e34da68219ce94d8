"""The role labeller: what it learns, what it keeps in a file, and how its answers are judged."""

from __future__ import annotations

import doctest
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gristmill as gm
from gristmill import apps
from gristmill.apps import role_examples, role_scores, role_trees, roles
from gristmill.apps.roles import (
    Argument,
    Proposition,
    RoleLabeller,
    Sentences,
    labelled_trees,
    marked_predicates,
    read_labelled,
    read_labelled_trees,
    read_propbank,
    score_roles,
    write_labelled_trees,
    write_propositions,
)

RNG = np.random.default_rng(5)
NOUNS, VERBS = ("dogs", "cats", "mice", "men"), ("saw", "ate", "liked")


def sentence(number):
    """Somebody does something to somebody, perhaps somewhere, or it is done."""
    subject, object_, place = (str(RNG.choice(NOUNS)) for _ in range(3))
    verb = str(RNG.choice(VERBS))
    somewhere = f" (PP (P near) (NP (N {place})))" if RNG.random() < 0.5 else ""
    tree = f"(S (NP (N {subject})) (VP (V {verb}) (NP (D the) (N {object_})){somewhere}) (. .))"
    arguments = [Argument(0, 0, "ARG0"), Argument(2, 3, "ARG1")]
    if somewhere:
        arguments.append(Argument(4, 5, "ARGM-LOC"))
    return tree, Proposition(("-", str(number)), 1, f"{verb}.01", tuple(arguments))


DATA = [sentence(number) for number in range(60)]
TREES = gm.Forest.from_strings([tree for tree, _ in DATA])
PROPOSITIONS = [proposition for _, proposition in DATA]


@pytest.fixture(scope="module")
def labeller():
    return RoleLabeller(candidates="highest").fit(TREES[:40], PROPOSITIONS[:40])


def test_new_sentences_are_labelled(labeller):
    sentences = Sentences(TREES[40:], [("-", str(number)) for number in range(40, 60)])
    assert labeller.label(sentences, PROPOSITIONS[40:]) == PROPOSITIONS[40:]
    scores = labeller.score(sentences, PROPOSITIONS[40:])
    assert (scores.total.f1, scores.boundaries.f1) == (1.0, 1.0)
    assert [role.role for role in scores.roles] == ["ARG0", "ARG1", "ARGM-LOC"] == labeller.roles_
    assert labeller.counts_.predicates == 40
    assert labeller.counts_.lost == 0


def test_what_was_learned_is_in_one_file(labeller, tmp_path):
    labeller.save(tmp_path / "roles")
    again = RoleLabeller.load(tmp_path / "roles")
    assert again.label(TREES, PROPOSITIONS) == labeller.label(TREES, PROPOSITIONS)
    again.save(tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == (tmp_path / "roles").read_bytes()
    assert set(gm.load(tmp_path / "roles")) == {"identify", "classify"}
    assert again.words_ is True


def test_learning_gives_the_same_file_again(labeller, tmp_path):
    other = RoleLabeller(candidates="highest", n_jobs=2).fit(TREES[:40], PROPOSITIONS[:40])
    for number, one in enumerate((labeller, other)):
        one.save(tmp_path / str(number))
    assert (tmp_path / "0").read_bytes() == (tmp_path / "1").read_bytes()


def test_other_models_are_no_labellers(tmp_path):
    machine = gm.Machine(gm.PolynomialKernel(2), [[0]], [1.0], 0.0, classes=[0, 1])
    machine.save(tmp_path / "one")
    gm.Machines({"identify": machine}).save(tmp_path / "many")
    damaged = gm.Machine(gm.PolynomialKernel(2), [[0]], [1.0], 0.0, classes=[0, 1], provenance={"roles": {"x": 1}})
    gm.Machines({"identify": damaged}).save(tmp_path / "damaged")
    for name in ("one", "many", "damaged"):
        with pytest.raises(gm.FormatError, match="roles"):
            RoleLabeller.load(tmp_path / name)


def test_nothing_to_label(labeller):
    assert labeller.label(TREES, []) == []
    assert labeller.label(gm.Forest.from_strings(["(V go)"]), [Proposition(("-", "0"), 0)])[0].arguments == ()


def test_before_anything_was_learned():
    with pytest.raises(ValueError, match="nothing learned yet"):
        RoleLabeller().label(TREES, PROPOSITIONS)


def test_nothing_to_learn():
    with pytest.raises(ValueError, match="no role has 5 examples or more among 0 predicates"):
        RoleLabeller().fit(TREES, [])
    with pytest.raises(ValueError, match="no role has 50 examples or more"):
        RoleLabeller(min_count=50).fit(TREES[:40], PROPOSITIONS[:40])
    everything = gm.Forest.from_strings(["(S (NP (N dogs)) (VP (V bark)))"])
    bark = Proposition(("-", "0"), 1, arguments=(Argument(0, 0, "ARG0"),))
    with pytest.raises(ValueError, match="nothing to tell apart"):
        RoleLabeller(min_count=1).fit(everything, [bark])


def test_a_single_role_needs_no_second_machine(tmp_path):
    only = [Proposition(one.sentence, one.token, arguments=one.arguments[:1]) for one in PROPOSITIONS]
    labeller = RoleLabeller(candidates="highest").fit(TREES, only)
    assert list(labeller.machines_) == ["identify"]
    labeller.save(tmp_path / "roles")
    found = RoleLabeller.load(tmp_path / "roles").label(TREES, only)
    assert [one.arguments for one in found] == [one.arguments for one in only]


def test_rare_roles_are_left_out():
    renamed = Proposition(PROPOSITIONS[0].sentence, 1, arguments=(Argument(0, 0, "ARG9"),))
    labeller = RoleLabeller(candidates="highest", min_count=2).fit(TREES, [renamed, *PROPOSITIONS[1:]])
    assert labeller.roles_ == ["ARG0", "ARG1", "ARGM-LOC"]


def test_not_more_examples_than_wanted():
    labeller = RoleLabeller(candidates="highest", max_examples=50, min_count=1).fit(TREES, PROPOSITIONS)
    assert labeller.counts_.predicates < 20
    assert all(machine.n_support <= 60 for machine in labeller.machines_.values())


def test_arguments_share_tokens_only_on_demand(labeller):
    labeller = RoleLabeller(candidates="highest", threshold=-1e9).fit(TREES[:40], PROPOSITIONS[:40])
    one = PROPOSITIONS[:1]
    apart = labeller.label(TREES, one)[0].arguments
    tokens = [token for first, last, _ in apart for token in range(first, last + 1)]
    assert len(tokens) == len(set(tokens))
    labeller.overlap = True
    assert len(labeller.label(TREES, one)[0].arguments) > len(apart)


def test_unmarked_kernels_and_other_forms():
    for kernel, form in (("sst", "minimal"), ("ptk", "subtree"), ("lo-marked", "path"), ("c-marked", "whole")):
        labeller = RoleLabeller(kernel, form=form, candidates="highest").fit(TREES[:40], PROPOSITIONS[:40])
        assert labeller.score(TREES, PROPOSITIONS).total.f1 > 0.9, (kernel, form)


def test_settings_are_left_as_they_were(labeller):
    assert labeller.words is None
    tags = gm.Forest.from_strings(["(S (NP N) (VP V (NP D N)))"])
    assert labeller.label(tags, [Proposition(("-", "0"), 1)])[0].token == 1


@pytest.mark.parametrize("module", [role_examples, role_scores, role_trees, roles], ids=lambda module: module.__name__)
def test_docstring_examples_run_as_printed(module):
    result = doctest.testmod(module)
    assert result.attempted > 0
    assert result.failed == 0


def test_labelling_needs_no_scikit_learn():
    program = "import sys, gristmill.cli.roles; print('sklearn' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_the_front_door():
    assert apps.RoleLabeller is RoleLabeller
    assert dir(apps) == ["RoleLabeller"]
    with pytest.raises(AttributeError, match="no attribute 'Cook'"):
        apps.Cook  # noqa: B018


# --- scores -----------------------------------------------------------------------------------------------------------

ROLES = st.sampled_from(["ARG0", "ARG1", "C-ARG1"])
SPANS = st.tuples(st.integers(0, 2), st.integers(2, 3))
ARGUMENTS = st.lists(st.builds(lambda span, role: Argument(*span, role), SPANS, ROLES), max_size=4, unique=True)
SIDES = st.dictionaries(st.integers(0, 3), ARGUMENTS, max_size=3)


def propositions_of(side):
    return [Proposition(("d", "0"), token, arguments=tuple(arguments)) for token, arguments in side.items()]


@given(SIDES, SIDES)
def test_scores_count_what_both_sides_have(gold, mine):
    scores = score_roles(propositions_of(gold), propositions_of(mine))
    wanted, given_ = ({(token, *one) for token, some in side.items() for one in some} for side in (gold, mine))
    assert (scores.total.gold, scores.total.predicted) == (len(wanted), len(given_))
    assert scores.total.correct == len(wanted & given_) == sum(role.correct for role in scores.roles)
    assert [role.role for role in scores.roles] == sorted({one[-1] for one in wanted | given_})
    assert scores.boundaries.correct >= scores.total.correct
    for score in (scores.total, *scores.roles):
        precision, recall = score.precision, score.recall
        harmonic = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
        assert score.f1 == pytest.approx(harmonic)


# --- trees ------------------------------------------------------------------------------------------------------------


def test_labelled_trees_are_read_as_they_were_written(tmp_path):
    sentences = Sentences(TREES)
    write_labelled_trees(tmp_path / "trees", sentences, PROPOSITIONS)
    read, propositions = read_labelled_trees(tmp_path / "trees")
    assert propositions == PROPOSITIONS == read_labelled(tmp_path / "trees")
    assert read.trees == TREES
    assert read.names == sentences.names
    write_propositions(tmp_path / "props", PROPOSITIONS)
    assert read_labelled(tmp_path / "props") == PROPOSITIONS


def test_a_tree_for_each_predicate_of_a_sentence_without_words(tmp_path):
    sentences = Sentences(gm.Forest.from_strings(["(S (NP N) (VP V (S (VP TO V))))"]))
    both = [
        Proposition(("-", "0"), 1, "want.01", (Argument(0, 0, "ARG0"), Argument(2, 3, "ARG1"))),
        Proposition(("-", "0"), 3, "go.01", (Argument(0, 0, "ARG0"), Argument(0, 0, "ARG1"))),
    ]
    assert list(labelled_trees(sentences, both)) == [
        "(S (*ARG0 (NP N)) (VP (*V V) (*ARG1 (S (VP TO V)))))",
        "(S (*ARG0|ARG1 (NP N)) (VP V (S (VP TO (*V V)))))",
    ]
    write_labelled_trees(tmp_path / "trees", sentences, both)
    read, propositions = read_labelled_trees(tmp_path / "trees")
    assert propositions == both
    assert read.trees == sentences.trees


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("d\t0\t(S a)\n", "expected document, sentence and roleset"),
        ("(S a)\n", "expected document, sentence and roleset"),
        ("d\t0\tr\t(S a)\n", "expected one node \\*V, the predicate, got 0"),
        ("d\t0\tr\t(S (*V a) (*V b))\n", "got 2"),
        ("d\t0\tr\t(S (*V a))\nd\t0\tr\t(S (*V b))\n", "tree 1 is another one of sentence d 0 than tree 0"),
    ],
)
def test_trees_that_are_not_labelled(tmp_path, text, message):
    (tmp_path / "trees").write_text(text)
    with pytest.raises(gm.FormatError, match=message):
        read_labelled_trees(tmp_path / "trees")


def test_no_labelled_trees(tmp_path):
    (tmp_path / "empty").write_text("")
    assert read_labelled(tmp_path / "empty") == []
    assert read_labelled_trees(tmp_path / "empty")[1] == []


def test_marked_predicates():
    trees = gm.Forest.from_strings(["(S (NP N*3) (VP (V*1 go)))", "(S a)"], marks=True)
    sentences, found = marked_predicates(Sentences(trees))
    assert [(one.sentence, one.token) for one in found] == [(("-", "0"), 0), (("-", "0"), 1)]
    assert not sentences.trees.has_marks
    with pytest.raises(ValueError, match="VP has a mark but is no single token"):
        marked_predicates(Sentences(gm.Forest.from_strings(["(S (VP*1 a b))"], marks=True)))


# --- the corpus -------------------------------------------------------------------------------------------------------


def test_a_little_training_goes_a_long_way(corpora):
    folder = corpora / "srl"
    sentences, propositions = read_propbank(folder / "ewt.dev.trees.gz", folder / "ewt.dev.props.gz")
    labeller = RoleLabeller(max_examples=2000).fit(sentences, propositions[:2500])
    scores = labeller.score(sentences, propositions[-1000:])
    assert scores.boundaries.f1 > 0.8
    assert scores.total.f1 > 0.55
