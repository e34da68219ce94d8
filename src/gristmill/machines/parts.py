"""The parts of a machine, checked: what users and files give becomes arrays that everything else trusts."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from gristmill.base.arrays import Floats
from gristmill.data.examples import ExampleSet
from gristmill.data.rows import Rows, check_structure
from gristmill.display.words import counted, listed_labels
from gristmill.machines.probability import Probability, Softmax, arrays_of
from gristmill.machines.schemes import Scheme

if TYPE_CHECKING:
    from gristmill.data.tables.encoding import Encoding


def check_intercept(intercept: ArrayLike) -> Floats:
    array = np.atleast_1d(np.array(intercept, dtype=np.float64))
    if array.ndim != 1:
        raise ValueError(f"intercept must be a number or one number per output, got shape {array.shape}")
    if not np.isfinite(array).all():
        raise ValueError("intercept must be finite")
    return array


def check_coef(coef: Any, n_support: int, n_outputs: int) -> Any:
    """Dense C-order float64, or canonical CSR when it was sparse."""
    wanted = (n_support, n_outputs)
    if sp.issparse(coef):
        matrix = sp.csr_matrix(coef, dtype=np.float64, copy=True)
        check_structure(matrix)
        matrix.sum_duplicates()
        numbers = matrix.data
    else:
        matrix = np.array(coef, dtype=np.float64, order="C")
        if matrix.ndim == 1 and n_outputs == 1:
            matrix = matrix[:, None]
        numbers = matrix
    if matrix.shape != wanted:
        raise ValueError(
            f"coef must have shape {wanted} (support rows x outputs, as many outputs as intercepts), got {matrix.shape}"
        )
    if not np.isfinite(numbers).all():
        raise ValueError("coef must be finite")
    return matrix


def check_classes(classes: Sequence[Any] | NDArray[Any] | None) -> NDArray[Any] | None:
    if classes is None:
        return None
    array = np.array(classes)
    if array.dtype.kind == "U" and array.ndim == 1 and not all(isinstance(label, str) for label in classes):
        raise ValueError(f"classes must be all strings or all numbers, got {listed_labels(classes)}")
    if array.dtype == object and all(isinstance(label, str) for label in array):
        array = array.astype(str)
    if array.ndim != 1 or len(array) == 0 or array.dtype.kind not in "biufU":
        raise ValueError(f"classes must be a list of numbers, strings or booleans, got {classes!r}")
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        raise ValueError(f"classes must be finite, got {listed_labels(array)}")
    if len(np.unique(array)) != len(array):
        raise ValueError(f"classes must differ from one another, got {listed_labels(array)}")
    return array


def check_scheme(name: str | None, n_outputs: int, classes: NDArray[Any] | None) -> Scheme:
    n_classes = None if classes is None else len(classes)
    if name is None:
        return Scheme.infer(n_outputs, n_classes)
    scheme = Scheme.parse(name)
    if scheme.has_labels and n_classes is None:
        raise ValueError(f"scheme {str(scheme)!r} needs classes")
    if n_classes is not None:
        if scheme in (Scheme.BINARY, Scheme.ONE_CLASS) and n_classes != 2:
            raise ValueError(f"scheme {str(scheme)!r} needs two classes, got {n_classes}")
        wanted = scheme.outputs(n_classes)
        if wanted is not None and wanted != n_outputs:
            raise ValueError(
                f"scheme {str(scheme)!r} with {n_classes} classes needs {counted(wanted, 'output')}, got {n_outputs}"
            )
    return scheme


class FeatureNames(tuple[str, ...]):
    """Names that a machine has checked: others that share them need not look again."""

    __slots__ = ()


def named_support(support: Any, names: Sequence[str] | None) -> Any:
    """The support with these names, or with its own, checked."""
    if not isinstance(support, Rows):
        if names is not None:
            raise ValueError(f"feature_names are for machines on rows; the support is {support.noun}s")
        return support
    names = support.feature_names if names is None else names
    return support if names is None else replace(support, feature_names=_check_names(names, support.n_features))


def unnamed(support: Any) -> Any:
    """The same support without names of features."""
    return replace(support, feature_names=None) if isinstance(support, Rows) else support


def encoded_support(support: Any, encoding: Encoding) -> Rows:
    """Rows with the bins of the encoding as features; ValueError where they have others."""
    width, names = int(encoding.starts[-1]), tuple(encoding.feature_names)
    if not isinstance(support, Rows):
        raise ValueError(f"an encoding of tables is for machines on rows; the support is {support.noun}s")
    if support.n_features != width:
        own = counted(support.n_features, "feature")
        raise ValueError(f"the encoding has {counted(width, 'bin')}, the support {own}")
    if support.feature_names not in (None, names):
        raise ValueError("a machine with an encoding has its names of features; leave feature_names out")
    return replace(support, feature_names=FeatureNames(names))


def _check_names(names: Sequence[str], n_features: int) -> FeatureNames:
    checked = isinstance(names, FeatureNames) or all(isinstance(name, str) for name in names)
    if len(names) < n_features or not checked:
        raise ValueError(f"feature_names must be strings, one for each of {n_features} features, got {len(names)}")
    return names if isinstance(names, FeatureNames) else FeatureNames(map(str, names))


def check_bit(name: str, value: int) -> int:
    if value not in (0, 1):
        raise ValueError(f"{name} must be 0 or 1, got {value!r}")
    return int(value)


def check_first_id(first_id: int | None, support: ExampleSet) -> int | None:
    if first_id is None:
        return None
    if not isinstance(support, Rows):
        raise ValueError(f"first_id is for machines on rows; the support is {support.noun}s")
    return check_bit("first_id", first_id)


def check_provenance(provenance: Mapping[str, Any]) -> dict[str, Any]:
    try:
        copied: dict[str, Any] = json.loads(json.dumps(dict(provenance), allow_nan=False, sort_keys=True))
    except (TypeError, ValueError) as error:
        raise ValueError(f"provenance must be something JSON can hold: {error}") from error
    return copied


def check_probability(probability: Probability | None, n_outputs: int, scheme: Scheme) -> Probability | None:
    if probability is None:
        return None
    if isinstance(probability, Softmax) and scheme not in (Scheme.BINARY, Scheme.ONE_VS_REST):
        raise ValueError(f"probability: softmax is for schemes 'binary' and 'one-vs-rest', got {str(scheme)!r}")
    for name, array in arrays_of(probability).items():
        if array.ndim != 1 or not np.isfinite(array).all():
            raise ValueError(f"probability: {name} must be a list of finite numbers")
        if name == "slope":
            if len(array) != 1 or array[0] <= 0:
                raise ValueError(f"probability: slope must be one number above 0, got {array.tolist()!r:.60}")
        elif probability.kind != "density" and len(array) != n_outputs:
            raise ValueError(f"probability: {name} needs one number per output ({n_outputs}), got {len(array)}")
        if probability.kind == "density" and (len(array) == 0 or (array[1:] < array[:-1]).any()):
            raise ValueError("probability: marks must ascend")
    return type(probability)(**{name: array.copy() for name, array in arrays_of(probability).items()})
