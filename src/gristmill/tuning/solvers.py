"""The one place that says which solver serves which search."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any

from gristmill.kernels import Kernel, PolynomialKernel
from gristmill.solvers.batch.rows import TrainingRows
from gristmill.solvers.batch.settings import PRECOMPUTED, SvmSettings
from gristmill.solvers.batch.solving import choose_solver
from gristmill.tuning.cases import Cases

SEARCHES = ("auto", "cutting-plane", "slicing", "subset", "exact")

_SHARE = 4  # of max_bytes that a whole Gram matrix may take, as for KernelSVC
_FEW = 1000  # examples: all settings are tried on all of them in no time


@dataclass(frozen=True)
class Solving:
    """What all settings have in common; the names are those of KernelSVC."""

    tol: float = 1e-3
    fit_intercept: bool = True
    multiclass: str = "ovo"
    max_bytes: int | None = None
    seed: int = 0

    def settings(self, kernel: Kernel, cost: float = 1.0) -> SvmSettings:
        """Exact, by whichever solver should be fastest."""
        own = {"tol": self.tol, "fit_intercept": self.fit_intercept, "multiclass": self.multiclass}
        return SvmSettings(kernel, C=cost, max_bytes=self.max_bytes, **own)  # type: ignore[arg-type]

    def on_gram(self) -> SvmSettings:
        """Exact, on a Gram matrix that is there."""
        return replace(self.settings(PRECOMPUTED), solver="smo")  # type: ignore[arg-type]

    def sampled(self, kernel: Kernel, cost: float, sample_size: int) -> SvmSettings:
        """Cutting planes, each from a uniform sample."""
        options: dict[str, Any] = {"sampling": "uniform", "sample_size": sample_size, "seed": self.seed}
        if not options.keys() <= {field.name for field in fields(SvmSettings)}:
            raise ValueError("search='cutting-plane' needs a solver that this build does not have; use 'subset'")
        return replace(self.settings(kernel, cost), solver="cutting-plane", **options)

    def keeps_gram(self, kernel: Kernel, cases: Cases, size: int) -> bool:
        """Whether the Gram matrix of a sample is computed: if it fits, and solvers are not better off without."""
        settings, distinct = self.settings(kernel), cases.distinct(size)
        judges = 0 if cases.held_labels is None else len(cases.held_labels)
        if 8 * distinct * (distinct + judges) > settings.budget // _SHARE:
            return False
        if not isinstance(kernel, PolynomialKernel):
            return True
        return choose_solver(settings, TrainingRows.of(settings, cases.sample(size), None)) == "smo"


def choose_search(search: str, sample_sizes: Any, n_examples: int, n_settings: int, factor: float) -> str:
    """'auto' is 'exact' where there is little to do and nobody asks for samples, else 'subset'.

    It is never one of the others: cutting planes compare all examples in each setting, and the C of online learning is
    not that of an SVM.
    """
    if search != "auto":
        return search
    few = n_examples <= _FEW or n_settings <= factor
    return "exact" if few and sample_sizes is None else "subset"
