"""Kernels: value objects that say what is similar.

`polynomial`, `sets` (the other functions of overlap and lengths) and `conjunction` on rows, `trees` on forests and
sequences, `combined` on anything.
"""

from gristmill.kernels.base import FeatureKernel, Kernel, KernelRows
from gristmill.kernels.combined import FieldKernel, Normalized, ScaledKernel, SumKernel
from gristmill.kernels.conjunction import ConjunctionKernel, ConjunctionRows
from gristmill.kernels.named import as_kernel, from_spec, to_spec
from gristmill.kernels.overlap import OverlapKernel, SetRows
from gristmill.kernels.polynomial import PolynomialKernel
from gristmill.kernels.sets import CosineKernel, DiceKernel, RBFKernel, SetKernel, SigmoidKernel, TanimotoKernel
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
    "CosineKernel",
    "DiceKernel",
    "FeatureKernel",
    "FieldKernel",
    "Kernel",
    "KernelRows",
    "Normalized",
    "OrderedTreeKernel",
    "OverlapKernel",
    "PartialTreeKernel",
    "PolynomialKernel",
    "ProductionTreeKernel",
    "RBFKernel",
    "ScaledKernel",
    "SetKernel",
    "SetRows",
    "SigmoidKernel",
    "SubsequenceKernel",
    "SubsetTreeKernel",
    "SubtreeKernel",
    "SumKernel",
    "TanimotoKernel",
    "TreeKernel",
    "TreeRows",
    "as_kernel",
    "from_spec",
    "to_spec",
]
