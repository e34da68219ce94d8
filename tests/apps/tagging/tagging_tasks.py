"""Small tagging tasks: sentences, templates and machines over their features, and the slow way to tag."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st

import gristmill as gm
from gristmill import _core
from gristmill.apps.columns import columns_of
from gristmill.apps.templates import Templates
from gristmill.machines.schemes import Scheme
from gristmill.scoring.deciding import labeller
from tests.apps.templates.template_strategies import few_cells, sentences, templates
from tests.data.strategies import kernels
from tests.oracle import chunks
from tests.oracle import templates as oracle

SCHEMES = [("binary", 2), ("one-class", 2), ("ovo", 2), ("ovo", 3), ("ovr", 2), ("ovr", 4)]


@dataclass(frozen=True)
class Task:
    """Sentences to tag, and all that says how."""

    columns: int
    templates: Templates
    text: list
    machine: gm.Machine
    backward: bool = False

    @property
    def classes(self):
        return self.machine.classes.tolist()

    def rules(self, spelling):
        return _core.TagRules(self.classes, spelling, self.backward)

    def decoded(self, scorer, threads=1, rules=None):
        """Tags by the core, sentence after sentence."""
        window, names = self.templates.compile(self.classes), _core.Strings(list(self.machine.feature_names))
        columns = columns_of(self.text, self.columns)
        decoder = _core.Decoder(window, names, labeller(scorer), self.backward, rules)
        found = decoder.decode(columns, threads)
        assert decoder.decode(columns, threads).tolist() == found.tolist()  # whatever it remembers
        return [self.classes[number] for number in found.tolist()]

    def greedy(self, scorer, spelling=None):
        """Tags by the definition: token after token, those that are not tagged yet have no tag.

        With a spelling each token gets the best of the tags with which the sentence can still be spelled so.
        """
        return [tag for sentence in self.text for tag in self._greedy(sentence, scorer, spelling)]

    def _greedy(self, sentence, scorer, spelling):
        number = {name: at for at, name in enumerate(self.machine.feature_names)}
        tags = [None] * len(sentence)
        places = range(len(sentence))
        ways = None if spelling is None else chunks.well_spelled(self.classes, len(sentence), spelling)
        for place in reversed(places) if self.backward else places:
            found = oracle.features(self.templates, sentence, tags, self.backward)[place]
            row = {number[name] for name in found if name in number}
            if ways is None:
                tags[place] = str(scorer.predict([row])[0])
            else:
                tags[place] = self._best(scorer, row, {way[place] for way in ways})
                ways = [way for way in ways if way[place] == tags[place]]
        return tags

    def _best(self, scorer, row, possible):
        scores = scorer.decision_function([row]).reshape(1, -1)
        marks = np.array([name in possible for name in self.classes])
        return self.classes[self.machine.decision.among(scores, marks)[0]]


def all_features(own, text, classes, backward):
    """What may be met: features with any tag everywhere."""
    found = [oracle.features(own, sentence, [tag] * len(sentence), backward) for sentence in text for tag in classes]
    return sorted(set().union(*(row for rows in found for row in rows)))


@st.composite
def tasks(draw, unit=1, tags=("O", "B-NP", "ß", "")):
    """Weights are few small multiples of a unit: with 1, ties and zeros are exact; with 0.1, sums round."""
    columns = draw(st.integers(1, 2))
    own = draw(templates(columns, st.integers(-3, 2)))
    text, backward = draw(sentences(columns, few_cells, longest=5)), draw(st.booleans())
    scheme, n_classes = draw(st.sampled_from(SCHEMES))
    classes = list(tags[:n_classes])
    names = all_features(own, text, classes, backward)
    some = draw(st.lists(st.sampled_from([*names, "unheard of"]), unique=True, min_size=1, max_size=12))
    machine = draw(machines(some, scheme, classes, unit))
    return Task(columns, own, text, machine, backward)


@st.composite
def machines(draw, names, scheme, classes, unit):
    outputs = Scheme.parse(scheme).outputs(len(classes))
    support = draw(st.lists(st.frozensets(st.integers(0, len(names) - 1), max_size=5).map(sorted), max_size=6))
    table = np.zeros((len(support), len(names)))
    for at, row in enumerate(support):
        table[at, row] = 1
    weights = st.lists(st.integers(-2, 2).map(lambda n: n * unit), min_size=outputs, max_size=outputs)
    coef = draw(st.lists(weights, min_size=len(support), max_size=len(support)))
    return gm.Machine(
        draw(kernels(max_degree=3)) if unit != 1 else gm.PolynomialKernel(draw(st.integers(1, 3))),
        table,
        np.array(coef, dtype=float).reshape(len(support), outputs),
        np.array(draw(weights), dtype=float),
        classes,
        scheme,
        feature_names=names,
        zero_class=draw(st.integers(0, 1)),
    )
