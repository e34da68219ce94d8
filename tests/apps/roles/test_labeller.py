"""The role labeller: what it learns, and what it keeps in a file."""

from __future__ import annotations

import subprocess
import sys

import pytest

import gristmill as gm
from gristmill import apps
from gristmill.apps.base import with_provenance
from gristmill.apps.learning import LearningInterrupted
from gristmill.apps.roles import (
    Argument,
    Proposition,
    RoleLabeller,
    Sentences,
    read_labelled,
    read_propbank,
    write_propositions,
)
from gristmill.apps.roles import labeller as role_labeller
from gristmill.machines.formats import read_model
from tests.apps.roles.labelled_sentences import ARGUMENTS_OF_ALL, PROPOSITIONS, TREES


@pytest.fixture(scope="module")
def labeller():
    return RoleLabeller(candidates="highest").fit(TREES[:40], PROPOSITIONS[:40])


def test_new_sentences_are_labelled(labeller):
    sentences = Sentences(TREES[40:], [("-", str(number)) for number in range(40, 60)])
    assert labeller.label(sentences, PROPOSITIONS[40:]) == PROPOSITIONS[40:]
    scores = labeller.evaluate(sentences, PROPOSITIONS[40:])
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
    assert set(read_model(tmp_path / "roles")) == {"identify", "classify"}
    assert again.words_ is True


def test_learning_gives_the_same_file_again(labeller, tmp_path):
    other = RoleLabeller(candidates="highest", n_jobs=2).fit(TREES[:40], PROPOSITIONS[:40])
    for number, one in enumerate((labeller, other)):
        one.save(tmp_path / str(number))
    assert (tmp_path / "0").read_bytes() == (tmp_path / "1").read_bytes()


def test_other_models_are_no_labellers(tmp_path):
    machine = gm.Machine(gm.PolynomialKernel(2), [{0}], [1.0], 0.0, classes=[0, 1])
    machine.save(tmp_path / "one")
    gm.Machines({"identify": machine}).save(tmp_path / "many")
    damaged = gm.Machine(gm.PolynomialKernel(2), [{0}], [1.0], 0.0, classes=[0, 1], provenance={"roles": {"x": 1}})
    gm.Machines({"identify": damaged}).save(tmp_path / "damaged")
    others = {"one": "expected a role labeller", "many": "expected a role labeller", "damaged": "sound role labeller"}
    for name, message in others.items():
        with pytest.raises(gm.FormatError, match=f"{name}: .*{message}"):
            RoleLabeller.load(tmp_path / name)


@pytest.mark.parametrize(
    ("more", "without", "message"),
    [
        ({"roles": []}, None, "roles must be a list of names, got []"),
        ({"roles": "ARG0"}, None, "roles must be a list of names"),
        ({"roles": [1, 2]}, None, "roles must be a list of names"),
        ({"roles": ["ARG0"]}, None, "expected machines with answers"),
        ({"roles": ["ARG0", "ARG1"]}, None, "expected machines with answers"),
        ({}, "classify", "expected machines with answers"),
        ({"form": "tree"}, None, "form must be one of"),
        ({"threshold": None}, None, "threshold must be a number"),
        ({"words": 3}, None, "words must be True or False"),
        ({"color": "red"}, None, "color"),
    ],
)
def test_unsound_models_are_refused(labeller, tmp_path, more, without, message):
    machines = {name: machine for name, machine in labeller.machine_.items() if name != without}
    labeller.save(tmp_path / "sound")
    settings = read_model(tmp_path / "sound")["identify"].provenance["roles"]
    with_provenance(gm.Machines(machines), {"roles": settings | more}).save(tmp_path / "roles")
    with pytest.raises(gm.FormatError, match="not a sound role labeller") as caught:
        RoleLabeller.load(tmp_path / "roles")
    assert message in str(caught.value)


def test_settings_stay_with_a_model_that_was_loaded(labeller, tmp_path):
    labeller.save(tmp_path / "roles")
    again = RoleLabeller.load(tmp_path / "roles")
    assert again.machine_["identify"].provenance["roles"]["roles"] == again.roles_


def test_nothing_to_label(labeller):
    assert labeller.label(TREES, []) == []
    go = gm.Forest.from_strings(["(VP (V go))"])
    assert labeller.label(go, [Proposition(("-", "0"), 0)])[0].arguments == ()


