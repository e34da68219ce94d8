"""YamCha's compiled models: PKI (support vectors under an inverted index) and PKE (weights of conjunctions).

PKI's kernel is (s m + r)^d. YamCha's compiler writes s before r and its reader takes them for r and s, so a model
trained with different ones is scored with them in each other's place. Same answers are the law here, so the program's
reading is kept, with a warning; `read(data, as_trained=True)` takes the other.

PKE holds no support vectors. Its conjunctions become the support rows (formats/conjunctions.py).
"""

from __future__ import annotations

import struct
import warnings

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from gristmill import _core
from gristmill.base.errors import FormatError
from gristmill.base.warnings import SwappedParametersWarning
from gristmill.kernels import PolynomialKernel
from gristmill.machines.formats.conjunctions import as_support
from gristmill.machines.formats.yamcha_layout import Layout, layout_of
from gristmill.machines.formats.yamcha_model import kernel_of, machine_of, support_of, weights_of
from gristmill.machines.machine import Machine

NAME = "yamcha"
TITLE = "YamCha model"

_FIELD = 32  # bytes of a name
_KERNEL = b"polynomial\0"


def sniff(head: bytes) -> bool:
    """A version number in 32 bytes, then the kernel's name, in the newer format behind two numbers."""
    version = head[:_FIELD].rstrip(b"\0")
    digits = version.replace(b".", b"", 1)
    at = _FIELD + 8 if version == b"0.4" else _FIELD
    return digits.isdigit() and len(version) < _FIELD and head[at:].startswith(_KERNEL)


# --- reading ----------------------------------------------------------------------------------------------------------


def read(data: bytes, *, as_trained: bool = False) -> Machine:
    """The machine in a compiled YamCha model.

    Parameters
    ----------
    data : bytes
    as_trained : bool
        The kernel of the training, which is the program's only where s = r (see above).
    """
    model = _core.parse_yamcha_model(data)
    try:
        return _read_pke(model) if model.solver == _core.YamchaSolver.pke else _read_pki(model, as_trained)
    except FormatError:
        raise
    except ValueError as error:
        raise FormatError(str(error)) from error


def _read_pki(model: _core.YamchaModel, as_trained: bool) -> Machine:
    gamma, coef0 = (model.r, model.s) if as_trained else (model.s, model.r)
    kernel = kernel_of(model.degree, gamma, coef0)
    machine = machine_of(model, kernel, support_of(model), weights_of(model), NAME)
    if model.r != model.s and not as_trained:
        warnings.warn(
            f"YamCha scores this model with the kernel ({model.s:g} m + {model.r:g})^{model.degree}, and so does "
            f"gristmill; it was trained with ({model.r:g} m + {model.s:g})^{model.degree}, unless it was not compiled "
            "by YamCha: gristmill.machines.formats.yamcha.read(data, as_trained=True) scores with that",
            SwappedParametersWarning,
            stacklevel=3,
        )
    return machine


def _read_pke(model: _core.YamchaModel) -> Machine:
    kernel = PolynomialKernel(model.degree, 1.0, 0.0)
    support, coef = as_support(support_of(model), weights_of(model), kernel)
    return machine_of(model, kernel, support, coef, NAME)


# --- writing ----------------------------------------------------------------------------------------------------------


def write(machine: Machine) -> bytes:
    """The machine as a compiled PKI model, with r and s where YamCha's reader looks for them.

    ValueError if YamCha has no such machine.
    """
    layout = layout_of(machine)
    units, table = _index(layout)
    owners, weights = _ended(layout.coef)
    if (len(table) + len(owners)) % 2:  # YamCha maps the weights into memory: they stand at multiples of 8
        owners, weights = np.append(owners, np.int32(-1)), np.append(weights, 0.0)
    parameters = b"".join(key + b"\0" + value + b"\0" for key, value in layout.parameters.items())
    parameters += bytes(8 + -len(parameters) % 8)
    sizes = (
        *(len(layout.classifiers), len(layout.classes), len(layout.features) + 1, _longest(layout)),
        *(len(units), layout.support.shape[0] + 1, len(table), len(owners), 0, 0, len(parameters)),
    )
    if max(sizes) >= 2**31:
        raise ValueError("the machine is too large for YamCha's numbers of 32 bits")
    kernel = machine.polynomial
    head = (b"0.4", 1, int(layout.one_vs_rest), b"polynomial", kernel.degree, 1.0, kernel.coef0, kernel.gamma)
    return b"".join(
        [
            struct.pack("<32sII32sIddd11I", *head, *sizes),
            parameters,
            *(struct.pack("32s", name) for name in layout.classes),
            *(struct.pack("<IId", *classifier) for classifier in layout.classifiers),
            units,
            *(table.tobytes(), owners.tobytes(), weights.tobytes()),
        ]
    )


def _index(layout: Layout) -> tuple[bytes, NDArray[np.int32]]:
    """The double array of the features, and the lists of support rows it points to."""
    table, _ = _ended(layout.support.tocsc())
    lengths = np.diff(layout.support.tocsc().indptr) + 1
    starts = np.cumsum(lengths) - lengths
    return _core.build_double_array(layout.features, starts.tolist()), table


def _ended(columns: sp.csc_matrix) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    """Rows and values column after column, -1 and 0.0 after each."""
    columns.sort_indices()
    rows, values = np.insert(columns.indices, columns.indptr[1:], -1), np.insert(columns.data, columns.indptr[1:], 0.0)
    return rows.astype("<i4"), values.astype("<f8")


def _longest(layout: Layout) -> int:
    return int(np.diff(layout.support.indptr).max(initial=0))
