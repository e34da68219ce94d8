"""Taggers as models of YamCha and back: what was written gives the same tags, by our features and by its own."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest

import gristmill as gm
from gristmill.apps.tagging.tagger import Tagger
from gristmill.base.errors import FormatError
from gristmill.machines.formats import write
from gristmill.scoring.engines import ENGINES
from tests.apps.tagging.chunked_sentences import plain, sentences, tags_of
from tests.oracle import yamcha

GOLDEN = Path(__file__).parents[2] / "golden"
KNOWN, NEW = sentences(40), sentences(30, seed=1)
TEMPLATES = "F:-2..2:0.. B:0:1 T:-2..-1"
FORMATS = ["yamcha", "yamcha-text"]


def greedy(machine, tokens):
    """Token after token, with YamCha's features and the parameters of the file."""
    parameters = machine.provenance["parameters"]
    number = {name: at for at, name in enumerate(machine.feature_names)}
    scorer, tags = machine.compile("direct"), [None] * len(tokens)
    places = range(len(tokens))
    for place in reversed(places) if parameters["parsing_direction"] == "backward" else places:
        found = yamcha.features(parameters, tokens, tags)[place]
        tags[place] = str(scorer.predict([{number[name] for name in found if name in number}])[0])
    return tags


@pytest.mark.parametrize("multiclass", ["ovr", "ovo"])
@pytest.mark.parametrize("direction", ["forward", "backward"])
@pytest.mark.parametrize("name", FORMATS)
def test_a_tagger_written_as_a_model_of_yamcha_gives_the_same_tags(tmp_path, name, direction, multiclass):
    tagger = Tagger(TEMPLATES, multiclass=multiclass, direction=direction).fit(KNOWN)
    write(tagger.machine_, tmp_path / "model", name)
    again = Tagger.load(tmp_path / "model")
    assert again.direction == direction
    assert sorted(again.tags_) == tagger.tags_
    assert again.tag(plain(NEW)) == tagger.tag(plain(NEW))


@pytest.mark.parametrize("direction", ["forward", "backward"])
@pytest.mark.parametrize("name", FORMATS)
def test_tags_are_those_of_the_features_of_yamcha(tmp_path, name, direction):
    tagger = Tagger(TEMPLATES, solver="smo", multiclass="ovo", direction=direction).fit(KNOWN)
    write(tagger.machine_, tmp_path / "model", name)
    again = Tagger.load(tmp_path / "model")
    assert [greedy(again.machine_, text) for text in plain(NEW[:8])] == tagger.tag(plain(NEW[:8]))


def test_two_tags_are_written_too(tmp_path):
    two = [[(word, kind, "I" if tag != "O" else "O") for word, kind, tag in sentence] for sentence in KNOWN]
    tagger = Tagger("F:-1..1:0.. T:-1").fit(two)
    write(tagger.machine_, tmp_path / "model", "yamcha")
    assert Tagger.load(tmp_path / "model").tag(plain(NEW)) == tagger.tag(plain(NEW))


@pytest.mark.parametrize("engine", ENGINES)
def test_every_engine_gives_the_tags_of_a_model_of_yamcha(tmp_path, engine):
    tagger = Tagger(TEMPLATES, multiclass="ovo", C=1.0, epochs=30).fit(KNOWN)
    write(tagger.machine_, tmp_path / "model", "yamcha")
    again = Tagger.load(tmp_path / "model", engine=engine)
    assert again.tag(plain(KNOWN)) == tags_of(KNOWN)
    assert again.tag(plain(NEW)) == tagger.tag(plain(NEW))


def test_a_model_of_yamcha_is_saved_as_a_tagger(tmp_path):
    tagger = Tagger(TEMPLATES, multiclass="ovo", direction="backward").fit(KNOWN)
    write(tagger.machine_, tmp_path / "model", "yamcha")
    imported = Tagger.load(tmp_path / "model")
    imported.save(tmp_path / "own")
    again = Tagger.load(tmp_path / "own")
    assert again.tag(plain(NEW)) == tagger.tag(plain(NEW))


@pytest.mark.parametrize("multiclass", ["native", "ovr"])
def test_views_are_not_written(tmp_path, multiclass):
    tagger = Tagger("F:-1..1:0 F:0:0:lower+suffix:2 T:-1", multiclass=multiclass).fit(KNOWN)
    with pytest.raises(ValueError, match=r"YamCha sees whole cells, not the views of F:0:0:lower\+suffix:2"):
        write(tagger.machine_, tmp_path / "model", "yamcha")
    assert not (tmp_path / "model").exists()


def test_templates_of_crfpp_are_not_written(tmp_path):
    tagger = Tagger("U:%x[0,0]\nB\n").fit(KNOWN)
    with pytest.raises(ValueError, match="YamCha never makes the feature"):
        write(tagger.machine_, tmp_path / "model", "yamcha")


@pytest.mark.parametrize("name", ["yamcha-pairs.model", "yamcha-rest.txtmodel"])
def test_golden_models_of_yamcha_tag(name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", gm.SwappedParametersWarning)
        tagger = Tagger.load(GOLDEN / name)
    words = ["mill", "Mühle", "grain", "stone", "unheard of", "mill", "stone"]
    assert tagger.tag(words) == greedy(tagger.machine_, [(word,) for word in words])


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"features": "0:0", "column_size": "many"}, "many"),
        ({"features": "0:x"}, "0:x"),
        ({"features": ""}, "templates that make no feature"),
        ({"features": "0:0", "parsing_direction": "up"}, "direction"),
        ({"features": "0:3", "column_size": "2"}, "no column 3"),
    ],
)
def test_parameters_that_cannot_be_are_refused(tmp_path, parameters, message):
    machine = gm.Machine(
        *(gm.PolynomialKernel(2), [{0}], [1.0], 0.0, ["A", "B"]),
        feature_names=["F:+0:0:a"],
        provenance={"format": "yamcha", "parameters": parameters},
    )
    write(machine, tmp_path / "model", "yamcha")
    with pytest.raises(FormatError, match=f"not a sound tagger: .*{message}"):
        Tagger.load(tmp_path / "model")
