"""Which solver serves which search."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any

from gristmill.kernels import Kernel, PolynomialKernel
from gristmill.solvers.batch.rows import TrainingRows
from gristmill.solvers.batch.settings import PRECOMPUTED, SvmKernel, SvmSettings
from gristmill.solvers.batch.solving import choose_solver
from gristmill.tuning.dataset import Dataset
from gristmill.tuning.grid import Cost

SEARCHES = ("auto", "cutting-plane", "slicing", "subset", "exact")

_SHARE = 4  # the part of max_bytes that a Gram matrix may take, as in KernelSVC
_FEW = 1000  # examples, on which trying all settings is quick


@dataclass(frozen=True)
class SolverOptions:
    """Options of KernelSVC that all settings share."""

    tol: float = 1e-3
    fit_intercept: bool = True
    multiclass: str = "ovo"
    max_bytes: int | None = None
    seed: int = 0

    def settings(self, kernel: SvmKernel, cost: Cost = 1.0) -> SvmSettings:
        """For the exact solver that should be fastest."""
        return SvmSettings(kernel, C=cost, **asdict(self))

    def on_gram(self) -> SvmSettings:
        """For exact training on a Gram matrix."""
        return replace(self.settings(PRECOMPUTED), solver="smo")

    def sampled(self, kernel: Kernel, cost: Cost, sample_size: int) -> SvmSettings:
        """For cutting planes from uniform samples."""
        return replace(self.settings(kernel, cost), solver="cutting-plane", sampling="uniform", sample_size=sample_size)

    def keeps_gram(self, kernel: Kernel, dataset: Dataset, size: int) -> bool:
        """Whether the Gram matrix of a sample is computed: if it fits, and no other solver is faster.

        Of a kernel that is not semidefinite there may be several solutions, and a search is to find KernelSVC's: from
        rows numbered as there, and from the beginning for each C.
        """
        settings = self.settings(kernel)
        if not kernel.is_semidefinite or dataset.gram_bytes(size) > settings.budget // _SHARE:
            return False
        if not isinstance(kernel, PolynomialKernel):
            return True
        return choose_solver(settings, TrainingRows.of(settings, dataset.sample(size), None)) == "smo"


def choose_search(search: str, sample_sizes: Any, n_examples: int, n_settings: int, factor: float) -> str:
    """'auto' is 'exact' for few examples or settings without `sample_sizes`, else 'subset'.

    It is never one of the others: cutting planes look at all examples for each setting, and the C of online learning
    is not that of an SVM.
    """
    if search != "auto":
        return search
    few = n_examples <= _FEW or n_settings <= factor
    return "exact" if few and sample_sizes is None else "subset"
