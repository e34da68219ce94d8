"""Machine: what was learned, f(x) = sum_i a_i k(s_i, x) + b, as plain arrays."""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from gristmill import _core
from gristmill.base.lazy import late
from gristmill.base.progress import Progress
from gristmill.data.rows import Rows, as_rows, check_structure
from gristmill.display.words import counted, listed_labels
from gristmill.kernels import Kernel, PolynomialKernel, as_kernel
from gristmill.machines.probability import Probability, arrays_of
from gristmill.machines.schemes import Scheme

if TYPE_CHECKING:
    from gristmill.base.files import PathLike
    from gristmill.data.rows import Binarize
    from gristmill.scoring.scorer import Scorer


class Machine:
    """A kernel machine with one or several outputs over one shared support set.

    Immutable: `replace` makes another one that differs in some parts.

    Parameters
    ----------
    kernel : kernel, or the name of one
    support : sparse matrix, array, frame or `gristmill.ids([...])`; Forest or Examples for kernels on those
        The support rows. Values other than 0 and 1 are kept; such a machine is scored by the direct engine.
    coef : array or sparse matrix of shape (support rows,) or (support rows, outputs)
        The signed coefficients a_i.
    intercept : float or array of shape (outputs,)
    classes : sequence or None
        Class labels (integers, floats, strings or booleans). None: the outputs are the answer (regression).
    scheme : str or None
        'binary', 'one-vs-one' ('ovo'), 'one-vs-rest' ('ovr'), 'regression' or 'one-class'; None infers it.
    feature_names : sequence of str or None
    zero_class : {0, 1}
        The class number that a binary score of exactly 0 means. A score above 0 always means classes[1]. For
        one-vs-one: 0 counts a score of exactly 0 as one below, 1 as one above.
    first_id : {0, 1} or None
        What data files call column 0: model files count features from 0 or from 1. None: nothing is known.
    probability : Sigmoid, Laplace, Density or None
        How scores become probabilities, where the machine came with that.
    provenance : mapping or None
        Where the machine came from: anything JSON can hold.

    Examples
    --------
    >>> import gristmill as gm
    >>> support = gm.ids([[0, 1], [2]])
    >>> machine = gm.Machine(gm.PolynomialKernel(2), support, [1.0, -0.5], -1.0, classes=["no", "yes"])
    >>> scorer = machine.compile()
    >>> scorer.decision_function(gm.ids([[0, 1], [2], []]))
    array([ 7.5, -2. , -0.5])
    >>> scorer.predict(gm.ids([[0, 1], [2], []]))
    array(['yes', 'no', 'no'], dtype='<U3')
    """

    _PARTS: ClassVar[tuple[str, ...]] = (
        *("kernel", "support", "coef", "intercept", "classes", "scheme"),
        *("feature_names", "zero_class", "first_id", "probability", "provenance"),
    )

    def __new__(cls, kernel: Any = None, *_: Any, **__: Any) -> Machine:
        """A machine of the kind that the kernel needs."""
        if cls is Machine and isinstance(kernel, Kernel | str) and not isinstance(kernel, PolynomialKernel):
            from gristmill.machines.structured import StructuredMachine

            return object.__new__(StructuredMachine)
        return object.__new__(cls)

    def __init__(
        self,
        kernel: Kernel | str,
        support: Any,
        coef: Any,
        intercept: ArrayLike,
        classes: Sequence[Any] | NDArray[Any] | None = None,
        scheme: str | None = None,
        *,
        feature_names: Sequence[str] | None = None,
        zero_class: int = 0,
        first_id: int | None = None,
        probability: Probability | None = None,
        provenance: Mapping[str, Any] | None = None,
    ) -> None:
        if not isinstance(kernel, PolynomialKernel):
            raise ValueError(f"kernel must be a gristmill kernel, got {kernel!r}")
        self.kernel: PolynomialKernel = kernel
        self.support: Rows = as_rows(support, binarize=False).copy()
        self._set_outputs(coef, intercept, classes, scheme, zero_class, probability, provenance)
        names = self.support.feature_names if feature_names is None else feature_names
        self.feature_names = _check_names(names, self.support.n_features)
        self.first_id = None if first_id is None else _check_bit("first_id", first_id)
        self._freeze()

    def _set_outputs(
        self,
        coef: Any,
        intercept: ArrayLike,
        classes: Sequence[Any] | NDArray[Any] | None,
        scheme: str | None,
        zero_class: int,
        probability: Probability | None,
        provenance: Mapping[str, Any] | None,
    ) -> None:
        self.intercept = _check_intercept(intercept)
        self.coef = _check_coef(coef, len(self.support), len(self.intercept))
        self.classes = _check_classes(classes)
        self.scheme = _check_scheme(scheme, len(self.intercept), self.classes)
        self.zero_class = _check_bit("zero_class", zero_class)
        self.probability = _check_probability(probability, len(self.intercept))
        self._provenance = _check_provenance(provenance or {})

    @property
    def provenance(self) -> MappingProxyType[str, Any]:
        """Where the machine came from, to be read only."""
        return MappingProxyType(self._provenance)

    @property
    def n_outputs(self) -> int:
        return len(self.intercept)

    @property
    def n_support(self) -> int:
        return len(self.support)

    @property
    def n_features(self) -> int:
        return self.support.n_features

    @property
    def n_classes(self) -> int:
        return 0 if self.classes is None else len(self.classes)

    @property
    def is_binary_valued(self) -> bool:
        """True when every support value is 1, so that all engines apply."""
        return self.support.is_binary

    def examples(self, X: Any, *, binarize: Binarize = 0.0) -> Any:
        """X as the machine compares it: Rows, or a Forest or Examples for kernels on those.

        Columns that have names are put into the machine's order; names that differ from the machine's are refused.

        Parameters
        ----------
        X : sparse matrix, array, frame, `gristmill.ids([...])` or list of sets; trees or Examples
        binarize : float, None or False
            As for `compile`.
        """
        rows = as_rows(X, binarize=binarize if self.is_binary_valued else False)
        return rows if self.feature_names is None else rows.aligned(self.feature_names)

    def replace(self, **changes: Any) -> Machine:
        """The same machine but for the parts given, by the names of the parameters of `Machine`.

        Examples
        --------
        >>> import gristmill as gm
        >>> machine = gm.Machine(gm.PolynomialKernel(2), gm.ids([[0, 1]]), [1.0], -1.0, classes=[-1, 1], zero_class=1)
        >>> renamed = machine.replace(classes=["no", "yes"])
        >>> renamed.classes, renamed.zero_class
        (array(['no', 'yes'], dtype='<U3'), 1)
        """
        unknown = [name for name in changes if name not in self._PARTS]
        if unknown:
            known = ", ".join(self._PARTS)
            raise TypeError(f"a machine of this kind has no {', '.join(unknown)}; its parts are {known}")
        parts = {name: getattr(self, name) for name in self._PARTS}
        kernel = as_kernel(changes.get("kernel", self.kernel))
        if "support" in changes:
            changes["support"] = kernel.examples(changes["support"])
            if getattr(changes["support"], "feature_names", None) is not None:
                parts.pop("feature_names", None)  # the new rows have their own
        if "feature_names" in parts and not isinstance(kernel, PolynomialKernel):
            parts |= {"support": replace(self.support, feature_names=parts.pop("feature_names"))}
            parts.pop("first_id")  # of data files, which such machines do not read
        return Machine(**(parts | changes))

    def compile(
        self,
        engine: str = "auto",
        *,
        max_bytes: int | None = None,
        binarize: Binarize = 0.0,
        sigma: float = 0.0,
        xi: int = 1,
        certified: bool = False,
        rare: float | None = None,
        sample: Any = None,
        progress: Progress | None = None,
        cache: PathLike | None = None,
    ) -> Scorer:
        """Build a scorer.

        Parameters
        ----------
        engine : {'auto', 'direct', 'inverted', 'expanded', 'split'}
            'direct' is the definition, 'inverted' walks an inverted index of the support rows, 'expanded' looks up the
            weights of conjunctions, 'split' does so for frequent features alone and compares support rows for rare
            ones. 'auto' takes what is expected to cost least. All give the same labels, and the same scores up to
            rounding, unless `sigma` or `xi` ask for an approximation.
        max_bytes : int or None
            Memory the scorer may take; 'auto', 'expanded' and 'split' keep within it (4 GiB if None), a named engine
            that cannot raises ValueError.
        binarize : float, None or False
            What becomes of data values other than 0 and 1: a threshold (with a warning), None to refuse them, False to
            compute with them (direct engine only). A machine with real support values always computes with them.
        sigma, xi : float, int
            'expanded' only: keep conjunctions of weight at least sigma times the share of positive support rows, or
            at most -sigma times that of negative ones, that occur in at least xi support rows (PKE). The scorer is
            then not exact; `error_bound` says by how much at most.
        certified : bool
            With sigma or xi: ask an exact engine wherever the approximation cannot settle the label.
        rare : int, float or None
            'split' only: features in fewer than so many support rows, or in less than that share of them, are rare.
            None: 0.5 %, or more of them, as many as it takes for the tables to stay well within `max_bytes`. A number
            that is given is kept: what does not fit raises ValueError.
        sample : rows like those to be scored, or None
            Lets 'auto', 'expanded' and 'split' fit themselves to the data instead of to the support rows.
        progress : callable or None
            Called with (features done, features in all) while conjunctions are mined.
        cache : path or None
            A file for the expanded tables: mapped into memory in milliseconds if it was made from this machine with
            these options, else written once they are built.
        """
        return late("gristmill.scoring.compile:compile_machine")(  # type: ignore[no-any-return]
            self,
            engine,
            max_bytes=max_bytes,
            binarize=binarize,
            sigma=sigma,
            xi=xi,
            certified=certified,
            rare=rare,
            sample=sample,
            progress=progress,
            cache=cache,
        )

    def save(self, path: PathLike) -> None:
        """Write the machine to one safetensors file, whole or not at all."""
        from gristmill.machines.store import save

        save(self, path)

    def dense_coef(self) -> NDArray[np.float64]:
        """The coefficients as a plain array, support rows x outputs."""
        dense = self.coef if isinstance(self.coef, np.ndarray) else self.coef.toarray()
        return np.asarray(dense, dtype=np.float64)

    def _support_arrays(self) -> list[NDArray[Any]]:
        return [self.support.offsets, self.support.ids, self.support.values]

    def _freeze(self) -> None:
        for array in _arrays(self):
            array.setflags(write=False)
        self.__dict__["_frozen"] = True

    def __setattr__(self, name: str, value: Any) -> None:
        if "_frozen" in self.__dict__:
            raise AttributeError(f"a Machine is immutable: use machine.replace({name}=...), which makes another one")
        object.__setattr__(self, name, value)

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"a Machine is immutable: {name!r} cannot be deleted")

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_native"}

    @functools.cached_property
    def _native(self) -> _core.PolynomialMachine:
        """The core's own copy, shared by all scorers."""
        rows, coef = self.support, self.coef
        dense = isinstance(coef, np.ndarray)
        return _core.PolynomialMachine(
            self.kernel._native,
            rows.offsets,
            rows.ids,
            rows.values,
            coef.ravel() if dense else coef.data,
            np.empty(0, dtype=np.int64) if dense else coef.indptr.astype(np.int64),
            np.empty(0, dtype=np.int32) if dense else coef.indices.astype(np.int32),
            self.intercept,
        )

    def __repr__(self) -> str:
        labels = "" if self.classes is None else f", {counted(self.n_classes, 'class', 'classes')}"
        values = "" if self.is_binary_valued else ", real values"
        return (
            f"Machine({self.kernel}, {self.scheme}: {counted(self.n_support, 'support row')}, "
            f"{counted(self.n_features, 'feature')}, {counted(self.n_outputs, 'output')}{labels}{values})"
        )

    def _repr_html_(self) -> str:
        from gristmill.display.page import notebook
        from gristmill.display.tables import facts, listed

        told: list[tuple[str, Any]] = [("kernel", str(self.kernel)), ("scheme", str(self.scheme))]
        if self.classes is not None:
            told.append(("classes", listed(self.classes.tolist())))
        return notebook(facts("Machine", [*told, ("outputs", self.n_outputs), *self._support_facts()]))

    def _support_facts(self) -> list[tuple[str, Any]]:
        values = "0 and 1" if self.is_binary_valued else "real"
        return [("support rows", self.n_support), ("features", self.n_features), ("values", values)]

    def __eq__(self, other: object) -> bool:
        """Equal in everything that is saved."""
        return isinstance(other, Machine) and _facts(self) == _facts(other) and _same_arrays(self, other)

    __hash__ = None  # type: ignore[assignment]


