"""Every reader of files: how its inputs are made, and what reads them.

`read` takes the path of a file and gives what it holds, which uses.py then uses.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import gristmill as gm
from gristmill.apps.columns import read_columns
from gristmill.apps.parsing.treebank import read_conllu
from gristmill.apps.templates.reading import parse_templates
from gristmill.data.formats.delimited import parse_delimited
from gristmill.data.formats.propbank import read_propositions, read_sentences
from gristmill.data.formats.svmlight import parse_rows
from gristmill.data.formats.svmlight_tk import parse_examples
from gristmill.machines import store
from gristmill.solvers.online import checkpoint
from tests.fuzz import samples, signed
from tests.fuzz.damage import damaged, damaged_words

SOUND = 0.05  # of the inputs


class Reader(NamedTuple):
    """How a sound input is made from random numbers, what is done to it, and what reads it from a file."""

    sound: Callable[[Random], bytes]
    read: Callable[[Path], Any]
    damage: Callable[[Random, bytes], bytes] = damaged

    def make(self, rng: Random) -> bytes:
        """An input, nearly always damaged."""
        data = self.sound(rng)
        return data if rng.random() < SOUND else self.damage(rng, data)


def _saved(make):
    return lambda rng: store.to_bytes(make(rng))


def _table(path):
    """Every column as all that it can be."""
    table = parse_delimited(path.read_bytes())
    for at in range(len(table.names)):
        column = table.read(at)
        assert len(column.words().codes) == len(column.missing()) == table.n_rows
        for read in (column.numbers, column.dates):
            with contextlib.suppress(gm.FormatError):
                assert len(read()) == table.n_rows
    return table


def _trees(path):
    return gm.read_trees(path)[0]


def _trees_with_options(path):
    return gm.read_trees(path, marks=True, quoted=True, traces=False, functions=False)[0]


def _templates(path):
    return parse_templates(path.read_bytes().decode(errors="replace"), 2)


def _learner(path):
    return checkpoint.load(path)[0]


def _examples(path):
    return parse_examples(path.read_bytes(), absent="none")


def _zero_based(path):
    return parse_rows(path.read_bytes(), zero_based=True)


DATA = {
    "svmlight": Reader(samples.svmlight, gm.read_svmlight),
    "svmlight-zero-based": Reader(samples.svmlight, _zero_based),
    "svmlight-tk": Reader(samples.svmlight_tk, _examples),
    "klp": Reader(samples.klp, gm.read_klp),
    "trees": Reader(samples.trees, _trees),
    "trees-with-options": Reader(samples.trees, _trees_with_options),
    "sentences": Reader(samples.sentences, read_sentences),
    "propositions": Reader(samples.propositions, read_propositions),
    "columns": Reader(samples.columns, read_columns),
    "conllu": Reader(samples.conllu, read_conllu),
    "templates": Reader(samples.templates, _templates),
    "table": Reader(samples.table, _table),
}
TEXT_MODELS = {
    "libsvm": samples.of_format("libsvm"),
    "svmlight-model": samples.of_format("svmlight"),
    "svmlight-tk-model": samples.of_format("svmlight-tk"),
    "svmlight-golden": samples.golden("text-svmlight.model"),
    "tinysvm": samples.of_format("tinysvm"),
    "opal": samples.golden("text-opal.model", "text-opal-classes.model"),
    "opal-linear": samples.golden("text-opal-linear.model", "text-opal-linear-classes.model"),
    "yamcha-text": samples.golden("yamcha-rest.txtmodel"),
    "archive": samples.archive,
}
APPS = (
    *("tagger", "morphological-tagger", "segmenter", "tokenizer", "splitter", "lemmatizer"),
    *("parser", "pipeline", "roles", "tree-classifier"),
)
OWN = {
    "own-rows": _saved(samples.row_machine),
    "own-trees": _saved(samples.tree_machine),
    "own-examples": _saved(samples.mixed_machine),
    "own-collection": _saved(samples.collection),
    "own-tables": samples.golden("encoded-v2.safetensors", "conjunctions-v1.safetensors"),
    "own-golden": samples.golden("machines-v1.safetensors", "polynomial-v1.safetensors", "fields-v1.safetensors"),
    **{f"own-{name}": samples.golden(f"{name}-v1.safetensors") for name in APPS},
}
READERS = {
    **DATA,
    **{name: Reader(make, gm.load) for name, make in TEXT_MODELS.items()},
    "yamcha": Reader(samples.golden("yamcha-pairs.model", "yamcha-pke.model"), gm.load, damaged_words),
    "yamcha-older": Reader(samples.yamcha_older, gm.load, damaged_words),
    "own": Reader(_saved(samples.row_machine), gm.load),
    **{name: Reader(make, gm.load, signed.forged) for name, make in OWN.items()},
    "own-shared-trees": Reader(_saved(samples.tree_machine), gm.load, signed.with_shared_parts),
    "checkpoint": Reader(samples.golden("online-checkpoint-v1.safetensors"), _learner, signed.forged),
}
