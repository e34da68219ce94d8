"""From a machine to the parts of a YamCha model, compiled or text; ValueError where YamCha has no such machine."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from gristmill.display.words import listed_labels
from gristmill.machines.formats.yamcha_model import OTHER
from gristmill.machines.machine import Machine
from gristmill.machines.schemes import Scheme, pairs

LONGEST_CLASS = 31  # bytes; one more is the NUL that ends it
LONGEST_FEATURE = 511

_STATIC = re.compile(r"([FB]):([+-]\d+):(\d+):")  # F:row:column:text, B: a piece of the text
_TAG = re.compile(r"T:(-?\d+):")  # T:row:tag


@dataclass(frozen=True)
class Layout:
    """What a model file holds."""

    one_vs_rest: bool
    classes: list[bytes]
    classifiers: list[tuple[int, int, float]]  # positive class, negative class, threshold
    features: list[bytes]  # ascending
    support: sp.csr_matrix  # rows that have a coefficient x features
    coef: sp.csc_matrix  # those rows x classifiers
    parameters: dict[bytes, bytes]


def layout_of(machine: Machine, *, by_appearance: bool = False) -> Layout:
    """The parts of a model file.

    by_appearance: the file numbers its classes as they appear in the classifiers.
    """
    encoding = str(_known(machine).get("encoding", "utf-8"))
    sides, sign = _sides(machine, by_appearance)
    names, classes = _features(machine, encoding), _classes(machine, encoding)
    order = sorted(range(len(names)), key=names.__getitem__)
    if machine.scheme is Scheme.BINARY:  # YamCha lists classes as they appear, the positive one first
        classes, sides = [classes[side] for side in sides[0]], [(0, 1)]
    coef = sp.csr_matrix(machine.coef, copy=True)
    coef.eliminate_zeros()
    used = np.flatnonzero(np.diff(coef.indptr))  # a row without coefficients says nothing
    one_vs_rest = machine.scheme is Scheme.ONE_VS_REST
    return Layout(
        one_vs_rest,
        [*classes, OTHER.encode()] if one_vs_rest else classes,
        [(*side, -sign * b) for side, b in zip(sides, machine.intercept.tolist(), strict=True)],
        [names[column] for column in order],
        _support(machine, len(names))[used][:, order],
        sp.csc_matrix(coef[used] * sign),
        {key.encode(encoding): value.encode(encoding) for key, value in sorted(_parameters(machine).items())},
    )


def _known(machine: Machine) -> dict[str, Any]:
    """The provenance, if it is YamCha's."""
    return dict(machine.provenance) if str(machine.provenance.get("format")).startswith("yamcha") else {}


def _support(machine: Machine, width: int) -> sp.csr_matrix:
    if not machine.is_binary_valued:
        raise ValueError("YamCha's features are 0 or 1; this machine has other support values")
    support = machine.rows.to_csr()
    support.resize(machine.n_support, width)
    return support


def _features(machine: Machine, encoding: str) -> list[bytes]:
    if machine.feature_names is None:
        raise ValueError("YamCha looks features up by name; this machine has no feature_names")
    names = [_word(name, encoding, "feature", LONGEST_FEATURE) for name in machine.feature_names]
    if len(set(names)) != len(names):
        raise ValueError("YamCha looks features up by name; this machine has a name twice")
    return names


def _classes(machine: Machine, encoding: str) -> list[bytes]:
    labels = np.asarray(machine.classes)
    if labels.dtype.kind not in "iuU":
        raise ValueError(f"YamCha's classes are words; this machine has {listed_labels(labels)}")
    if OTHER in labels.astype(str):
        raise ValueError(f"YamCha uses the class {OTHER} for itself")
    return [_word(str(label), encoding, "class", LONGEST_CLASS) for label in labels.tolist()]


def _word(text: str, encoding: str, what: str, longest: int) -> bytes:
    word = text.encode(encoding)
    if not 1 <= len(word) <= longest or re.search(rb"[\0 \t\r\n]", word):
        raise ValueError(f"a {what} of YamCha is a word of 1 to {longest} bytes without blanks, not {text!r}")
    return word


# --- classifiers ------------------------------------------------------------------------------------------------------


def _sides(machine: Machine, by_appearance: bool) -> tuple[list[tuple[int, int]], float]:
    """The positive and the negative class of each output, and the sign of its scores.

    YamCha answers the positive class at exactly 0: where ours is the other one, the two change places. Not so for pairs
    that number the classes: their order breaks ties of votes, which are far commoner than scores of 0.
    """
    match machine.scheme:
        case Scheme.ONE_VS_REST:
            return [(one, machine.n_classes) for one in range(machine.n_classes)], 1.0
        case Scheme.ONE_VS_ONE:
            sides = pairs(machine.n_classes)
            if by_appearance:
                return sides, 1.0
        case Scheme.BINARY:
            sides = [(1, 0)]
        case _:
            raise ValueError(f"YamCha models classify; this machine is {machine.scheme}")
    return (sides, 1.0) if machine.zero_class == 1 else ([(j, i) for i, j in sides], -1.0)


# --- parameters -------------------------------------------------------------------------------------------------------


def _parameters(machine: Machine) -> dict[str, str]:
    """Those the machine came with, else what its feature names tell."""
    given = _known(machine).get("parameters")
    parameters = dict(given) if isinstance(given, dict) and given else _derived(machine)
    for key, value in parameters.items():
        if not isinstance(value, str) or not re.fullmatch(r"[^\0\r\n:#\s]+", key) or re.search(r"[\0\r\n]", value):
            raise ValueError(f"parameters of YamCha are lines of text 'key: value', not {key!r}: {value!r}")
    return parameters


def _derived(machine: Machine) -> dict[str, str]:
    places: dict[str, set[tuple[int, int]]] = {"F": set(), "B": set()}
    tags: set[int] = set()
    for name in machine.feature_names or ():
        if found := _STATIC.match(name):
            places[found[1]].add((int(found[2]), int(found[3])))
        elif found := _TAG.match(name):
            tags.add(int(found[1]))
        else:
            raise ValueError(
                f"YamCha never makes the feature {name!r}: its features are F:row:column:text, B:row:column:text and "
                "T:row:tag, rows with their sign"
            )
    columns = [column for kind in places.values() for _, column in kind]
    tagger = _tagger(machine)
    lists = {kind: " ".join(f"{row}:{column}" for row, column in sorted(found)) for kind, found in places.items()}
    template = [f"{kind}:{place}" for kind, found in lists.items() for place in found.split()]
    return {
        "package": "yamcha",
        "parsing_direction": str(tagger.get("direction", "forward")),
        "feature_parameter": " ".join([*template, *(f"T:{row}" for row in sorted(tags))]),
        "column_size": str(max(columns, default=0) + 1),
        "tag_features": " ".join(map(str, sorted(tags))),
        "features": lists["F"],
        "bow_features": lists["B"],
        "class_list": " ".join(sorted(map(str, np.asarray(machine.classes).tolist()))),
    }


def _tagger(machine: Machine) -> dict[str, Any]:
    """What a tagger says of its machine; names of features do not tell F:0:0:lower from a word that begins so."""
    known = machine.provenance.get("tagger")
    tagger = dict(known) if isinstance(known, Mapping) else {}
    if seen := [word for word in str(tagger.get("templates", "")).split() if word.count(":") > 2]:
        raise ValueError(f"YamCha sees whole cells, not the views of {' '.join(seen)}: use templates without them")
    return tagger
