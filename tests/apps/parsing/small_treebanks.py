"""Treebanks of small made-up languages to learn parsing from."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gristmill.apps.parsing.tree import DependencyTree, Word

ALGORITHMS = ["arc-standard", "arc-eager", "swap", "head-final", "cascaded"]
OF_WORDS = ALGORITHMS[:3]
WAYS = [
    *(("online", "native"), ("online", "ovr"), ("online", "ovo")),
    *(("dual-cd", "ovr"), ("dual-cd", "ovo"), ("smo", "ovr"), ("smo", "ovo")),
]
EXACT = {"C": 1.0, "epochs": 30, "column_dropout": 0}  # with so little to learn from, all of it can be learned

MALT_MODEL = """<?xml version="1.0" encoding="UTF-8"?>
<featuremodels>
  <featuremodel name="nivreeager">
    <feature>InputColumn(POSTAG, Stack[0])</feature>
    <feature>InputColumn(FORM, Input[0])</feature>
    <feature>OutputColumn(DEPREL, ldep(Stack[0]))</feature>
  </featuremodel>
</featuremodels>
"""

WORDS = {
    "DET": ["the", "a", "every"],
    "ADJ": ["old", "fine", "übergroß"],
    "NOUN": ["mill", "stone", "grain", "wind", "石臼", "Müller"],
    "VERB": ["grinds", "turns", "eats"],
    "ADP": ["in", "with"],
    "ADV": ["slowly", "now"],
    "PUNCT": [".", ";"],
    "PART": ["ga", "wo", "ni"],
    "AUX": ["ta", "nai"],
}


def sentences(count=30, seed=0):
    """Sentences without crossing arcs."""
    rng = np.random.default_rng(seed)
    return [_clause(rng) for _ in range(count)]


def crossing(count=6, seed=0):
    """A mill turns with wind: 'with wind' belongs to the mill, across the verb."""
    rng = np.random.default_rng(seed)
    return [_scattered(rng) for _ in range(count)]


def head_final(count=30, seed=0):
    """Sentences of units, each of which depends on one behind it."""
    rng = np.random.default_rng(seed)
    return [_units(rng) for _ in range(count)]


def treebank_of(algorithm, count=30, seed=0):
    """What the algorithm can learn."""
    return sentences(count, seed) if algorithm in OF_WORDS else head_final(count, seed)


def plain(treebank):
    """Without trees."""
    return [[replace(word, head=None, deprel=None) for word in words] for words in treebank]


def text_of(treebank):
    """A file in CoNLL-U."""
    return "".join(DependencyTree(tuple(words)).conllu() for words in treebank)


def trees(treebank):
    """Heads and relations, to be compared."""
    return [[(word.head, word.deprel) for word in words] for words in treebank]


def line(number, form, head, deprel, upos="_"):
    """A line of CoNLL-U."""
    return f"{number}\t{form}\t_\t{upos}\t_\t_\t{head}\t{deprel}\t_\t_\n"


def _word(rng, upos, head, deprel):
    form = str(rng.choice(WORDS[upos]))
    feats = "Number=Sing|Case=Nom" if upos == "NOUN" else "_"
    return Word(form, form.lower(), upos, upos[:2], feats, head, deprel)


def _phrase(rng, at, head, deprel, case=False):
    """A noun with what stands before it; its first word has the number `at`."""
    before = (
        [("ADP", "case")] * case + [("DET", "det")] * (rng.random() < 0.7) + [("ADJ", "amod")] * (rng.random() < 0.3)
    )
    noun = at + len(before)
    return [*(_word(rng, upos, noun, relation) for upos, relation in before), _word(rng, "NOUN", head, deprel)]


def _clause(rng):
    subject = _phrase(rng, 1, 0, "nsubj")
    verb = len(subject) + 1
    words = [*subject[:-1], replace(subject[-1], head=verb), _word(rng, "VERB", 0, "root")]
    if rng.random() < 0.6:
        words += _phrase(rng, len(words) + 1, verb, "obj")
    if rng.random() < 0.4:
        words += _phrase(rng, len(words) + 1, verb, "obl", case=True)
    if rng.random() < 0.3:
        words.append(_word(rng, "ADV", verb, "advmod"))
    return (*words, _word(rng, "PUNCT", verb, "punct"))


def _scattered(rng):
    subject = _phrase(rng, 1, 0, "nsubj")
    noun, verb = len(subject), len(subject) + 1
    words = [*subject[:-1], replace(subject[-1], head=verb), _word(rng, "VERB", 0, "root")]
    words += _phrase(rng, len(words) + 1, noun, "nmod", case=True)
    return (*words, _word(rng, "PUNCT", verb, "punct"))


def _units(rng):
    """Nouns with their particles, the first may depend on the second; then the verb."""
    count = int(rng.integers(1, 4))
    verb = 2 * count + 1
    words = []
    for unit in range(count):
        noun, is_of_next = 2 * unit + 1, unit + 1 < count and rng.random() < 0.4
        head, relation = (noun + 2, "nmod") if is_of_next else (verb, "obl")
        particle = Word("no", "no", "PART", "PA", "_", noun, "case")
        words.append(_word(rng, "NOUN", head, relation))
        words.append(particle if is_of_next else _word(rng, "PART", noun, "case"))
    words.append(_word(rng, "VERB", 0, "root"))
    if rng.random() < 0.5:
        words.append(_word(rng, "AUX", verb, "aux"))
    return (*words, _word(rng, "PUNCT", verb, "punct"))