def counted_from_zero(machine: Machine) -> Machine:
    """The same machine for data files that count from 0, of one that was read as counting from 1."""
    rows = machine.support
    support = replace(rows, ids=rows.ids + 1, n_features=rows.n_features + 1, feature_names=None)
    names = None if machine.feature_names is None else ("", *machine.feature_names)
    return machine.replace(support=support, feature_names=names, first_id=0)


def _facts(machine: Machine) -> tuple[Any, ...]:
    """What two equal machines have in common besides arrays."""
    kind = None if machine.probability is None else machine.probability.kind
    return (
        machine.kernel,
        machine.scheme,
        None if machine.classes is None else machine.classes.dtype.kind,
        machine.n_features,
        machine.feature_names,
        machine.zero_class,
        machine.first_id,
        kind,
        machine.provenance,
    )


def _arrays(machine: Machine) -> list[NDArray[Any]]:
    coef = machine.coef
    parts = [coef] if isinstance(coef, np.ndarray) else [coef.data, coef.indices, coef.indptr]
    extra = [] if machine.probability is None else list(arrays_of(machine.probability).values())
    classes = np.empty(0) if machine.classes is None else machine.classes
    return [*machine._support_arrays(), machine.intercept, classes, *parts, *extra]


def _same_arrays(one: Machine, other: Machine) -> bool:
    left, right = _arrays(one), _arrays(other)
    return len(left) == len(right) and all(np.array_equal(a, b) for a, b in zip(left, right, strict=True))


