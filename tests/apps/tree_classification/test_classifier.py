"""The tree classifier: what it learns, and what it keeps in a file."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from sklearn.metrics import accuracy_score, f1_score, precision_recall_fscore_support

import gristmill as gm
from gristmill.apps.tree_classification.classifier import TreeClassifier
from gristmill.apps.tree_classification.model import score_labels
from gristmill.machines.formats import read_model
from tests.data.tree_strategies import to_strings, tree_lists, trees
from tests.oracle import tree_words as oracle
from tests.properties import share

GOLDEN = Path(__file__).parents[2] / "golden"
WHO, WHERE = ("he", "she", "Ann"), ("here", "there", "Rome")
TREES = [
    f"(Q (W {'Who' if number % 2 else 'where'}) (V {('is', 'was')[number % 3 % 2]}) (N {names[number // 2 % 3]}))"
    for number in range(40)
    for names in [WHO if number % 2 else WHERE]
]
LABELS = ["person" if number % 2 else "place" for number in range(40)]
SETTINGS = [
    {},
    {"word_weight": 0},
    {"word_weight": 1},
    {"kernel": "ptk", "ngrams": 2},
    {"lowercase": False, "word_weight": 0.25},
]


@pytest.fixture(scope="module")
def classifier():
    return TreeClassifier().fit(TREES, LABELS)


def test_new_trees_are_labelled(classifier):
    new = ["(Q (W who) (V ran))", "(Q (W Where) (V was) (N unheard-of))", "(Q (V is) (N Rome))"]
    assert classifier.predict(new).tolist() == ["person", "place", "place"]
    assert classifier.predict(gm.Forest.from_strings(new)).tolist() == ["person", "place", "place"]
    scores = classifier.evaluate(TREES, LABELS)
    assert (scores.accuracy, scores.macro_f1, scores.examples) == (1.0, 1.0, 40)
    assert classifier.classes_.tolist() == ["person", "place"]
    assert "ann" in classifier.vocabulary_


@share(0.3)
@given(tree_lists(min_size=6, max_size=6), trees())
def test_scores_are_those_of_the_definition(known, new):
    labels = ["yes", "no"] * 3
    classifier = TreeClassifier(gm.SubsetTreeKernel(decay=0.4, leaves=True), word_weight=0.25).fit(
        to_strings(known), labels
    )
    machine = classifier.machine_
    support = to_strings(known)
    kernel = gm.SubsetTreeKernel(decay=0.4, leaves=True)(to_strings([new]), list(machine.support["trees"]))[0]
    forest = dict(zip(gm.Forest.from_strings(support), known, strict=True))
    shared = [oracle.kernel(new, forest[tree], 1) for tree in machine.support["trees"]]
    terms = machine.dense_coef()[:, 0] * (0.75 * kernel + 0.25 * np.array(shared))
    expected = terms.sum() + machine.intercept[0]
    got = classifier.decision_function(to_strings([new]))[0]
    assert abs(got - expected) <= 1e-9 * (abs(machine.intercept[0]) + np.abs(terms).sum() + 1)


@pytest.mark.parametrize("options", SETTINGS, ids=str)
def test_what_was_learned_is_in_one_file(options, tmp_path):
    classifier = TreeClassifier(**options).fit(TREES, LABELS)
    classifier.save(tmp_path / "model")
    again = TreeClassifier.load(tmp_path / "model")
    assert np.array_equal(again.decision_function(TREES), classifier.decision_function(TREES))
    assert again.vocabulary_ == classifier.vocabulary_
    again.save(tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == (tmp_path / "model").read_bytes()
    assert read_model(tmp_path / "model").classes.tolist() == ["person", "place"]


@pytest.mark.parametrize("options", SETTINGS, ids=str)
def test_engines_give_the_same_labels(options, tmp_path):
    TreeClassifier(**options).fit(TREES[:20], LABELS[:20]).save(tmp_path / "model")
    found = [TreeClassifier.load(tmp_path / "model", engine=engine).predict(TREES) for engine in ("forest", "direct")]
    assert np.array_equal(*found)


def test_learning_gives_the_same_file_again(classifier, tmp_path):
    other = TreeClassifier(n_jobs=2).fit(TREES, LABELS)
    for number, one in enumerate((classifier, other)):
        one.save(tmp_path / str(number))
    assert (tmp_path / "0").read_bytes() == (tmp_path / "1").read_bytes()


def test_labels_may_be_numbers(tmp_path):
    classifier = TreeClassifier().fit(TREES, np.array([3, 7] * 20))
    classifier.save(tmp_path / "model")
    assert TreeClassifier.load(tmp_path / "model").predict(TREES[:2]).tolist() == [3, 7]
    assert classifier.evaluate(TREES, [3, 7] * 20).accuracy == 1.0


@pytest.mark.parametrize("scheme", ["ovr", "ovo"])
def test_more_than_two_classes(scheme):
    labels = ["person", "place", "thing"] * 13 + ["thing"]
    trees = [tree.replace("(N", f"(N{label}") for tree, label in zip(TREES, labels, strict=True)]
    classifier = TreeClassifier(multiclass=scheme).fit(trees, labels)
    assert classifier.predict(trees).tolist() == labels
    assert classifier.decision_function(trees).shape == (40, 3)


def test_case_matters_where_it_is_kept():
    trees, labels = ["(S (N Rose))", "(S (N rose))", "(S (N Daisy))", "(S (N daisy))"], ["name", "noun"] * 2
    assert TreeClassifier(lowercase=False).fit(trees, labels).predict(trees).tolist() == labels
    assert len(set(TreeClassifier().fit(trees, labels).predict(trees[:2]).tolist())) == 1


def test_marked_kernels_read_marks():
    trees = ["(S (A*1 a) (B b))", "(S (A a) (B*1 b))"] * 3
    classifier = TreeClassifier("c-marked", word_weight=0).fit(trees, ["first", "second"] * 3)
    assert classifier.marked
    assert classifier.predict(trees[:2]).tolist() == ["first", "second"]


def test_trees_of_a_single_node():
    classifier = TreeClassifier().fit(["(yes)", "(no)", "(yes)", "(no)"], [1, 0, 1, 0])
    assert classifier.predict(["(no)", "(yes)"]).tolist() == [0, 1]


def test_deep_and_wide_trees(classifier):
    deep = "(S " * 3000 + "(W who)" + ")" * 3000
    wide = f"(S {'(W where) ' * 300})"
    assert classifier.predict([deep, wide]).tolist() == ["person", "place"]


def test_no_trees_have_no_labels(classifier):
    assert classifier.predict([]).tolist() == []
    assert np.isnan(classifier.evaluate([], []).accuracy)
    assert classifier.evaluate([], []).as_dict() == {"examples": 0, "accuracy": None, "macro_f1": None, "classes": []}


def test_one_tree_of_several_is_compared():
    forest, other = gm.Forest.from_strings(TREES), gm.Forest.from_strings(["(S x)"] * 40)
    X = gm.Examples(vectors=[{1}] * 40, other=other, mine=forest)
    assert TreeClassifier(tree="mine").fit(X, LABELS).predict(X).tolist() == LABELS
    assert len(set(TreeClassifier().fit(X, LABELS).predict(X).tolist())) == 1
    with pytest.raises(ValueError, match="no tree 'none'; trees are 'other', 'mine'"):
        TreeClassifier(tree="none").fit(X, LABELS)


def test_scores_of_classes_are_those_of_scikit_learn():
    random = np.random.default_rng(0)
    gold, given = random.choice(list("abcde"), 200), random.choice(list("abcdf"), 200)  # e is never found, f never true
    scores = score_labels(gold.tolist(), given.tolist())
    theirs = precision_recall_fscore_support(gold, given, zero_division=0.0)
    ours = [[one.precision, one.recall, one.f1, one.support] for one in scores.classes]
    assert np.allclose(ours, np.transpose(theirs), rtol=0, atol=1e-15)
    assert scores.accuracy == accuracy_score(gold, given)
    assert scores.macro_f1 == pytest.approx(f1_score(gold, given, average="macro", zero_division=0.0))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"kernel": "poly"}, "kernel must be"),
        ({"kernel": gm.PolynomialKernel(2)}, "kernel must be one of trees"),
        ({"word_weight": 1.5}, "word_weight must be a share from 0"),
        ({"word_weight": True}, "word_weight must be a share"),
        ({"ngrams": 0}, "ngrams must be a whole number"),
        ({"lowercase": 1}, "lowercase must be True or False"),
        ({"C": 0}, "C must be"),
        ({"multiclass": "all"}, "multiclass must be one of"),
        ({"engine": "fast"}, "engine must be one of"),
        ({"tree": ""}, "tree must be a name"),
    ],
)
def test_settings_that_make_no_sense(options, message):
    with pytest.raises(ValueError, match=message):
        TreeClassifier(**options)


@pytest.mark.parametrize(
    ("trees", "labels", "message"),
    [
        ([], [], "there are no trees: a classifier needs at least two classes"),
        (TREES, ["a"] * 40, "all 40 trees have the label a"),
        (TREES, LABELS[:3], "a label for each of 40 trees, got 3"),
        (TREES, [["a"]] * 40, "one label for each tree"),
        ("(S a)", ["a"], "wrap it in a list"),
        (["(S a"], ["a"], "never closed"),
    ],
)
def test_what_cannot_be_learned(trees, labels, message):
    classifier = TreeClassifier()
    with pytest.raises(ValueError, match=message):
        classifier.fit(trees, labels)
    with pytest.raises(ValueError, match="is not fitted"):
        classifier.predict(["(S a)"])


def test_labels_of_another_kind_cannot_be_compared(classifier):
    with pytest.raises(ValueError, match="cannot be compared"):
        classifier.evaluate(TREES, [0, 1] * 20)
    with pytest.raises(ValueError, match="a label for each of 40"):
        classifier.evaluate(TREES, LABELS[:2])


def test_an_interrupted_fit_keeps_what_it_has():
    random = np.random.default_rng(0)
    trees = [f"(S {' '.join(random.choice(list('abcdefgh'), 6))})" for _ in range(400)]
    labels = random.choice(["yes", "no", "maybe"], 400)
    whole = TreeClassifier().fit(trees, labels)

    def stop(done, total):  # at the end of the work: how often it reports before depends on the clock
        if done == total:
            raise KeyboardInterrupt

    classifier = TreeClassifier(progress=stop)
    with pytest.raises(KeyboardInterrupt):
        classifier.fit(trees, labels)
    classifier.progress = None
    assert classifier.predict(trees).shape == whole.predict(trees).shape


@pytest.mark.parametrize("engine", ["forest", "direct"])
def test_the_golden_file_of_version_1_still_answers_the_same(engine):
    expected = json.loads((GOLDEN / "tree-classifier-v1.json").read_text())
    classifier = TreeClassifier.load(GOLDEN / "tree-classifier-v1.safetensors", engine=engine)
    assert np.allclose(classifier.decision_function(expected["trees"]), expected["scores"], rtol=0, atol=1e-9)
    assert classifier.predict(expected["trees"]).tolist() == expected["labels"]


def test_other_models_are_no_tree_classifiers(classifier, tmp_path):
    machine = gm.Machine("sst", ["(S a)"], [1.0], 0.0, classes=["a", "b"])
    machine.save(tmp_path / "one")
    gm.Machines({"one": machine}).save(tmp_path / "many")
    for number, known in enumerate(({"version": 2}, {"version": 1}, {"version": 1, "kernel": 3, "word_weight": 0})):
        damaged = {"tree_classifier": known}
        gm.Machine("sst", ["(S a)"], [1.0], 0.0, ["a", "b"], provenance=damaged).save(tmp_path / str(number))
    for name in ("one", "many", "0", "1", "2"):
        with pytest.raises(gm.FormatError, match="tree classifier"):
            TreeClassifier.load(tmp_path / name)


def test_it_says_what_it_is():
    assert repr(TreeClassifier()) == "TreeClassifier()"
    assert repr(TreeClassifier("ptk", C=2, n_jobs=3)) == "TreeClassifier(kernel='ptk', C=2)"


def test_labelling_does_not_import_scikit_learn(classifier, tmp_path):
    classifier.save(tmp_path / "model")
    code = (
        "import sys; from gristmill.apps.tree_classification.classifier import TreeClassifier; "
        f"TreeClassifier.load({str(tmp_path / 'model')!r}).predict(['(Q a)']); assert 'sklearn' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_questions_of_six_classes(corpora):
    train, labels = gm.read_trees(corpora / "qc/train.tk.gz")
    test, expected = gm.read_trees(corpora / "qc/test.tk.gz")
    assert TreeClassifier(n_jobs=2).fit(train, labels).evaluate(test, expected).accuracy >= 0.91


# --- why --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("scheme", ["ovr", "ovo"])
@pytest.mark.parametrize("words", [0, 0.3, 1])
def test_nodes_and_words_add_up_to_the_scores(words, scheme, tmp_path):
    trees = [f"(Q (W {w}) (V {v}))" for w in ("who", "where", "when") for v in ("ran", "sang", "was")]
    labels = [label for label in ("person", "place", "time") for _ in range(3)]
    TreeClassifier(word_weight=words, ngrams=2, multiclass=scheme).fit(trees, labels).save(tmp_path / "m")
    classifier = TreeClassifier.load(tmp_path / "m")
    new = ["(Q (W WHERE) (V sang) (N unseen))", "(Q)", "(Q (W who) (V ran))"]
    explained = classifier.explain(new)
    np.testing.assert_allclose([tree.total() for tree in explained], classifier.decision_function(new), atol=1e-9)
    for tree, label in zip(explained, classifier.predict(new).tolist(), strict=True):
        assert tree.outputs.name(tree.predicted) == label
        assert len(tree.vector_features) == (words > 0)
        assert words < 1 or not tree.shared.any()
    assert classifier.explain(new, shares="rooted")[0].shared is None


def test_words_are_told_by_their_names():
    trees = ["(Q (W who) (V sang))", "(Q (W who) (V ran))", "(Q (W where) (V was))", "(Q (W where) (V ran))"]
    classifier = TreeClassifier().fit(trees, ["person", "person", "place", "place"])
    (explained,) = classifier.explain(["(Q (W where) (V unseen))"])
    assert [(one.name, one.value > 0) for one in explained.top_vector_features()] == [("where", True)]
    assert classifier.fit(trees, ["place", "place", "person", "person"]).explain([trees[2]])[0].score < 0


def test_a_classifier_that_has_learned_nothing_explains_nothing():
    with pytest.raises(ValueError, match="is not fitted"):
        TreeClassifier().explain(["(a b)"])
