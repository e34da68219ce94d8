"""Machine: what was learned, f(x) = sum_i a_i k(s_i, x) + b, as plain arrays."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gristmill import _core
from gristmill.base.arrays import Floats
from gristmill.base.lazy import late
from gristmill.base.progress import Progress
from gristmill.data.examples import Examples, ExampleSet, aligned, arrays_of
from gristmill.data.rows import Rows, as_rows
from gristmill.display.words import counted
from gristmill.kernels import ConjunctionKernel, FeatureKernel, Kernel, OverlapKernel, PolynomialKernel, as_kernel
from gristmill.kernels.base import validate_no_fields
from gristmill.machines.parts import (
    check_bit,
    check_classes,
    check_coef,
    check_first_id,
    check_intercept,
    check_probability,
    check_provenance,
    check_scheme,
    encoded_support,
    named_support,
    unnamed,
)
from gristmill.machines.probability import Probability
from gristmill.machines.probability import arrays_of as probability_arrays
from gristmill.machines.schemes import DecisionRule

if TYPE_CHECKING:
    from gristmill.base.files import PathLike
    from gristmill.data.rows import Binarize
    from gristmill.data.tables.encoding import Encoding
    from gristmill.scoring.scorer import Scorer


class Machine:
    """A kernel machine with one or several outputs over one shared support set.

    Immutable: `replace` makes another one that differs in some parts.

    Parameters
    ----------
    kernel : kernel, or the name of one
    support : sparse matrix, array, frame or `gristmill.ids([...])`; Forest or Examples for kernels on those
        The support rows; for a `ConjunctionKernel` the conjunctions. Values other than 0 and 1 are kept; such a machine
        is scored by the direct engine.
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
    probability : Sigmoid, Softmax, Laplace, Density or None
        How scores become probabilities, where the machine came with that.
    encoding : Encoding or None
        How tables become rows, of a machine that reads tables: what a fitted `TableEncoder` keeps as `encoding_`. The
        features are then the bins of its fields, and have their names.
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
        *("feature_names", "zero_class", "first_id", "probability", "provenance", "encoding"),
    )

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
        encoding: Encoding | None = None,
    ) -> None:
        self.kernel = as_kernel(kernel)
        self.support: ExampleSet = named_support(self.kernel.examples(support).copy(), feature_names)
        if encoding is not None:
            self.support = encoded_support(self.support, encoding)
        self.encoding = encoding
        self.intercept = check_intercept(intercept)
        self.coef = check_coef(coef, len(self.support), len(self.intercept))
        self.classes = check_classes(classes)
        self.scheme = check_scheme(scheme, len(self.intercept), self.classes)
        self.zero_class = check_bit("zero_class", zero_class)
        self.first_id = check_first_id(first_id, self.support)
        self.probability = check_probability(probability, len(self.intercept), self.scheme)
        self._provenance = check_provenance(provenance or {})
        self._freeze()

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
    def rows(self) -> Rows:
        """The support rows, of a machine on rows."""
        if not isinstance(self.support, Rows):
            raise ValueError(f"expected a machine on rows, got one whose support is {self.support.noun}s")
        return self.support

    @property
    def polynomial(self) -> PolynomialKernel:
        """The kernel, where it is a polynomial one."""
        if not isinstance(self.kernel, PolynomialKernel):
            raise ValueError(f"expected a machine with a polynomial kernel, got {self.kernel!r}")
        return self.kernel

    @property
    def set_kernel(self) -> OverlapKernel:
        """The kernel, where it depends on the overlap of rows and their lengths."""
        if not isinstance(self.kernel, OverlapKernel):
            raise ValueError(f"expected a machine with a kernel of sets of features, got {self.kernel!r}")
        return self.kernel

    @property
    def feature_kernel(self) -> FeatureKernel:
        """The kernel, where the features of rows can be explained one by one."""
        if not isinstance(self.kernel, FeatureKernel):
            raise ValueError(
                f"features are explained for machines whose kernel compares rows of features, got {self.kernel!r}"
            )
        return self.kernel

    @property
    def support_noun(self) -> str:
        """What a support example is: a support row or tree, or a conjunction."""
        return self.kernel.support_noun or f"support {self.support.noun}"

    @property
    def n_features(self) -> int:
        """The width of the rows; 0 for trees and examples of several fields."""
        return self.support.n_features if isinstance(self.support, Rows) else 0

    @property
    def feature_names(self) -> tuple[str, ...] | None:
        """Names of the columns of the rows, where they have any."""
        return self.support.feature_names if isinstance(self.support, Rows) else None

    @property
    def n_classes(self) -> int:
        return 0 if self.classes is None else len(self.classes)

    @property
    def is_polynomial(self) -> bool:
        """True for polynomial kernels on rows."""
        return isinstance(self.kernel, PolynomialKernel)

    @property
    def compares_sets(self) -> bool:
        """True for kernels of rows that depend on their overlap and lengths: polynomial, RBF, Tanimoto, ..."""
        return isinstance(self.kernel, OverlapKernel)

    @property
    def sees_lengths(self) -> bool:
        """Whether a feature that no support row has changes scores, since the row is longer by it."""
        return isinstance(self.kernel, OverlapKernel) and not self.kernel.by_overlap

    @property
    def explains_features(self) -> bool:
        """True where the features of rows can be explained one by one, and the engines for rows apply."""
        return isinstance(self.kernel, FeatureKernel)

    @property
    def is_binary_valued(self) -> bool:
        """True when the support is rows with no value but 1."""
        return isinstance(self.support, Rows) and self.support.is_binary

    @functools.cached_property
    def decision(self) -> DecisionRule:
        """How scores decide classes."""
        return DecisionRule(self.scheme, self.n_classes, self.zero_class)

    def answers(self, scores: Floats) -> NDArray[Any]:
        """The labels (or values, for regression) that scores of shape (examples, outputs) mean."""
        if self.classes is None or not self.scheme.has_labels:
            return scores[:, 0] if self.n_outputs == 1 else scores
        return self.classes[self.decision.classes(scores)]

    def examples(self, X: Any, *, binarize: Binarize = 0.0) -> Any:
        """X as the machine compares it: Rows, or a Forest or Examples for kernels on those.

        Columns that have names are put into the machine's order; names that differ from the machine's are refused. A
        machine with an `encoding` encodes tables: frames, dicts, arrays, lists of rows. Sparse matrices, ids and frames
        whose columns are its features are rows of one-hot columns.

        Parameters
        ----------
        X : sparse matrix, array, frame, `gristmill.ids([...])` or list of sets; tables; trees or Examples
        binarize : float, None or False
            As for `compile`. Fields of Examples are compared as they are.
        """
        if isinstance(self.support, Rows):
            validate_no_fields(X)
            if self.encoding is not None and self.encoding.reads(X):
                return self.encoding.rows(self.encoding.codes(X))
            return aligned(as_rows(X, binarize=self._binarize(binarize)), self.support)
        return aligned(self.kernel.examples(X), self.support)

    def _binarize(self, asked: Binarize) -> Binarize:
        """What becomes of values other than 0 and 1: real support values and theirs are computed with."""
        if not self.kernel.takes_values:
            return None if asked is False else asked
        return asked if self.is_binary_valued else False

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
            raise TypeError(f"a machine has no {', '.join(unknown)}; its parts are {', '.join(self._PARTS)}")
        parts = {name: getattr(self, name) for name in self._PARTS}
        if changes.get("encoding") is not None and "feature_names" not in changes:
            del parts["feature_names"]  # the encoding has its own
            parts["support"] = unnamed(self.support)
        if "feature_names" in changes:
            parts["support"] = unnamed(self.support)
        if "support" in changes:
            support = as_kernel(changes.get("kernel", self.kernel)).examples(changes["support"])
            changes["support"] = support
            if not isinstance(support, Rows) or support.feature_names is not None:
                parts.pop("feature_names")  # the new rows have their own
            if not isinstance(support, Rows):
                parts.pop("first_id")
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
        engine : str
            'direct' is the definition. For kernels of sets on rows: 'inverted' walks an inverted index of the support
            rows, 'bits' counts their shared features in columns of bits; for polynomial ones also 'expanded', which
            looks up the weights of conjunctions, and 'split', which does so for frequent features alone and compares
            support rows for rare ones; 'auto' takes what is expected to cost least. Machines with a
            `ConjunctionKernel` have the first two of these as well; 'inverted' looks at the conjunctions whose rarest
            feature a row has. For other kernels:
            'forest' folds the machine onto the different subtrees of its support trees, 'converted' is for trees that
            were converted together with the support trees (`ConvertedForest`); 'auto' is 'forest', or 'direct' where
            that takes more than `max_bytes`. All give the same labels, and the same scores up to rounding, unless
            `sigma` or `xi` ask for an approximation.
        max_bytes : int or None
            Memory the scorer may take; 'auto', 'expanded' and 'split' keep within it (4 GiB if None), a named engine
            that cannot raises ValueError.
        binarize : float, None or False
            What becomes of values of rows other than 0 and 1: a threshold (with a warning), None to refuse them, False
            to compute with them (direct engine only). A machine with real support values always computes with them.
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
            Called with (done, total) while conjunctions are mined, or trees are folded.
        cache : path or None
            A file for the compiled scorer: read in milliseconds if it was made from this machine with these options and
            is as it was written, else written once it is built.
        """
        scorer: Scorer = late("gristmill.scoring.compile:compile_machine")(
            self,
            engine=engine,
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
        return scorer

    def save(self, path: PathLike) -> None:
        """Write the machine to one safetensors file, whole or not at all."""
        from gristmill.machines.store import save

        save(self, path)

    def dense_coef(self) -> Floats:
        """The coefficients as a plain array, support rows x outputs."""
        dense = self.coef if isinstance(self.coef, np.ndarray) else self.coef.toarray()
        return np.asarray(dense, dtype=np.float64)

    def _freeze(self) -> None:
        fields = self.support.fields.values() if isinstance(self.support, Examples) else [self.support]
        rows = [array for field in fields if isinstance(field, Rows) for array in arrays_of(field).values()]
        for array in (*rows, *_output_arrays(self)):
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

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._freeze()

    @functools.cached_property
    def _native(self) -> Any:
        """The core's own copy, shared by all scorers of a machine whose features can be explained."""
        rows, coef = self.rows, self.coef
        dense = isinstance(coef, np.ndarray)
        outputs = (
            coef.ravel() if dense else coef.data,
            np.empty(0, dtype=np.int64) if dense else coef.indptr.astype(np.int64),
            np.empty(0, dtype=np.int32) if dense else coef.indices.astype(np.int32),
            self.intercept,
        )
        if isinstance(self.kernel, ConjunctionKernel):
            return _core.ConjunctionMachine(rows.offsets, rows.ids, *outputs)
        return _core.SetMachine(self.set_kernel._of_sets, rows.offsets, rows.ids, rows.values, *outputs)

    def __repr__(self) -> str:
        parts = [counted(self.n_support, self.support_noun)]
        if isinstance(self.support, Rows):
            parts.append(counted(self.n_features, "feature"))
        if self.encoding is not None:
            parts.append(f"tables of {counted(len(self.encoding.names), 'column')}")
        parts.append(counted(self.n_outputs, "output"))
        if self.classes is not None:
            parts.append(counted(self.n_classes, "class", "classes"))
        if isinstance(self.support, Rows) and not self.support.is_binary:
            parts.append("real values")
        return f"Machine({self.kernel}, {self.scheme}: {', '.join(parts)})"

    def _repr_html_(self) -> str:
        from gristmill.display.page import notebook
        from gristmill.display.tables import facts, listed

        found: list[tuple[str, Any]] = [("kernel", str(self.kernel)), ("scheme", str(self.scheme))]
        if self.classes is not None:
            found.append(("classes", listed(self.classes.tolist())))
        found += [("outputs", self.n_outputs), (f"{self.support_noun}s", self.n_support)]
        if isinstance(self.support, Rows):
            values = "0 and 1" if self.is_binary_valued else "real"
            found += [("features", self.n_features), ("values", values)]
        if self.encoding is not None:
            found.append(("columns of tables", listed(self.encoding.names)))
        return notebook(facts("Machine", found))

    def __eq__(self, other: object) -> bool:
        """Equal in everything that is saved."""
        if not isinstance(other, Machine):
            return NotImplemented
        return _facts(self) == _facts(other) and self.support == other.support and _same_outputs(self, other)

    __hash__ = None  # type: ignore[assignment]