# --- validation -------------------------------------------------------------------------------------------------------


def _check_intercept(intercept: ArrayLike) -> NDArray[np.float64]:
    array = np.atleast_1d(np.array(intercept, dtype=np.float64))
    if array.ndim != 1:
        raise ValueError(f"intercept must be a number or one number per output, got shape {array.shape}")
    if not np.isfinite(array).all():
        raise ValueError("intercept must be finite")
    return array


def _check_coef(coef: Any, n_support: int, n_outputs: int) -> Any:
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


def _check_classes(classes: Sequence[Any] | NDArray[Any] | None) -> NDArray[Any] | None:
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


def _check_scheme(name: str | None, n_outputs: int, classes: NDArray[Any] | None) -> Scheme:
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


def _check_names(names: Sequence[str] | None, n_features: int) -> FeatureNames | None:
    if names is None:
        return None
    checked = isinstance(names, FeatureNames) or all(isinstance(name, str) for name in names)
    if len(names) < n_features or not checked:
        raise ValueError(f"feature_names must be strings, one for each of {n_features} features, got {len(names)}")
    return names if isinstance(names, FeatureNames) else FeatureNames(map(str, names))


def _check_bit(name: str, value: int) -> int:
    if value not in (0, 1):
        raise ValueError(f"{name} must be 0 or 1, got {value!r}")
    return int(value)


def _check_provenance(provenance: Mapping[str, Any]) -> dict[str, Any]:
    try:
        copied: dict[str, Any] = json.loads(json.dumps(dict(provenance), allow_nan=False, sort_keys=True))
    except (TypeError, ValueError) as error:
        raise ValueError(f"provenance must be something JSON can hold: {error}") from error
    return copied


def _check_probability(probability: Probability | None, n_outputs: int) -> Probability | None:
    if probability is None:
        return None
    for name, array in arrays_of(probability).items():
        if array.ndim != 1 or not np.isfinite(array).all():
            raise ValueError(f"probability: {name} must be a list of finite numbers")
        if probability.kind != "density" and len(array) != n_outputs:
            raise ValueError(f"probability: {name} needs one number per output ({n_outputs}), got {len(array)}")
        if probability.kind == "density" and (len(array) == 0 or (np.diff(array) < 0).any()):
            raise ValueError("probability: marks must ascend")
    return type(probability)(**{name: array.copy() for name, array in arrays_of(probability).items()})
