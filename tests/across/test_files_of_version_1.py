"""Files of version 1, of every kind: they load, answer as they did, and are written again byte for byte."""

from __future__ import annotations

import json

import numpy as np
import pytest

import gristmill as gm
from gristmill.machines.store import from_bytes, to_bytes
from tests.apps.parsing.small_treebanks import plain, sentences
from tests.apps.roles.labelled_sentences import PROPOSITIONS, TREES
from tests.golden.make_from_text_v1 import ANSWERS
from tests.golden.make_kinds_v1 import HERE, NEW_TEXT, machines

EXPECTED = json.loads((HERE / "kinds-v1.json").read_text(encoding="utf-8"))
MACHINES = machines()
FROM_TEXT = json.loads((HERE / "from-text-v1.json").read_text(encoding="utf-8"))


def content(name):
    return (HERE / f"{name}.safetensors").read_bytes()


@pytest.mark.parametrize("name", [*MACHINES, "machines-v1", *ANSWERS])
def test_what_was_loaded_is_written_byte_for_byte(name):
    assert to_bytes(from_bytes(content(name))) == content(name)


@pytest.mark.parametrize("name", MACHINES)
def test_machines_are_those_that_are_made_today(name):
    assert from_bytes(content(name)) == MACHINES[name][0]
    assert to_bytes(MACHINES[name][0]) == content(name)


@pytest.mark.parametrize("engine", ["direct", "forest", "auto"])
@pytest.mark.parametrize("name", MACHINES)
def test_machines_score_as_they_did(name, engine):
    machine, data = from_bytes(content(name)), MACHINES[name][1]
    scores = machine.compile(engine).decision_function(data)
    np.testing.assert_allclose(scores, EXPECTED[name], rtol=0, atol=1e-12)


def test_the_segmenter_segments_as_it_did():
    segmenter = gm.apps.Segmenter.load(HERE / "segmenter-v1.safetensors")
    assert [segmenter.segment(text) for text in NEW_TEXT] == EXPECTED["segmenter-v1"]


def test_the_parser_parses_as_it_did():
    parser = gm.apps.DependencyParser.load(HERE / "parser-v1.safetensors")
    found = parser.parse(plain(sentences(5, seed=1)))
    assert [[[word.head, word.deprel] for word in tree] for tree in found] == EXPECTED["parser-v1"]


def test_the_labeller_labels_as_it_did():
    labeller = gm.apps.RoleLabeller.load(HERE / "roles-v1.safetensors")
    found = labeller.label(TREES, PROPOSITIONS)
    assert [[list(one) for one in proposition.arguments] for proposition in found] == EXPECTED["roles-v1"]


@pytest.mark.parametrize("name", ANSWERS)
def test_what_leads_from_text_to_trees_answers_as_it_did(name):
    app = gm.load(HERE / f"{name}.safetensors")
    assert json.loads(json.dumps(ANSWERS[name](app))) == FROM_TEXT[name]