def counted_from_zero(machine: Machine) -> Machine:
    """The same machine for data files that count from 0, of one that was read as counting from 1."""
    rows = machine.rows
    names = None if rows.feature_names is None else ("", *rows.feature_names)
    support = replace(rows, ids=rows.ids + 1, n_features=rows.n_features + 1, feature_names=names)
    return machine.replace(support=support, first_id=0)


def _facts(machine: Machine) -> tuple[Any, ...]:
    """What two equal machines have in common besides arrays."""
    return (
        machine.kernel,
        machine.scheme,
        None if machine.classes is None else machine.classes.dtype.kind,
        machine.zero_class,
        machine.first_id,
        None if machine.probability is None else machine.probability.kind,
        machine.provenance,
        machine.encoding,
    )


def _output_arrays(machine: Machine) -> list[NDArray[Any]]:
    coef = machine.coef
    parts = [coef] if isinstance(coef, np.ndarray) else [coef.data, coef.indices, coef.indptr]
    extra = [] if machine.probability is None else list(probability_arrays(machine.probability).values())
    classes = np.empty(0) if machine.classes is None else machine.classes
    return [machine.intercept, classes, *parts, *extra]


def _same_outputs(one: Machine, other: Machine) -> bool:
    left, right = _output_arrays(one), _output_arrays(other)
    return len(left) == len(right) and all(np.array_equal(a, b) for a, b in zip(left, right, strict=True))
