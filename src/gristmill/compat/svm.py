"""LIBSVM's view of a machine: its order of labels, its signs, its numbers for kinds of machines.

A binary LIBSVM score above 0 means the first label, which is `classes[1]` here; and LIBSVM answers its second label at
exactly 0, so a machine that answers `classes[1]` there (`zero_class`) has its scores negated, as in a model file.
"""

from __future__ import annotations

import functools
import itertools
from enum import IntEnum
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from gristmill.base.arrays import Floats
from gristmill.base.progress import Progress
from gristmill.data.rows import Rows, as_rows
from gristmill.display.words import listed_labels
from gristmill.machines.machine import Machine
from gristmill.machines.probability import Density, Laplace, Sigmoid
from gristmill.machines.schemes import Scheme, compact_coef
from gristmill.scoring.deciding import trusted_scores
from gristmill.scoring.scorer import Scorer

_CLOSE = 1e-6  # two probabilities nearer than this may change places by rounding


class svm_forms(IntEnum):  # noqa: N801 - LIBSVM's name
    """LIBSVM's numbers for kinds of machines."""

    C_SVC = 0
    NU_SVC = 1
    ONE_CLASS = 2
    EPSILON_SVR = 3
    NU_SVR = 4


_BY_NAME = {form.name.lower(): form for form in svm_forms}
_BY_SCHEME = {Scheme.REGRESSION: svm_forms.EPSILON_SVR, Scheme.ONE_CLASS: svm_forms.ONE_CLASS}
_NEEDED = {svm_forms.ONE_CLASS: Density, svm_forms.EPSILON_SVR: Laplace, svm_forms.NU_SVR: Laplace}


