"""The playground in a browser: bracketed trees."""

from __future__ import annotations

import pytest

import gristmill as gm

pytestmark = pytest.mark.slow  # in a browser

TREE = "(Q (W Who) (N she) (V is))"


@pytest.fixture
def classifier(models):
    return models("trees")


def expected(classifier, tree):
    return classifier.predict([tree])[0], classifier.scorer_.decision_function(classifier.examples([tree]))[0]


@pytest.fixture
def opened(page, site):
    return page.open(f"{site('trees')}#tree={TREE}")


def test_a_tree_is_answered_and_drawn_with_what_its_nodes_add(opened, classifier):
    assert (opened.verdict, opened.score) == expected(classifier, TREE)
    (explained,) = classifier.explain([TREE])
    drawn = opened.texts(".picture [data-node] > text:first-of-type")
    assert sorted(drawn) == sorted(explained.labels)
    shown = opened.contributions()
    words = sum(one.value for one in explained.top_vector_features())
    assert shown["all words of the tree"] == pytest.approx(words, abs=1e-12)
    assert shown["Q who she is"] == explained.shares()[0]
    assert opened.contributions("What words") == {one.name: one.value for one in explained.top_vector_features()}


def test_what_is_typed_is_answered_at_once(opened, classifier):
    tree = "(Q (W Where) (N he) (V was))"
    opened.write(tree)
    assert (opened.verdict, opened.score) == expected(classifier, tree)
    assert opened.verdict == "place"


def test_a_node_is_cut_off_and_comes_back(opened, classifier):
    whole = opened.verdict, opened.score
    opened.press(".picture [data-node]", "W")
    left = "(Q (N she) (V is))"
    assert (opened.verdict, opened.score) == expected(classifier, left)
    assert opened.texts(".tree-card .chip-name") == ["(W Who)"]
    assert whole[0] in opened.one(".compared").text
    assert opened.numbers(".compared data") == [whole[1]]
    opened.press(".picture [data-node]", "she")
    assert (opened.verdict, opened.score) == expected(classifier, "(Q (N) (V is))")
    opened.wait(lambda: opened.driver.current_url.count("cut=") == 2)
    opened.open(opened.driver.current_url)
    assert (opened.verdict, opened.score) == expected(classifier, "(Q (N) (V is))")
    opened.press(".tree-card .chip-name", "she").press(".tree-card .chip-name", "Who")
    assert (opened.verdict, opened.score) == whole
    assert not opened.all(".tree-card .chip")


def test_the_root_stays(opened):
    before = opened.score
    opened.press(".picture [data-node='0']")
    assert opened.score == before
    assert not opened.all(".tree-card .chip")
    assert opened.one(".picture [data-node='0']").get_attribute("role") != "button"
    opened.write("(Q)")
    assert not opened.all(".picture [role=button]")
    assert opened.one(".picture").get_attribute("tabindex") == "0"


def test_a_mistake_is_shown_at_its_place_and_the_old_answer_looks_old(opened):
    before = opened.score
    opened.write("(Q (W Wér)) (V is))")
    assert opened.is_stale
    assert opened.score == before
    assert opened.one("textarea").get_attribute("aria-invalid") == "true"
    assert opened.texts(".error code") == ["(Q (W Wér))␣(V is))"]
    assert opened.texts(".error mark") == ["␣"]
    opened.press(".error button")
    place = opened.driver.execute_script("return document.activeElement.selectionStart")
    assert place == len("(Q (W Wér))")
    opened.write(TREE)
    assert not opened.is_stale
    assert not opened.texts(".error code")


def test_an_empty_field_has_no_answer(opened):
    opened.write(" ")
    opened.wait(lambda: not opened.one(".results").is_displayed())
    assert not opened.one(".field .error").text


def test_brackets_are_read_as_the_library_reads_them(opened):
    trees = [
        "(a)",
        "( (S (NP x)))",
        r"(S (NP \)\() (VP a\ b))",
        "(S (A b c) d\n(E (F g)))",
        "(S(A)(B c))",
        "(石臼 (🌾 <b>))",
    ]
    machine = gm.Machine(gm.SubsetTreeKernel(0.5), ["(S a)"], [1.0], 0.0)
    for tree, explained in zip(trees, gm.explain(machine, trees), strict=True):
        spans = opened.called("brackets", "spansOf", tree)
        assert [span["parent"] for span in spans] == explained.parents.tolist(), tree


def test_brackets_that_do_not_close_have_no_nodes(opened):
    assert opened.called("brackets", "spansOf", "(S (NP x)") == []
    assert opened.called("brackets", "spansOf", "S x)") == []
