"""Kernels: value objects that say what is similar.

One module per kind of data: `polynomial` and `conjunction` on rows, `trees` on forests and sequences, `combined` on
anything.
"""

from gristmill.kernels.base import FeatureKernel, Kernel, KernelRows
from gristmill.kernels.combined import FieldKernel, Normalized, ScaledKernel, SumKernel
from gristmill.kernels.conjunction import ConjunctionKernel, ConjunctionRows
from gristmill.kernels.named import as_kernel, from_spec, to_spec
from gristmill.kernels.polynomial import PolynomialKernel, PolynomialRows
from gristmill.kernels.trees import (
    OrderedTreeKernel,
    PartialTreeKernel,
    ProductionTreeKernel,
    SubsequenceKernel,
    SubsetTreeKernel,
    SubtreeKernel,
    TreeKernel,
    TreeRows,
)

__all__ = [
    "ConjunctionKernel",
    "ConjunctionRows",
    "FeatureKernel",
    "FieldKernel",
    "Kernel",
    "KernelRows",
    "Normalized",
    "OrderedTreeKernel",
    "PartialTreeKernel",
    "PolynomialKernel",
    "PolynomialRows",
    "ProductionTreeKernel",
    "ScaledKernel",
    "SubsequenceKernel",
    "SubsetTreeKernel",
    "SubtreeKernel",
    "SumKernel",
    "TreeKernel",
    "TreeRows",
    "as_kernel",
    "from_spec",
    "to_spec",
]
