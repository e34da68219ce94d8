"""Models of YamCha run as they are: tags are those of its own features, looked up by the book."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gristmill.apps.tagging.tagger import Tagger
from tests.oracle import yamcha

GOLDEN = Path(__file__).parents[2] / "golden"


@pytest.fixture(scope="module", params=["yamcha-pairs.model", "yamcha-rest.txtmodel"])
def tagger(request):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # its parameters are swapped, as in YamCha
        return Tagger.load(GOLDEN / request.param)


def greedy(machine, tokens):
    """Token after token, with YamCha's features."""
    parameters = {"bow_features": "", **machine.provenance["parameters"]}
    number = {name: at for at, name in enumerate(machine.feature_names)}
    scorer, tags = machine.compile("direct"), [None] * len(tokens)
    assert parameters["parsing_direction"] == "forward"
    for place in range(len(tokens)):
        found = yamcha.features(parameters, tokens, tags)[place]
        row = {number[name] for name in found if name in number}
        tags[place] = str(scorer.predict([row])[0])
    return tags


@given(data=st.data())
def test_tags_are_those_of_its_features(tagger, data):
    machine = tagger.machine_
    known = {name.split(":", 3)[3] for name in machine.feature_names if name.startswith("F:") and "__" not in name}
    words = data.draw(st.lists(st.sampled_from([*sorted(known), "unheard of"]), max_size=8))
    assert tagger.tag(words) == greedy(machine, [[word] for word in words])
