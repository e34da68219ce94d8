"""YamCha's compiled models: PKI (support vectors under an inverted index) and PKE (weights of conjunctions).

PKI's kernel is (s m + r)^d. YamCha's compiler writes s before r and its reader takes them for r and s, so a model
trained with different ones is scored with them in each other's place. Same answers are the law here, so the program's
reading is kept, with a warning; `read(data, as_trained=True)` takes the other.

PKE holds no support vectors. Its conjunctions become the support rows (`as_support`).
"""

from __future__ import annotations

import struct
import warnings
from itertools import combinations

import numpy as np
import scipy.sparse as sp

from gristmill import _core
from gristmill.base.arrays import Floats, Indices, Int32s
from gristmill.base.errors import FormatError
from gristmill.base.warnings import SwappedParametersWarning
from gristmill.data.rows import Rows
from gristmill.kernels import PolynomialKernel
from gristmill.machines.formats.yamcha_layout import Layout, layout_of
from gristmill.machines.formats.yamcha_model import kernel_of, machine_of, support_of, weights_of
from gristmill.machines.machine import Machine

NAME = "yamcha"
TITLE = "YamCha model"
KERNELS = (PolynomialKernel,)

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


def _index(layout: Layout) -> tuple[bytes, Int32s]:
    """The double array of the features, and the lists of support rows it points to."""
    table, _ = _ended(layout.support.tocsc())
    lengths = np.diff(layout.support.tocsc().indptr) + 1
    starts = np.cumsum(lengths) - lengths
    return _core.build_double_array(layout.features, starts.tolist()), table


def _ended(columns: sp.csc_matrix) -> tuple[Int32s, Floats]:
    """Rows and values column after column, -1 and 0.0 after each."""
    columns.sort_indices()
    rows, values = np.insert(columns.indices, columns.indptr[1:], -1), np.insert(columns.data, columns.indptr[1:], 0.0)
    return rows.astype("<i4"), values.astype("<f8")


def _longest(layout: Layout) -> int:
    return int(np.diff(layout.support.indptr).max(initial=0))


def as_support(conjunctions: Rows, weights: sp.csr_matrix, kernel: PolynomialKernel) -> tuple[Rows, sp.csr_matrix]:
    """Support rows and coefficients whose machine under this kernel (coef0 = 0) sums the weights.

    Conjunctions have 1 to `kernel.degree` features each.
    """
    shares = kernel.subset_weights()
    solved: list[tuple[Int32s, sp.csr_matrix]] = []  # from the longest down
    for size in range(kernel.degree, 0, -1):
        own, of_size = _of_size(conjunctions, size)
        parts = [(longer[:, list(chosen)], -coef) for longer, coef in solved for chosen in _choices(longer, size)]
        solved.append(_added([(own, weights[of_size] / shares[size]), *parts]))
    solved.reverse()
    lengths = np.concatenate([np.full(len(table), table.shape[1], dtype=np.int64) for table, _ in solved])
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    ids = np.concatenate([table.ravel() for table, _ in solved]).astype(np.int32)
    support = Rows(offsets, ids, n_features=conjunctions.n_features)
    return support, sp.csr_matrix(sp.vstack([coef for _, coef in solved]))


def _of_size(rows: Rows, size: int) -> tuple[Int32s, Indices]:
    """The rows of this length as a table, and their numbers."""
    chosen = np.flatnonzero(rows.lengths == size)
    return rows.ids[rows.offsets[chosen][:, None] + np.arange(size)], chosen


def _choices(table: Int32s, size: int) -> list[tuple[int, ...]]:
    return list(combinations(range(table.shape[1]), size))


def _added(parts: list[tuple[Int32s, sp.csr_matrix]]) -> tuple[Int32s, sp.csr_matrix]:
    """Tables of rows with terms: the distinct rows, each with the sum of its terms."""
    rows = np.concatenate([table for table, _ in parts])
    distinct, place = np.unique(rows, axis=0, return_inverse=True)
    shape = (len(distinct), len(rows))
    gather = sp.csr_matrix((np.ones(len(rows)), (place.ravel(), np.arange(len(rows)))), shape=shape)
    return distinct, sp.csr_matrix(gather @ sp.vstack([terms for _, terms in parts]))
