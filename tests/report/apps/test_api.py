"""Reports on taggers, segmenters, parsers and role labellers: sound pages, and the figures of their own scores."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from gristmill.apps import Tagger
from gristmill.apps.roles.examples import boundary_examples
from gristmill.data.forest import Forest
from gristmill.report import make_report
from gristmill.scoring.deciding import trusted_scores
from tests.apps.parsing.small_treebanks import crossing
from tests.apps.tagging.chunked_sentences import plain, tags_of
from tests.display.parsed_pages import assert_harmless
from tests.report.apps.apps_to_report import KINDS, NASTY, task

FIRST = {
    **{"chunks": "chunks", "respelled": "chunks", "words_tags": "tags", "yamcha": "chunks", "segmenter": "words"},
    **{"parser": "trees", "split": "trees", "parser_chunks": "trees", "roles": "roles"},
}
TAGGERS = ["chunks", "respelled", "words_tags", "yamcha"]
PARSERS = ["parser", "split", "parser_chunks"]


def made(kind, **options):
    app, source, _ = task(kind)
    return make_report(app, source, engines=False, **options)


@cache
def once_made(kind):
    return made(kind)


@pytest.fixture(params=KINDS)
def kind(request):
    return request.param


def test_pages_are_sound_and_begin_with_what_was_found(kind):
    report = once_made(kind)
    page = assert_harmless(report.html())
    assert report.sections[0].key == FIRST[kind]
    keys = {"quality", "calibration", "mistakes", "learned", "data", "model"}
    assert keys <= {section.key for section in report.sections}
    assert len(page.all("table")) == len(page.all("caption"))
    assert "In the sections below an example is" in page.text


def test_pages_and_figures_are_the_same_every_time_for_any_number_of_threads(kind):
    again = made(kind, n_jobs=2)
    assert again.html() == once_made(kind).html()
    assert json.loads(again.to_json()) == once_made(kind).as_dict()


def test_labels_that_are_ignored_give_no_metrics(kind):
    report = made(kind, labels=False)
    assert_harmless(report.html())
    figures = report.as_dict()
    assert figures["quality"]["has_truth"] is False
    assert "calibration" not in figures
    assert FIRST[kind] not in figures


def test_the_first_tile_is_the_measure_of_the_program_and_accuracy_is_that_of_decisions(kind):
    tiles = re.findall("<dt>(.*?)</dt>", once_made(kind).head)
    first = {"chunks": "F1 of chunks", "tags": "tokens with the right tag", "words": "F1 of words", "trees": "LAS"}
    assert tiles[0] == (first | {"roles": "F1 of roles"})[FIRST[kind]]
    assert "accuracy of decisions" in tiles
    assert "accuracy" not in tiles


def test_features_that_were_never_seen_are_left_out_and_not_counted(kind):
    report = once_made(kind)
    assert "features no support vector has" not in report.html()
    assert "foreign_share" not in report.as_dict()["data"]


@pytest.mark.parametrize("kind", ["chunks", "parser"])
def test_words_are_text_and_never_markup(kind):
    assert NASTY in assert_harmless(once_made(kind).html()).text


def test_apps_that_have_learned_nothing_are_refused():
    with pytest.raises(ValueError, match="is not fitted"):
        make_report(Tagger(), [[("a", "b")]])


@pytest.mark.parametrize(
    ("kind", "source"),
    [("chunks", []), ("chunks", [[]]), ("segmenter", ["海"]), ("segmenter", []), ("parser", []), ("roles", ([], []))],
)
@pytest.mark.parametrize("labels", [True, False])
def test_there_must_be_something_to_decide(kind, source, labels):
    if kind == "roles":
        source = Forest(), []
    with pytest.raises(ValueError, match="no examples to report on"):
        make_report(task(kind).app, source, labels=labels)


@pytest.mark.parametrize("kind", ["split", "parser_chunks"])
@pytest.mark.parametrize("labels", [True, False])
def test_one_word_leaves_nothing_to_decide(kind, labels):
    app, ((first, *_), *_), _ = task(kind)
    with pytest.raises(ValueError, match="the parser has nothing to decide in these sentences"):
        make_report(app, [[replace(first, head=0, deprel="root")]], labels=labels)


def test_trees_that_the_parser_cannot_give_are_told():
    with pytest.raises(ValueError, match="can give none of these trees by arc-standard"):
        make_report(task("parser").app, crossing(2))


@pytest.mark.parametrize("text", ["", "\n\n"])
@pytest.mark.parametrize("labels", [True, False])
def test_files_without_a_token_are_told(text, labels, tmp_path):
    (tmp_path / "data").write_text(text)
    with pytest.raises(ValueError, match="there are no examples to report on"):
        make_report(task("chunks").app, tmp_path / "data", labels=labels)


def test_truth_beside_sentences_is_refused():
    with pytest.raises(ValueError, match="y must be None"):
        make_report(task("chunks").app, task("chunks").source, ["B-NP"])


# --- taggers ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", TAGGERS)
def test_tags_have_the_metrics_of_the_tagger(kind):
    app, source, _ = task(kind)
    figures, scores = once_made(kind).as_dict(), app.evaluate(source)
    assert scores.as_dict().items() <= figures[FIRST[kind]].items()
    found = app.tag(plain(source))
    assert figures[FIRST[kind]]["right_sentences"] == sum(map(list.__eq__, found, tags_of(source)))
    assert figures["examples"] == scores.tokens


@pytest.mark.parametrize("kind", ["chunks", "words_tags", "yamcha"])
def test_every_token_is_an_example_with_the_tag_that_was_found(kind):
    metrics = once_made(kind).as_dict()
    assert metrics["quality"]["accuracy"] == metrics[FIRST[kind]]["accuracy"]


def test_tags_are_compared_as_the_machine_spells_them():
    figures = once_made("respelled").as_dict()
    names = figures["quality"]["confusion"]["names"]
    assert {"E-NP", "S-VP"} <= set(names)
    assert set(names) <= set(task("respelled").app.machine_.classes.tolist())


def test_mistakes_say_where_they_are():
    source = task("chunks").source
    worst = once_made("chunks").as_dict()["mistakes"]["worst"]
    gold = [tag for sentence in source for *_, tag in sentence]
    assert worst
    for one in worst:
        assert one["truth"] == gold[one["example"] - 1]
    names = {one["name"] for one in worst}
    assert f"sentence 1, token 2: {NASTY} [grinds] stone" in names


def test_tokens_without_a_tag_are_refused_and_shown_without_metrics_on_request():
    app, source, _ = task("chunks")
    with pytest.raises(ValueError, match=r"tokens have 2 columns with the tag.*labels=False, --ignore-labels"):
        make_report(app, plain(source))
    without = make_report(app, plain(source), labels=False, engines=False).as_dict()
    assert without["examples"] == once_made("chunks").as_dict()["examples"]


# --- segmenters -------------------------------------------------------------------------------------------------------


def test_words_have_the_metrics_of_the_segmenter():
    app, source, _ = task("segmenter")
    figures, scores = once_made("segmenter").as_dict(), app.evaluate(source)
    assert figures["words"] == scores.as_dict()
    assert figures["examples"] == scores.boundaries
    assert figures["quality"]["accuracy"] == scores.accuracy


def test_a_boundary_is_named_by_the_characters_around_it():
    hardest = once_made("segmenter").as_dict()["mistakes"]["hardest"]
    text = [line.replace(" ", "") for line in task("segmenter").source]
    for one in hardest:
        place, _, around = one["name"].partition(": ")
        line, character = (int(word) for word in place.replace(",", "").split() if word.isdigit())
        before, after = around.split("|")
        assert text[line - 1][:character].endswith(before)
        assert text[line - 1][character:].startswith(after)


def test_text_without_a_boundary_has_no_metrics():
    app, source, _ = task("segmenter")
    figures = make_report(app, [line.replace(" ", "") for line in source], engines=False).as_dict()
    assert "words" not in figures
    assert figures["quality"]["has_truth"] is False


# --- parsers ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", PARSERS)
def test_trees_have_the_metrics_of_the_parser(kind):
    app, source, _ = task(kind)
    figures, scores = once_made(kind).as_dict(), app.evaluate(source)
    assert scores.as_dict().items() <= figures["trees"].items()
    counts = np.array(figures["trees"]["confusion"]["counts"])
    assert counts.sum() == scores.words.gold


def test_the_worst_sentences_have_most_wrong_words():
    figures = once_made("parser").as_dict()
    las, worst = figures["trees"]["las"], figures["sentences"]["worst"]
    assert sum(one["wrong_words"] for one in worst) == las["gold"] - las["correct"]
    assert [one["wrong_words"] for one in worst] == sorted((one["wrong_words"] for one in worst), reverse=True)


def test_a_sentence_says_where_the_parser_went_astray():
    text = assert_harmless(once_made("parser").html()).text
    assert "The parser leaves the way to the true tree at step" in text
    assert "What speaks for" in text


def test_what_is_left_out_and_which_machine_decides_is_said():
    assert "2 sentences are left out there: arc-standard cannot give the tree" in once_made("parser").html()
    assert "Of several machines it is the one that has most to decide, b0.upos=" in once_made("split").html()


@pytest.mark.filterwarnings("ignore::gristmill.EmptyColumnsWarning")
def test_trees_are_needed_for_metrics():
    app, source, _ = task("parser")
    bare = [[(word.form, word.upos) for word in words] for words in source]
    with pytest.raises(ValueError, match="labels=False, --ignore-labels"):
        make_report(app, bare)
    assert_harmless(make_report(app, bare, labels=False, engines=False).html())


# --- roles ------------------------------------------------------------------------------------------------------------


def test_roles_have_the_metrics_of_the_labeller():
    app, (sentences, propositions), _ = task("roles")
    figures, scores = once_made("roles").as_dict(), app.evaluate(sentences, propositions)
    assert scores.as_dict().items() <= figures["roles"].items()
    examples = boundary_examples(sentences, propositions, candidates=app.candidates)
    assert figures["examples"] == len(examples)
    assert sum(one["support"] for one in figures["quality"]["classes"] if one["label"] == "yes") == sum(
        examples.labels == 1
    )


def test_roles_are_labelled_with_the_threads_and_the_progress_of_the_report(monkeypatch):
    app, source, _ = task("roles")
    requested, done = [], []

    def watched(scorer, X, n_jobs=None, **more):
        requested.append(n_jobs)
        return trusted_scores(scorer, X, n_jobs, **more)

    monkeypatch.setattr("gristmill.apps.roles.labeller.trusted_scores", watched)
    made("roles", n_jobs=2, progress=lambda *numbers: done.append(numbers))
    assert requested[0] == 2
    assert done[0] == (len(source[1]), len(source[1]))
    assert app.n_jobs is None


def test_a_role_labeller_needs_propositions():
    with pytest.raises(ValueError, match=r"takes \(sentences, propositions\)"):
        make_report(task("roles").app, task("roles").source[0])
