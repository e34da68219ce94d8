"""What YamCha's compiled and text models share: from their parts to a machine.

YamCha's classifiers vote for their positive class at scores of 0 and more. Its pairs (i, j), i < j, are ours, and those
of machines with `zero_class` 1 vote alike; a classifier whose positive class is the later one changes its sign. A file
that mixes both ways cannot agree with YamCha on scores of exactly 0 in all pairs; the commoner way is then kept.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from gristmill import _core
from gristmill.base.arrays import Floats, Indices
from gristmill.base.errors import FormatError
from gristmill.data.rows import Rows
from gristmill.display.words import listed_labels
from gristmill.kernels import PolynomialKernel
from gristmill.machines.machine import Machine
from gristmill.machines.schemes import Scheme, pairs

OTHER = "___OTHER___"


@dataclass(frozen=True)
class Strings:
    """The strings of a file, which has bytes and no charset: UTF-8 where all of them are, else Latin-1."""

    encoding: str
    classes: list[str]
    features: list[str]
    parameters: dict[str, str]


@dataclass(frozen=True)
class Outputs:
    """How the classifiers of a file become the outputs of a machine."""

    scheme: Scheme
    classes: list[str]
    output: Indices  # of each classifier
    sign: Floats  # of each classifier
    zero_class: int


def machine_of(model: _core.YamchaModel, kernel: PolynomialKernel, support: Rows, coef: Any, name: str) -> Machine:
    """The machine of a parsed model; coef has a column per classifier."""
    strings = _strings(model)
    outputs = _outputs(model, strings.classes)
    order = np.argsort(outputs.output)
    thresholds = np.array([threshold for _, _, threshold in model.classifiers])
    matrix = (coef @ sp.diags_array(outputs.sign))[:, order]
    return Machine(
        kernel,
        support,
        matrix.toarray() if len(order) == 1 else sp.csr_matrix(matrix),
        (-thresholds * outputs.sign)[order],
        outputs.classes,
        outputs.scheme,
        feature_names=strings.features,
        zero_class=outputs.zero_class,
        provenance=_provenance(model, strings, name),
    )


def support_of(model: _core.YamchaModel) -> Rows:
    """Support vectors, or conjunctions."""
    return Rows(model.offsets, model.ids, n_features=len(model.features))


def weights_of(model: _core.YamchaModel) -> sp.csr_matrix:
    """Their weights, a column per classifier."""
    shape = (len(model.offsets) - 1, len(model.classifiers))
    return sp.csr_matrix((model.weights, (model.weight_rows, model.weight_classifiers)), shape=shape)


def kernel_of(degree: int, gamma: float, coef0: float) -> PolynomialKernel:
    """The kernel (gamma m + coef0)^degree."""
    try:
        return PolynomialKernel(degree, gamma, coef0)
    except ValueError as error:
        raise FormatError(str(error)) from error


# --- strings ----------------------------------------------------------------------------------------------------------


def _strings(model: _core.YamchaModel) -> Strings:
    everything = b"\n".join([*model.classes, *model.features, model.parameters])
    try:
        everything.decode()
        encoding = "utf-8"
    except UnicodeDecodeError:
        encoding = "latin-1"
    fields = model.parameters.decode(encoding).split("\0")
    return Strings(
        encoding,
        [name.decode(encoding) for name in model.classes],
        [name.decode(encoding) for name in model.features],
        {key: value for key, value in zip(fields[::2], fields[1::2], strict=False) if key},
    )


def _provenance(model: _core.YamchaModel, strings: Strings, name: str) -> dict[str, Any]:
    return {
        "format": name,
        "version": model.version.decode("latin-1"),
        "solver": model.solver.name,
        "one_vs_rest": model.one_vs_rest,
        "classes": strings.classes,  # in the order of the file
        "kernel": {"degree": model.degree, "g": model.g, "r": model.r, "s": model.s},
        "parameters": strings.parameters,  # template, direction and columns, by YamCha's names
        "encoding": strings.encoding,
    }


# --- classifiers ------------------------------------------------------------------------------------------------------


def _outputs(model: _core.YamchaModel, names: list[str]) -> Outputs:
    positive = np.array([positive for positive, _, _ in model.classifiers], dtype=np.intp)
    negative = np.array([negative for _, negative, _ in model.classifiers], dtype=np.intp)
    if len(set(names)) != len(names):
        raise FormatError(f"two classes have one name: {listed_labels(names)}")
    if model.one_vs_rest:
        return _one_vs_rest(positive, names)
    if len(names) == 2 and len(positive) == 1:
        classes = [names[negative[0]], names[positive[0]]]
        return Outputs(Scheme.BINARY, classes, np.zeros(1, dtype=np.intp), np.ones(1), zero_class=1)
    return _pairwise(positive, negative, names)


def _one_vs_rest(positive: Indices, names: list[str]) -> Outputs:
    classes = names[:-1]  # the last stands for all others
    if len(classes) < 2 or sorted(positive.tolist()) != list(range(len(classes))):
        raise FormatError(
            f"one-vs-rest, but {len(positive)} classifiers for {len(classes)} classes; wanted one for each of several"
        )
    return Outputs(Scheme.ONE_VS_REST, classes, positive, np.ones(len(positive)), zero_class=0)


def _pairwise(positive: Indices, negative: Indices, names: list[str]) -> Outputs:
    found = list(zip(np.minimum(positive, negative).tolist(), np.maximum(positive, negative).tolist(), strict=True))
    wanted = len(names) * (len(names) - 1) // 2
    if not names or len(found) != wanted or len(set(found)) != wanted or wanted == 0:
        raise FormatError(
            f"{len(set(found))} different pairs in {len(found)} classifiers for {len(names)} classes; "
            f"wanted one classifier for each of {wanted} pairs"
        )
    number = {pair: output for output, pair in enumerate(pairs(len(names)))}
    output = np.array([number[pair] for pair in found], dtype=np.intp)
    sign = np.where(positive < negative, 1.0, -1.0)
    return Outputs(Scheme.ONE_VS_ONE, names, output, sign, zero_class=int(2 * (sign > 0).sum() >= len(sign)))
