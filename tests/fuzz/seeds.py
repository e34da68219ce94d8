"""Sound inputs for the fuzz targets of the core, which their corpus is made of.

A target has a byte of options before its text; see tests/core/fuzz/fuzz.hpp.
"""

from __future__ import annotations

import random

from tests.fuzz import samples

COUNT = 40
YAMCHA = samples.golden("yamcha-pairs.model", "yamcha-pke.model")
ANNOTATED = samples.golden("text-tinysvm.model", "text-opal.model", "text-opal-classes.model")


def _yamcha(rng):
    way = rng.randrange(3)
    if way == 0:
        return b"\1" + samples.golden("yamcha-rest.txtmodel")(rng)
    return b"\0" + (YAMCHA(rng) if way == 1 else samples.yamcha_older(rng))


def _double_array(rng):
    from gristmill import _core

    keys = sorted({rng.choice(samples.WORDS).encode()[: rng.randrange(1, 4)] for _ in range(rng.randrange(1, 5))})
    return _core.build_double_array(keys, [rng.randrange(100) for _ in keys])


def _flat_forest(rng):
    return b"S NP D x \n" + bytes(rng.choice([0, 0, 1, 2]) for _ in range(5)) + b"\n\0\1\2\0\3\1\1\2" + b"\2\3\0\1"


def _with_options(make):
    return lambda rng: bytes([rng.randrange(256)]) + make(rng)


TARGETS = {
    "svmlight": _with_options(samples.svmlight),
    "libsvm_model": samples.of_format("libsvm"),
    "annotated_model": lambda rng: b"\0" + rng.choice([samples.of_format("svmlight"), ANNOTATED])(rng),
    "yamcha_model": _yamcha,
    "double_array": _double_array,
    "bracketed": _with_options(samples.trees),
    "flat_forest": _flat_forest,
    "columns": _with_options(samples.columns),
    "delimited": _with_options(samples.table),
    "conllu": samples.conllu,
    "raw_text": _with_options(samples.text),
    "character_lines": _with_options(samples.text),
    "views": lambda rng: bytes([rng.randrange(256)]) + rng.choice(samples.WORDS).encode(),
}


def write(target, folder):
    """Some inputs of a target into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(COUNT):
        (folder / f"seed-{number}").write_bytes(TARGETS[target](random.Random(f"{target} {number}")))
