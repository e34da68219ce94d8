"""gristmill explain: trees as the library explains them, and models of programs."""

from __future__ import annotations

import numpy as np
import pytest

import gristmill as gm
from gristmill.apps.tagging.tagger import Tagger
from gristmill.apps.tree_classification.classifier import TreeClassifier
from gristmill.explanations import explain_trees, rules_of
from gristmill.machines.formats import write
from tests.cli.explain_files import TREES, call, objects, printed

# --- trees ------------------------------------------------------------------------------------------------------------


def test_trees_are_drawn_as_the_library_draws_them(trees, capsys):
    assert call(trees.model, trees.labelled) == 0
    truth = ["loud", "quiet", "loud", "quiet"]
    answers = trees.machine.compile().predict(TREES)
    explanations = explain_trees(trees.machine, TREES)
    drawn = [
        f"tree {number + 1}: predicted {answers[number]}, true label {truth[number]}\n{tree.draw()}"
        for number, tree in enumerate(explanations)
    ]
    assert printed(capsys) == "\n\n".join(drawn) + "\n"


def test_json_of_trees_adds_up(trees, capsys):
    assert call(trees.model, trees.plain, "--json", "-j", 2) == 0
    found = objects(capsys)
    scores = trees.machine.compile().decision_function(TREES)
    np.testing.assert_allclose([one["scores"] for one in found], scores, rtol=1e-9)
    assert not any("true_label" in one for one in found)
    for one, score in zip(found, scores, strict=True):
        for kind in ("rooted", "shared"):
            assert one["baseline"][0] + sum(node[kind][0] for node in one["nodes"]) == pytest.approx(score)


def test_shares_and_outputs_of_trees(tmp_path, capsys):
    coef = [[1.0, -2.0, 0.5], [0.5, 1.0, -1.0], [1.0, 1.0, 1.0], [0.0, 2.0, 1.0]]
    machine = gm.Machine(gm.PartialTreeKernel(), TREES, coef, [0.0] * 3, ["a", "b", "c"], "ovr")
    machine.save(tmp_path / "m")
    (tmp_path / "d").write_text(f"{TREES[0]}\n")
    (tree,) = explain_trees(machine, TREES[:1])
    assert call(tmp_path / "m", tmp_path / "d") == 0
    assert printed(capsys).endswith(f"\n{tree}\n")
    assert call(tmp_path / "m", tmp_path / "d", "--shares", "rooted", "--class", "c") == 0
    assert printed(capsys).endswith(f"\n{tree.draw('c', 'rooted')}\n")
    assert call(tmp_path / "m", tmp_path / "d", "--shares", "rooted", "--class", "c", "--json") == 0
    (found,) = objects(capsys)
    assert (found["outputs"], len(found["scores"])) == (["c"], 3)
    assert [node["rooted"] for node in found["nodes"]] == tree.rooted[:, [2]].tolist()
    assert "shared" not in found["nodes"][0]


def test_the_heaviest_nodes_of_a_tree(trees, capsys):
    assert call(trees.model, trees.plain, "--row", 1, "--top", 2) == 0
    (tree,) = explain_trees(trees.machine, TREES[:1])
    said = printed(capsys).splitlines()
    assert said[1] == tree.draw().splitlines()[0]
    assert [line.split("  ")[1] for line in said[2:]] == [node.text for node in tree.top(2)]


def test_models_and_data_of_svm_light_tk(trees, tmp_path, capsys):
    coef, intercept = trees.machine.coef, trees.machine.intercept
    machine = gm.Machine(trees.machine.kernel, TREES[:3], coef, intercept, classes=[-1, 1])
    write(machine, tmp_path / "m", "svmlight-tk")
    gm.write_svmlight_tk(tmp_path / "d", gm.Forest.from_strings(TREES), [1, -1, 1, -1])
    assert call(tmp_path / "m", tmp_path / "d", "--json") == 0
    found = objects(capsys)
    np.testing.assert_allclose([one["scores"] for one in found], machine.compile().decision_function(TREES), rtol=1e-9)
    assert [one["true_label"] for one in found] == [1, -1, 1, -1]
    assert call(tmp_path / "m", "--top", 3) == 0
    assert "support trees" in printed(capsys)


