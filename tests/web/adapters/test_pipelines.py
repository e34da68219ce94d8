"""Text pipelines in the playground: raw text in, trees side by side and the parser's steps out."""

from __future__ import annotations

import pytest

from gristmill.web.adapters.base import ExplainOptions
from gristmill.web.adapters.choose import choose_adapter
from gristmill.web.limits import Limits, RefusedError
from tests.apps.pipeline.small_pipeline import TEXT, learned, pipeline, text_to_read, treebank


def test_trees_of_a_text_stand_side_by_side():
    adapter = choose_adapter(learned(), Limits())
    text = text_to_read(TEXT)
    (found,) = adapter.score([adapter.read(text, "sentences[0]")], lambda: None)
    trees = learned().predict(text)
    assert found["tokens"] == [word.form for tree in trees for word in tree]
    assert found["heads"].count(0) == len(trees)
    assert found["svg"].startswith("<svg")


def test_steps_of_all_sentences_are_explained():
    adapter = choose_adapter(learned(), Limits())
    (found,) = adapter.explain([text_to_read(TEXT)], ExplainOptions(), lambda: None)
    steps = [step for one in learned().explain(text_to_read(TEXT)) for step in one]
    assert [step["label"] for step in found["steps"]] == [step.label for step in steps]
    assert max(step["token"] for step in found["steps"]) < len(found["tokens"])
    assert adapter.facts()["columns"] == 1


def test_other_inputs_are_refused():
    adapter = choose_adapter(learned(), Limits())
    with pytest.raises(RefusedError):
        adapter.read(["a", "b"], "sentences[0]")


def test_a_pipeline_without_a_parser_has_no_page():
    with pytest.raises(ValueError, match="without a parser"):
        choose_adapter(pipeline(parser="none").fit(treebank(4)), Limits())
