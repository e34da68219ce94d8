"""YamCha's text models (*.txtmodel), which its mkmodel compiles.

They say plainly what s and r are, and that is what they are read as. mkmodel loses it where they differ (see
formats/yamcha.py), so YamCha scores the compiled model differently then.
"""

from __future__ import annotations

import re

import numpy as np

from gristmill import _core
from gristmill.base.errors import FormatError
from gristmill.kernels import PolynomialKernel
from gristmill.machines.formats.annotated import kernel_lines
from gristmill.machines.formats.yamcha_layout import Layout, layout_of
from gristmill.machines.formats.yamcha_model import kernel_of, machine_of, support_of, weights_of
from gristmill.machines.machine import Machine

NAME = "yamcha-text"
TITLE = "YamCha text model"
KERNELS = (PolynomialKernel,)

_OWN_KEYS = re.compile(rb"(?:Parsing_Direction|Feature_Parameter|Tag_Features)[ \t]*:", re.IGNORECASE)
_KEY = re.compile(rb"[ \t]*#|[^:\n\0]+:")


def sniff(head: bytes) -> bool:
    """Lines 'Key: value' up to an empty one, among them one that only YamCha has."""
    lines = re.split(rb"\r?\n", head.split(b"\n\n", 1)[0].split(b"\r\n\r\n", 1)[0])
    return bool(_KEY.match(lines[0])) and any(_OWN_KEYS.match(line) for line in lines)


def read(data: bytes) -> Machine:
    """The machine in a YamCha text model."""
    model = _core.parse_yamcha_text(data)
    kernel = kernel_of(model.degree, model.s, model.r)
    try:
        return machine_of(model, kernel, support_of(model), weights_of(model), NAME)
    except FormatError:
        raise
    except ValueError as error:
        raise FormatError(str(error)) from error


def write(machine: Machine) -> bytes:
    """The machine as a YamCha text model; ValueError if YamCha has no such machine."""
    layout = layout_of(machine, by_appearance=True)
    header = [key.title() + b": " + value for key, value in layout.parameters.items()]
    if not any(_OWN_KEYS.match(line) for line in header):
        header.append(b"Parsing_Direction: forward")  # YamCha's default; by one of its own keys the file is recognised
    dictionary = [b"%d %s" % (number, name) for number, name in enumerate(layout.features, 1)]
    models = [_model(layout, machine.polynomial, number) for number in range(len(layout.classifiers))]
    return b"\n".join([*header, b"", *dictionary, b"", *models, b""])


def _model(layout: Layout, kernel: PolynomialKernel, number: int) -> bytes:
    positive, negative, threshold = layout.classifiers[number]
    column = layout.coef[:, [number]]
    rows = layout.support[column.indices]
    rows.sort_indices()
    lines = [
        "TinySVM Version 0.09",
        *kernel_lines(kernel),
        "empty # kernel parameter -u",
        f"{len(column.data) + 1} 0 {len(column.data)} 0 # number of SVs/BSVs/number of training data/L1 loss",
        f"{threshold!r} # threshold b",
    ]
    classes = b"MULTI_CLASS %s %s\n" % (layout.classes[positive], layout.classes[negative])
    offsets, ids = rows.indptr.astype(np.int64), rows.indices.astype(np.int32)
    vectors = _core.format_coef_rows(column.data, offsets, ids, np.empty(0), True)
    return classes + "".join(f"{line}\n" for line in lines).encode() + vectors
