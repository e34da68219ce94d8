"""Analysers take a machine that was compiled already, with options that names of engines do not have."""

from __future__ import annotations

from gristmill.apps.segmentation.engine import CompiledSegmenter
from gristmill.apps.segmentation.engine import load_model as load_segmenter
from gristmill.apps.segmentation.segmenter import Segmenter
from gristmill.apps.tagging.engine import TaggerEngine
from gristmill.apps.tagging.model import load_model as load_tagger
from gristmill.apps.tagging.tagger import Tagger

SAID = [[("the", "D"), ("cat", "N"), ("eats", "V")], [("a", "D"), ("dog", "N"), ("sleeps", "V")]]
WORDS = ["また 行き たい", "また 見 たい", "行き たい", "海 を 見 たい", "海 が 見え た"]
NOTHING = 1e9  # a sigma that leaves no conjunction


def test_a_tagger_decides_by_the_scorer_it_is_given(tmp_path):
    tagger = Tagger().fit(SAID)
    tagger.save(tmp_path / "model")
    machine, model = load_tagger(tmp_path / "model")
    tagger.engine_ = TaggerEngine(machine, model, machine.compile("expanded", sigma=NOTHING))
    assert len(set(tagger.tag(["the", "dog", "eats"]))) == 1
    tagger.engine_ = TaggerEngine(machine, model, machine.compile("expanded", sigma=NOTHING, certified=True))
    assert tagger.tag(["the", "dog", "eats"]) == ["D", "N", "V"]


def test_a_segmenter_decides_by_the_scorer_it_is_given(tmp_path):
    segmenter = Segmenter().fit(WORDS)
    segmenter.save(tmp_path / "model")
    machine, model = load_segmenter(tmp_path / "model")
    given = machine.compile("expanded", sigma=NOTHING)
    segmenter.compiled_ = CompiledSegmenter.of(machine, model, given)
    assert segmenter.compiled_.scorer is given
    assert len(segmenter.segment("海を見たい")) in (1, 5)
    segmenter.engine = "direct"
    assert segmenter.segment("海を見たい") == ["海", "を", "見", "たい"]
