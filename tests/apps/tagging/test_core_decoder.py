"""Tags that the core decodes are those of a slow greedy loop over the definition."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gristmill as gm
from gristmill import _core
from gristmill.apps.columns import columns_of
from gristmill.apps.templates import parse_templates
from gristmill.scoring.deciding import labeller
from tests.apps.tagging.tagging_tasks import Task, all_features, tasks

EXACT = [("direct", {}), ("inverted", {}), ("expanded", {}), ("split", {"rare": 2}), ("auto", {})]
LEFT_OUT = [{"sigma": 0.5}, {"sigma": 2.0, "xi": 2}, {"xi": 3}, {"sigma": 1e9}]
exact_engines = pytest.mark.parametrize(("engine", "options"), EXACT, ids=str)


@given(st.one_of(tasks(), tasks(unit=0.1)))
def test_tags_are_those_of_the_greedy_loop_with_any_engine(task):
    """Weights that are small whole numbers make ties and zeros; tenths make sums that round."""
    expected = task.greedy(task.machine.compile("direct"))
    for engine, options in EXACT:
        assert task.decoded(task.machine.compile(engine, **options)) == expected, engine


@given(tasks(unit=0.1), st.sampled_from(LEFT_OUT))
def test_tags_of_an_approximation_are_its_own(task, options):
    scorer = task.machine.compile("expanded", **options)
    assert task.decoded(scorer) == task.greedy(scorer)


@given(tasks(), st.sampled_from(LEFT_OUT))
def test_tags_of_a_certified_approximation_are_those_of_the_definition(task, options):
    scorer = task.machine.compile("expanded", certified=True, **options)
    assert task.decoded(scorer) == task.greedy(task.machine.compile("direct"))


# --- many sentences ---------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module", params=["F:-1..1:0 T:-2..-1", "F:-2..2:0 F:0:0:suffix:1", "U:%x[0,0]/%t[-1]\nB"])
def crowd(request):
    """More sentences than a thread takes at once, of all lengths, empty ones included."""
    rng = np.random.default_rng(4)
    words = [f"{stem}{end}" for stem in "abcde" for end in "xyz"]
    text = [[(words[i],) for i in rng.integers(0, len(words), rng.integers(0, 9))] for _ in range(700)]
    own, classes = parse_templates(request.param, 1), ["B", "I", "O"]
    names = all_features(own, text[:40], classes, False)
    table = (rng.random((60, len(names))) < 3 / len(names)).astype(float)
    kernel, coef = gm.PolynomialKernel(2), rng.integers(-2, 3, (60, 3))
    machine = gm.Machine(kernel, table, coef, np.zeros(3), classes, "ovr", feature_names=names)
    return Task(1, own, text, machine, request.param.startswith("U"))


@exact_engines
def test_tags_do_not_depend_on_the_engine_or_on_threads(crowd, engine, options):
    expected = crowd.decoded(crowd.machine.compile("direct"))
    scorer = crowd.machine.compile(engine, **options)
    for threads in (1, 2, 3, 64):
        assert crowd.decoded(scorer, threads) == expected


def test_tags_of_a_sentence_do_not_depend_on_the_others(crowd):
    scorer = crowd.machine.compile("auto")
    alone = [Task(1, crowd.templates, [s], crowd.machine, crowd.backward).decoded(scorer) for s in crowd.text[:60]]
    assert [tag for tags in alone for tag in tags] == crowd.decoded(scorer)[: sum(map(len, crowd.text[:60]))]


def test_tags_of_many_sentences_are_those_of_the_greedy_loop(crowd):
    some = Task(1, crowd.templates, crowd.text[:50], crowd.machine, crowd.backward)
    assert some.decoded(crowd.machine.compile("auto")) == some.greedy(crowd.machine.compile("direct"))


@pytest.mark.parametrize("short", ["F:-1..1:0 T:-1", "F:-1..1:0"])
def test_a_sentence_of_a_hundred_thousand_tokens(short):
    own, names = parse_templates(short, 1), ["F:+0:0:b", "F:-1:0:a", "T:-1:no"]
    machine = gm.Machine(
        gm.PolynomialKernel(2), [{0, 1}, {1, 2}, {0, 2}], [1.0, -2.0, 1.0], -3.0, ["no", "yes"], feature_names=names
    )
    text = [[("ab"[i * i % 7 % 2],) for i in range(100_000)]]
    found = Task(1, own, text, machine).decoded(machine.compile("auto"))
    begin = Task(1, own, [text[0][:50]], machine).greedy(machine.compile("direct"))
    assert found[:49] == begin[:49]
    assert found[100:50_000] == found[114:50_014]  # words come again after 7 tokens, a tag after 2 times that at most


# --- the edges --------------------------------------------------------------------------------------------------------


def decode(text, columns, classes=("no", "yes"), tags=("no", "yes"), progress=None, short="F:0:0 F:0:1 T:-1"):
    machine = gm.Machine(
        gm.PolynomialKernel(1), [{0}], np.ones((1, len(classes))), np.zeros(len(classes)), list(classes), "ovr"
    )
    window = parse_templates(short, 2).compile(list(tags))
    names = _core.Strings(["F:+0:0:a"])
    return (
        _core.Decoder(window, names, labeller(machine.compile("direct")))
        .decode(columns_of(text, columns), 1, progress)
        .tolist()
    )


@pytest.mark.parametrize("text", [[], [[]], [[], []]])
def test_nothing_has_no_tags_whatever_its_columns(text):
    assert decode(text, None) == []


def test_tokens_must_have_the_columns_of_the_templates():
    with pytest.raises(ValueError, match="too few columns"):
        decode([["a"]], 1)


def test_the_templates_must_know_all_classes():
    with pytest.raises(ValueError, match=r"classes|labels|tags"):
        decode([[("a", "b")]], 2, classes=("x", "y", "z"))


def test_progress_can_stop_it():
    def stop(done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        decode([[("a", "b")] * 20] * 3000, 2, progress=stop)