def test_a_tree_among_other_fields(tmp_path, capsys):
    X = gm.Examples(trees=TREES, vectors=[{1}, {2}, {1}, {3}])
    machine = gm.Machine(gm.SubsetTreeKernel().on("trees"), X, [1.0, -1.0, 0.5, 0.0], 0.0, classes=[-1, 1])
    machine.save(tmp_path / "m")
    gm.write_svmlight_tk(tmp_path / "d", X, [1, -1, 1, 1])
    assert call(tmp_path / "m", tmp_path / "d", "--json") == 0
    np.testing.assert_allclose([one["scores"] for one in objects(capsys)], machine.compile().decision_function(X))
    assert call(tmp_path / "m", tmp_path / "d", "--tree", "tree1") == 1
    assert "--tree is for machines on one tree" in capsys.readouterr().err


# --- models of programs -----------------------------------------------------------------------------------------------


def test_a_tree_classifier_explains_what_it_sees(tmp_path, capsys):
    upper = [tree.replace("dogs", "DOGS") for tree in TREES]
    classifier = TreeClassifier(word_weight=0).fit(TREES, ["x", "y", "x", "y"])
    classifier.save(tmp_path / "m")
    gm.write_trees(tmp_path / "d", upper, ["x", "y", "x", "y"])
    assert call(tmp_path / "m", tmp_path / "d", "--json") == 0
    scores = [one["scores"] for one in objects(capsys)]
    np.testing.assert_allclose(scores, classifier.decision_function(upper), rtol=1e-9)


@pytest.mark.parametrize("words", [0.5, 1])
def test_words_are_shown_next_to_the_trees(trees, tmp_path, capsys, words):
    classifier = TreeClassifier(word_weight=words, ngrams=2).fit(TREES, ["x", "y", "x", "y"])
    classifier.save(tmp_path / "m")
    assert call(tmp_path / "m", trees.labelled) == 0
    explanations = classifier.explain(TREES)
    assert printed(capsys).count("\nwords\n") == len(explanations)
    assert call(tmp_path / "m", trees.labelled, "--json") == 0
    for found, tree in zip(objects(capsys), explanations, strict=True):
        assert found["vector_features"] == tree.as_dict()["vector_features"]
        assert found["scores"] == pytest.approx(tree.score[0])
    assert call(tmp_path / "m", trees.plain, "--row", 1, "--top", 2) == 0
    shown = [line.split("  ")[1] for line in printed(capsys).splitlines()[2:]]
    assert shown == [node.text for node in explanations[0].top(2)] + [
        word.name.rstrip() for word in explanations[0].top_vector_features(2)
    ]


def test_words_are_no_fragments(tmp_path, capsys):
    TreeClassifier().fit(TREES, ["x", "y", "x", "y"]).save(tmp_path / "m")
    assert call(tmp_path / "m") == 1
    assert "name trees as DATA" in capsys.readouterr().err


def test_a_tagger_shows_what_it_has_learned(tmp_path, capsys):
    Tagger("F:0:0 T:-1", C=1.0).fit([[("the", "D"), ("mill", "N")], [("a", "D"), ("dog", "N")]]).save(tmp_path / "m")
    assert call(tmp_path / "m", "--top", 3) == 0
    assert printed(capsys) == f"{rules_of(gm.load(tmp_path / 'm'), top=3)}\n"


def test_one_machine_of_a_collection(rows, tmp_path, capsys):
    gm.Machines({"only": rows.machine}).save(tmp_path / "one")
    gm.Machines({"left": rows.machine, "right": rows.machine}).save(tmp_path / "two")
    for model in ((tmp_path / "one",), (tmp_path / "two", "--machine", "right")):
        assert call(*model) == 0
        assert printed(capsys) == f"{rules_of(rows.machine, top=20)}\n"
    for more in ((), ("--machine", "middle")):
        assert call(tmp_path / "two", *more) == 1
        assert "holds 2 machines; say which by --machine, or write one" in capsys.readouterr().err
    assert call(rows.model, "--machine", "left") == 1
    assert "holds a single machine" in capsys.readouterr().err