def test_before_anything_was_learned():
    with pytest.raises(ValueError, match="is not fitted"):
        RoleLabeller().label(TREES, PROPOSITIONS)
    with pytest.raises(ValueError, match="is not fitted"):
        RoleLabeller().save("nowhere")


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
    assert list(labeller.machine_) == ["identify"]
    labeller.save(tmp_path / "roles")
    found = RoleLabeller.load(tmp_path / "roles").label(TREES, only)
    assert [one.arguments for one in found] == [one.arguments for one in only]


def test_rare_roles_are_left_out():
    renamed = Proposition(PROPOSITIONS[0].sentence, 1, arguments=(Argument(0, 0, "ARG9"),))
    labeller = RoleLabeller(candidates="highest", min_count=2).fit(TREES, [renamed, *PROPOSITIONS[1:]])
    assert labeller.roles_ == ["ARG0", "ARG1", "ARGM-LOC"]


def test_not_more_examples_than_wanted():
    labeller = RoleLabeller(candidates="highest", max_examples=50, min_count=1).fit(TREES, PROPOSITIONS)
    assert labeller.n_drawn_ < 20
    assert (labeller.counts_.predicates, labeller.counts_.arguments) == (60, ARGUMENTS_OF_ALL)  # drawn or not
    assert all(machine.n_support <= 60 for machine in labeller.machine_.values())


def test_arguments_share_tokens_only_on_demand(labeller):
    labeller = RoleLabeller(candidates="highest", threshold=-1e9).fit(TREES[:40], PROPOSITIONS[:40])
    one = PROPOSITIONS[:1]
    apart = labeller.label(TREES, one)[0].arguments
    tokens = [token for first, last, _ in apart for token in range(first, last + 1)]
    assert len(tokens) == len(set(tokens))
    labeller.overlap = True
    assert len(labeller.label(TREES, one)[0].arguments) > len(apart)


def test_arguments_that_overlap_are_written_and_read_again(tmp_path):
    """Of nodes with the same tokens, one is an argument."""
    labeller = RoleLabeller(candidates="all", threshold=-1e9, overlap=True).fit(TREES[:40], PROPOSITIONS[:40])
    found = labeller.label(TREES, PROPOSITIONS[:3])
    for one in found:
        spans = [argument[:2] for argument in one.arguments]
        assert len(spans) == len(set(spans)) > 3
    write_propositions(tmp_path / "props", found)
    assert read_labelled(tmp_path / "props") == found


def test_tokens_of_the_predicate_are_no_argument():
    labeller = RoleLabeller(candidates="highest", threshold=-1e9).fit(TREES[:40], PROPOSITIONS[:40])
    tree = gm.Forest.from_strings(["(S (NP (N dogs)) (VP (V grew) (PRT (RP up)) (NP (N mice))))"])
    grew = Proposition(("-", "0"), 1, "grow_up.01", predicate=(1, 2))
    (found,) = labeller.label(tree, [grew])
    assert {argument[:2] for argument in found.arguments} == {(0, 0), (3, 3)}
    assert found.predicate == (1, 2)
    labeller.overlap = True
    assert (2, 2) in {argument[:2] for argument in labeller.label(tree, [grew])[0].arguments}


def test_what_is_labelled_can_be_written_whatever_the_predicate_was(labeller, tmp_path):
    flop = Proposition(("-", "0"), 3, arguments=(Argument(3, 3, "C-V"),), predicate=(1, 1))
    found = labeller.label(TREES, [flop])
    write_propositions(tmp_path / "props", found)
    assert read_labelled(tmp_path / "props") == found
    assert found[0].token == 3


def test_blocks_see_their_own_sentences_alone(labeller, monkeypatch):
    seen = []

    class Seen(role_labeller.RoleTrees):
        def __init__(self, sentences, **options):
            seen.append(len(sentences))
            super().__init__(sentences, **options)

    expected = labeller.label(TREES, PROPOSITIONS)
    monkeypatch.setattr(role_labeller, "RoleTrees", Seen)
    monkeypatch.setattr(role_labeller, "_BLOCK", 7)
    assert labeller.label(TREES, PROPOSITIONS) == expected
    assert seen == [7] * 8 + [4]
    assert labeller.label(TREES, PROPOSITIONS[::-1]) == expected[::-1]


