"""Small parsers that were never learned: sentences, templates, and machines over their features."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import strategies as st

import gristmill as gm
from gristmill import _core
from gristmill.apps.parsing.tree import COLUMNS
from gristmill.apps.templates import View
from gristmill.apps.templates.configurations import parse_address, parse_configurations
from gristmill.scoring.deciding import labeller
from tests.apps.parsing.core_parse_tasks import (
    MOVES,
    SYSTEMS,
    addresses,
    cells,
    columns_of,
    named_part,
    spelled_address,
    templates,
)
from tests.apps.tagging.tagging_tasks import machines
from tests.oracle import choosing as oracle
from tests.oracle.configurations import features
from tests.oracle.parsing import LINKS, Parser

SCHEMES = [("binary", 2), ("ovo", 2), ("ovo", 3), ("ovr", 2), ("ovr", 4), ("ovr", 5)]
RELATIONS = ["nsubj", "obj"]
UPOS = 2
OWN_MOVES = {  # with one that the system has not
    "arc_standard": ["shift", "left", "right", "swap"],
    "swap": ["shift", "left", "right", "swap"],
    "arc_eager": ["shift", "left", "right", "reduce"],
    "head_final": ["shift", "left", "right"],
    "cascade": ["shift", "left", "reduce"],
}


@dataclass(frozen=True)
class ParseTask:
    """Sentences to parse, and all that says how."""

    system: str
    text: str
    items: list
    sentences: list
    names: list
    parts: list  # (machine, actions of its classes)
    route: Any = None
    common: int = 0

    def oracle(self):
        return oracle.Chooser(self.items, RELATIONS, self.names, self.parts, self.route, self.common)

    def chooser(self, engine, options):
        parts = [
            _core.ClassifierPart(
                labeller(machine.compile(engine, **options)), [(MOVES[move], relation) for move, relation in actions]
            )
            for machine, actions in self.parts
        ]
        route: Any = None
        if self.route is not None:
            address, column, values, other = self.route
            split = _core.SplitBy(parse_address(spelled_address(address)).core, column)
            route = _core.ClassifierRoute(split, list(values), list(values.values()), other)
        return _core.ActionClassifier(parts, route, self.common)

    def lookout(self):
        return parse_configurations(self.text, COLUMNS).compile(RELATIONS)

    def decoder(self, engine, options=None, beam=1, temperature=1.0):
        lookout, names, chooser = self.lookout(), _core.Strings(self.names), self.chooser(engine, options or {})
        return _core.ParseDecoder(SYSTEMS[self.system], lookout, names, chooser, [], beam, temperature)

    def decoded(self, engine="direct", options=None, threads=1, beam=1, temperature=1.0):
        """(heads, relations) of each sentence by the core."""
        decoder, columns = self.decoder(engine, options, beam, temperature), columns_of(self.sentences)
        heads, relations = (found.tolist() for found in decoder.decode(columns, threads))
        again = [found.tolist() for found in decoder.decode(columns, threads)]
        assert again == [heads, relations]  # whatever it remembers
        found = []
        for words in self.sentences:
            found.append((heads[: len(words)], relations[: len(words)]))
            heads, relations = heads[len(words) :], relations[len(words) :]
        return found

    def greedy(self):
        """The same by the definition."""
        chooser = self.oracle()
        parsers = [oracle.greedy(self.system, chooser, sentence) for sentence in self.sentences]
        return [(parser.heads, parser.relations) for parser in parsers]


@st.composite
def met_features(draw, system, items, sentences):
    """Features of configurations on random walks."""
    found = set()
    for sentence in sentences:
        parser = Parser(system, len(sentence))
        while parser.legal:
            found |= features(items, sentence, RELATIONS, parser)
            parser.take(draw(st.sampled_from(sorted(parser.legal))), draw(st.integers(0, 1)))
    return sorted(found)


@st.composite
def machine_parts(draw, system, names, unit):
    scheme, n_classes = draw(st.sampled_from(SCHEMES))
    move = st.sampled_from(OWN_MOVES[system])
    actions = draw(st.lists(move.flatmap(_with_relation), min_size=n_classes, max_size=n_classes))
    return draw(machines(names, scheme, [f"c{at}" for at in range(n_classes)], unit)), actions


def _with_relation(move):
    return st.tuples(st.just(move), st.integers(0, 1) if move in LINKS else st.just(-1))


@st.composite
def parse_tasks(draw, system, unit=1, max_words=6, max_sentences=3):
    """Weights are few small multiples of a unit: with 1, ties and zeros are exact; with 0.1, sums round."""
    text, items = draw(templates(4))
    word = st.tuples(*[cells] * len(COLUMNS))
    sentences = draw(st.lists(st.lists(word, max_size=max_words), max_size=max_sentences))
    met = draw(met_features(system, items, sentences))
    names = draw(st.lists(st.sampled_from([*met, "unheard of"]), unique=True, min_size=1, max_size=12))
    parts = draw(st.lists(machine_parts(system, names, unit), min_size=1, max_size=3))
    route = None
    if len(parts) > 1 or draw(st.booleans()):
        part = st.integers(0, len(parts) - 1)
        values = draw(st.dictionaries(cells, part, max_size=4))
        route = (draw(addresses), UPOS, values, draw(part))
    return ParseTask(system, text, items, sentences, names, parts, route, draw(st.integers(0, 1)))


def crowd_task(system, rng, sentences=200):
    """More sentences than a thread takes at once, of all lengths, for two machines."""
    places = [("s", 0, ()), ("b", 0, ()), ("s", 1, ()), ("s", 0, ("ldep",))]
    items = [[named_part(what, place, View())] for place in places for what in (0, UPOS)]
    items += [[named_part("deprel", places[3], None)], [named_part("lefts", places[0], None)]]
    text = " ".join(name for [(name, _)] in items)
    words = [f"w{at}" for at in range(9)]
    lengths = rng.integers(0, 12, sentences).tolist()
    own = [[(rng.choice(words), "", f"T{rng.integers(3)}", "", "") for _ in range(length)] for length in lengths]
    values = {0: words, UPOS: ["T0", "T1", "T2"], "deprel": RELATIONS, "lefts": ["0", "1"]}
    names = [f"{name}={value}" for [(name, part)] in items for value in values[part[0]]]
    parts = [(_crowd_machine(len(names), rng), CROWD_ACTIONS) for _ in range(2)]
    return ParseTask(system, text, items, own, names, parts, (places[1], UPOS, {"T0": 0, "T1": 1}, 1))


CROWD_ACTIONS = [("shift", -1), ("left", 0), ("left", 1), ("right", 0), ("reduce", -1), ("swap", -1)]


def _crowd_machine(features, rng):
    """Decides by what it sees: without coef0 and intercepts no action is better than others by itself."""
    table = (rng.random((150, features)) < 4 / features).astype(float)
    outputs = len(CROWD_ACTIONS)
    coef, classes = rng.normal(size=(150, outputs)), [str(at) for at in range(outputs)]
    return gm.Machine(gm.PolynomialKernel(2, coef0=0.0), table, coef, np.zeros(outputs), classes, "ovr")