class svm_model:  # noqa: N801 - LIBSVM's name
    """A machine as LIBSVM's Python module shows it.

    Parameters
    ----------
    machine : Machine
        Of any format and scheme, as long as its classes are numbers and regression has one output.
    engine : str
        What scores binary data; see `Machine.compile`. Other data are scored directly, with their values.
    """

    def __init__(self, machine: Machine, engine: str = "auto") -> None:
        _check(machine)
        self.machine = machine
        self.engine = engine

    def __repr__(self) -> str:
        return f"svm_model({self.machine!r})"

    # --- what LIBSVM's own has ----------------------------------------------------------------------------------------

    def get_svm_type(self) -> int:
        return int(self._form)

    def get_nr_class(self) -> int:
        """The number of classes; 2 for regression and one-class."""
        return self.machine.n_classes or 2

    def get_labels(self) -> list[Any]:
        """Class labels in LIBSVM's order; zeros for regression and one-class."""
        return self._labels if self.is_classifier else [0, 0]

    def is_probability_model(self) -> bool:
        return isinstance(self.machine.probability, _NEEDED.get(self._form, Sigmoid))

    def get_svr_probability(self) -> float:
        """The scale of the noise of a regression; 0 where it is not known."""
        noise = self.machine.probability
        return float(noise.scale[0]) if isinstance(noise, Laplace) else 0.0

    def get_nr_sv(self) -> int:
        return len(self._layout[0])

    def get_sv_coef(self) -> list[tuple[float, ...]]:
        """For each support vector its coefficients against the other classes."""
        return [tuple(row) for row in self._layout[1].tolist()]

    def get_SV(self) -> list[dict[int, float]]:  # noqa: N802 - LIBSVM's name
        """Support vectors as dictionaries of feature ids and values, ids counted as in data files."""
        support = self.machine.rows
        return as_dictionaries(support.take(self._layout[0]), self.first_id)

    def get_sv_indices(self) -> list[int]:
        """Zeros: a model file does not say which examples became support vectors."""
        return [0] * self.get_nr_sv()

    @property
    def nr_class(self) -> int:
        return self.get_nr_class()

    @property
    def l(self) -> int:  # noqa: E743 - LIBSVM's name
        return self.get_nr_sv()

    @property
    def rho(self) -> list[float]:
        """Intercepts, as LIBSVM subtracts them."""
        return [float(-self._sign * number) for number in self.machine.intercept]

    # --- scoring ------------------------------------------------------------------------------------------------------

    @property
    def first_id(self) -> int:
        """What data files call column 0."""
        return 1 if self.machine.first_id is None else self.machine.first_id

    @property
    def is_regression(self) -> bool:
        return self._form in (svm_forms.EPSILON_SVR, svm_forms.NU_SVR)

    @property
    def is_classifier(self) -> bool:
        return self._form in (svm_forms.C_SVC, svm_forms.NU_SVC)

    @functools.cached_property
    def scorer(self) -> Scorer:
        """For binary data."""
        return self.machine.compile(self.engine if self.machine.is_binary_valued else "direct")

    @functools.cached_property
    def _real_scorer(self) -> Scorer:
        return self.machine.compile("direct", binarize=False)

    def scorer_for(self, rows: Rows) -> Scorer:
        """The fast one where values are 0 and 1, else one that computes with them as LIBSVM does."""
        return self.scorer if rows.is_binary else self._real_scorer

    def answers(
        self, rows: Rows, n_jobs: int | None = None, *, progress: Progress | None = None
    ) -> tuple[Floats, Floats]:
        """Labels (or values), and decision values in LIBSVM's order and signs."""
        rows = as_rows(rows, binarize=False)
        scorer = self.scorer_for(rows)
        scores = trusted_scores(scorer, rows, n_jobs, progress=progress)
        return scorer.machine.answers(scores).astype(np.float64), self._sign * scores

    def probabilities(self, rows: Rows, n_jobs: int | None = None) -> tuple[Floats, Floats]:
        """Labels (or values), and probabilities in the order of the labels; no columns for regression.

        A classifier's label is the likeliest class, which need not be the one that wins by votes.
        """
        rows = as_rows(rows, binarize=False)
        if self.is_regression:
            return self.answers(rows, n_jobs)[0], np.empty((len(rows), 0))
        columns = [np.asarray(self.machine.classes).tolist().index(label) for label in self._labels]
        shares = self._shares(rows, n_jobs)[:, columns]
        if not self.is_classifier:
            return self.answers(rows, n_jobs)[0], shares
        return np.array(self._labels, dtype=np.float64)[shares.argmax(axis=1)], shares

    def _shares(self, rows: Rows, n_jobs: int | None) -> Floats:
        """Probabilities; where the two highest are close, by the definition, so that the label is the definition's."""
        shares = self.scorer_for(rows).predict_proba(rows, n_jobs)
        if shares.shape[1] > 1 and rows.is_binary and self.scorer.engine != "direct":
            highest = np.sort(shares, axis=1)
            close = np.flatnonzero(highest[:, -1] - highest[:, -2] < _CLOSE)
            if len(close):
                shares[close] = self.machine.compile("direct").predict_proba(rows.take(close), n_jobs)
        return shares

    # --- LIBSVM's layout ----------------------------------------------------------------------------------------------

    @property
    def _form(self) -> svm_forms:
        named = _BY_NAME.get(str(self.machine.provenance.get("svm_type")))
        return _BY_SCHEME.get(self.machine.scheme, svm_forms.C_SVC) if named is None else named

    @property
    def _sign(self) -> int:
        return -1 if self.machine.scheme is Scheme.BINARY and self.machine.zero_class == 1 else 1

    @property
    def _labels(self) -> list[Any]:
        labels = [_plain(label) for label in np.asarray(self.machine.classes).tolist()]
        two_sided = self.machine.scheme in (Scheme.BINARY, Scheme.ONE_CLASS)
        return labels[:: -self._sign] if two_sided else labels

    @functools.cached_property
    def _layout(self) -> tuple[NDArray[np.intp], Floats]:
        """The order of the support vectors and their coefficients."""
        machine = self.machine
        if machine.scheme is Scheme.ONE_VS_REST:
            raise ValueError("LIBSVM has no layout for the coefficients of a one-vs-rest machine; see .machine.coef")
        if machine.scheme is Scheme.ONE_VS_ONE:
            return compact_coef(sp.csr_matrix(machine.coef), machine.n_classes)[:2]
        coef = machine.coef if isinstance(machine.coef, np.ndarray) else machine.coef.toarray()
        return np.arange(machine.n_support), self._sign * coef


def _check(machine: Machine) -> None:
    if machine.classes is not None and machine.classes.dtype.kind == "U":
        raise ValueError(f"LIBSVM's labels are numbers; this machine has the classes {listed_labels(machine.classes)}")
    if machine.scheme is Scheme.REGRESSION and machine.n_outputs != 1:
        raise ValueError(f"LIBSVM knows one regression output, this machine has {machine.n_outputs}")


def _plain(label: Any) -> Any:
    """Whole numbers as int, as LIBSVM has them."""
    return int(label) if label == int(label) else label


def as_dictionaries(rows: Rows, first_id: int) -> list[dict[int, float]]:
    """Each row as {feature id: value}."""
    ids = (rows.ids.astype(np.int64) + first_id).tolist()
    values = [1.0] * len(ids) if rows.is_binary else rows.values.tolist()
    ends = rows.offsets.tolist()
    return [dict(zip(ids[a:b], values[a:b], strict=True)) for a, b in itertools.pairwise(ends)]