def test_a_sentence_that_is_not_there_is_named_before_the_work(labeller):
    with pytest.raises(ValueError, match="there is no sentence 'd 7' among 60 trees"):
        labeller.label(TREES, [PROPOSITIONS[0], Proposition(("d", "7"), 0)])
    with pytest.raises(ValueError, match="sentence '- 0': token -1 is outside"):
        labeller.label(TREES, [Proposition(("-", "0"), -1)])


def test_unmarked_kernels_and_other_forms():
    for kernel, form in (("sst", "minimal"), ("ptk", "subtree"), ("lo-marked", "path"), ("c-marked", "whole")):
        labeller = RoleLabeller(kernel, form=form, candidates="highest").fit(TREES[:40], PROPOSITIONS[:40])
        assert labeller.evaluate(TREES, PROPOSITIONS).total.f1 > 0.9, (kernel, form)


def test_settings_are_left_as_they_were(labeller):
    assert labeller.words is None
    tags = gm.Forest.from_strings(["(S (NP N) (VP V (NP D N)))"])
    with pytest.warns(UserWarning, match="leaves of the model were words, below their tags, but here 1 of 4 leaves"):
        assert labeller.label(tags, [Proposition(("-", "0"), 1)])[0].token == 1


def test_a_few_tags_without_sisters_are_no_words():
    tags = gm.Forest.from_strings(["(S (NP N) (VP V (NP D N) R) .)"] * 6)
    said = [Proposition(("-", str(n)), 1, arguments=(Argument(0, 0, "A"), Argument(2, 3, "B"))) for n in range(6)]
    labeller = RoleLabeller().fit(tags, said)
    assert labeller.words_ is False
    short = gm.Forest.from_strings(["(S (NP N) (VP V))"] * 20)
    assert labeller.label(short, [Proposition(("-", "0"), 1)])[0].arguments[0].role == "A"
    with pytest.warns(UserWarning, match="leaves of the model were tags, but here 40 of 40 leaves have no sister"):
        labeller.label(short, [Proposition(("-", str(n)), 1) for n in range(20)])


def test_one_odd_tree_does_not_change_what_is_learned(labeller, tmp_path):
    odd = gm.Forest.from_strings([*TREES[:40], "(S a b)"])
    other = RoleLabeller(candidates="highest").fit(odd, PROPOSITIONS[:40])
    assert other.words_ is True
    assert other.leaves_.all == labeller.leaves_.all + 2
    assert other.label(TREES, PROPOSITIONS) == labeller.label(TREES, PROPOSITIONS)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"max_examples": 0}, "max_examples must be a whole number from 1 on, or None, got 0"),
        ({"max_examples": 2.5}, "max_examples must be"),
        ({"min_count": 0}, "min_count must be a whole number from 1 on"),
        ({"min_count": None}, "min_count must be a whole number from 1 on, got None"),
        ({"random_state": -1}, "random_state must be a whole number from 0 on"),
        ({"random_state": "x"}, "random_state must be"),
        ({"threshold": float("nan")}, "threshold must be a number, got nan"),
        ({"threshold": "0"}, "threshold must be a number, got '0'"),
        ({"C": 0}, "C must be a finite number above 0, got 0"),
        ({"form": "tree"}, "form must be one of 'whole', 'subtree', 'minimal', 'path', got 'tree'"),
        ({"candidates": "some"}, "candidates must be one of"),
        ({"predicate": "verb"}, "predicate must be one of 'tag', 'highest', 'span', got 'verb'"),
        ({"words": "yes"}, "words must be True or False, got 'yes'"),
        ({"kernel": "poly"}, "roles need a kernel of trees"),
        ({"kernel": gm.PolynomialKernel(2)}, "roles need a kernel of trees, got one of rows"),
        ({"kernel": "subsequence"}, "roles need a kernel of trees, got one of sequences"),
    ],
)
def test_settings_are_checked_when_it_is_made(settings, message):
    with pytest.raises(ValueError, match=message):
        RoleLabeller(**settings)


def test_settings_are_checked_where_they_are_used(labeller):
    labeller.threshold = float("inf")
    try:
        with pytest.raises(ValueError, match="threshold must be a number, got inf"):
            labeller.label(TREES, PROPOSITIONS)
        with pytest.raises(ValueError, match="threshold must be a number, got inf"):
            labeller.fit(TREES, PROPOSITIONS)
    finally:
        labeller.threshold = 0.0


def test_what_is_shown_is_what_was_asked_for():
    assert repr(RoleLabeller()) == "RoleLabeller()"
    assert repr(RoleLabeller("sst", C=2.0, n_jobs=2, words=True)) == "RoleLabeller(kernel='sst', C=2.0, words=True)"


def test_the_node_of_the_predicate(tmp_path):
    trees = gm.Forest.from_strings([f"(S (NP (N a)) (VP (VP (V go{n}) (RP up)) (R so)))" for n in range(6)])
    gone = [Proposition(("-", str(n)), 1, arguments=(Argument(0, 0, "ARG1"),), predicate=(1, 2)) for n in range(6)]
    tag, span = (RoleLabeller(predicate=kind).fit(trees, gone) for kind in ("tag", "span"))
    assert any("(V*1 " in tree for tree in tag.machine_["identify"].support)
    assert all("(VP*1 (V " in tree for tree in span.machine_["identify"].support)
    span.save(tmp_path / "roles")
    assert RoleLabeller.load(tmp_path / "roles").predicate == "span"


def test_a_fit_that_fails_leaves_everything_as_it_was(monkeypatch):
    labeller = RoleLabeller(candidates="highest").fit(TREES[:40], PROPOSITIONS[:40])
    found, before = labeller.label(TREES, PROPOSITIONS), dict(vars(labeller))
    tags = gm.Forest.from_strings(["(S N V)"] * 2)
    with pytest.raises(ValueError, match="no role has 5 examples"):
        labeller.fit(tags, [Proposition(("-", "0"), 1)])
    assert vars(labeller) == before
    assert labeller.label(TREES, PROPOSITIONS) == found


@pytest.mark.parametrize("task", ["identify", "classify"])
@pytest.mark.parametrize("kind", [KeyboardInterrupt, LearningInterrupted])
def test_an_interrupted_fit_keeps_the_machines_that_there_are(monkeypatch, tmp_path, kind, task):
    done, learn_trees = [], role_labeller.learn_trees

    def stopped(*data, **options):
        done.append(learn_trees(*data, **options))
        if len(done) == ["identify", "classify"].index(task) + 1:
            raise kind(done[-1]) if kind is LearningInterrupted else kind
        return done[-1]

    monkeypatch.setattr(role_labeller, "learn_trees", stopped)
    labeller = RoleLabeller(candidates="highest")
    with pytest.raises(KeyboardInterrupt):
        labeller.fit(TREES[:40], PROPOSITIONS[:40])
    kept = len(done) - (kind is KeyboardInterrupt)
    assert hasattr(labeller, "machine_") == (kept > 0)
    if kept:
        assert len(labeller.machine_) == kept
        labeller.save(tmp_path / "model")
        assert RoleLabeller.load(tmp_path / "model").label(TREES, PROPOSITIONS) == labeller.label(TREES, PROPOSITIONS)
        assert len(labeller.roles_) == 1 or kept == 2


def test_labelling_needs_no_scikit_learn():
    program = "import sys, gristmill.cli.roles; print('sklearn' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_the_front_door():
    assert apps.RoleLabeller is RoleLabeller
    assert {"DependencyParser", "RoleLabeller", "Segmenter", "Tagger", "TextPipeline", "Tokenizer"} < set(dir(apps))
    assert dir(apps) == sorted(apps.__all__)
    with pytest.raises(AttributeError, match="no attribute 'Cook'"):
        apps.Cook  # noqa: B018


# --- the corpus -------------------------------------------------------------------------------------------------------


def test_a_little_training_goes_a_long_way(corpora):
    folder = corpora / "srl"
    sentences, propositions = read_propbank(folder / "ewt.dev.trees.gz", folder / "ewt.dev.props.gz")
    labeller = RoleLabeller(max_examples=2000).fit(sentences, propositions[:2500])
    scores = labeller.evaluate(sentences, propositions[-1000:])
    assert scores.boundaries.f1 > 0.8
    assert scores.total.f1 > 0.55
