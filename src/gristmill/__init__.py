"""gristmill: exact kernel machines on sparse binary features, at the speed of linear models.

The names below are the public interface. Each is imported when first used: `import gristmill` and
`gristmill --version` need neither numpy nor the compiled core.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gristmill.base.lazy import lazy_name

if TYPE_CHECKING:
    from gristmill import apps
    from gristmill._core import PatternsTooLargeError
    from gristmill.apps.loading import load
    from gristmill.apps.saving import save
    from gristmill.base.errors import FormatError, NotFittedError
    from gristmill.base.warnings import (
        ConvergenceWarning,
        DataConversionWarning,
        DirectScoringWarning,
        EmptyColumnsWarning,
        MaliciousPairsWarning,
        SkippedFileWarning,
        SwappedParametersWarning,
        TableWarning,
        UnmarkedTreesWarning,
    )
    from gristmill.data import relations
    from gristmill.data.examples import Examples
    from gristmill.data.forest import Forest
    from gristmill.data.formats.bracketed import read_trees, write_trees
    from gristmill.data.formats.kelp import read_klp
    from gristmill.data.formats.svmlight import read_svmlight, write_svmlight
    from gristmill.data.formats.svmlight_tk import read_svmlight_tk, write_svmlight_tk
    from gristmill.data.rows import ids
    from gristmill.data.tables.encoder import TableEncoder
    from gristmill.estimators import (
        KernelLogisticRegression,
        KernelOneClassSVM,
        KernelRanker,
        KernelSVC,
        KernelSVR,
        OnlineKernelClassifier,
        TableClassifier,
        TableRegressor,
        accelerate,
        from_sklearn,
        leave_one_out,
    )
    from gristmill.explanations import (
        DecisionExplainer,
        Explainer,
        Explanation,
        counterfactual,
        explain,
        flip_radius,
        importance,
        influence,
        shape,
        sufficient,
    )
    from gristmill.exporting import export
    from gristmill.kernels import (
        ConjunctionKernel,
        CosineKernel,
        DiceKernel,
        Normalized,
        OrderedTreeKernel,
        PartialTreeKernel,
        PolynomialKernel,
        ProductionTreeKernel,
        RBFKernel,
        SetKernel,
        SigmoidKernel,
        SubsequenceKernel,
        SubsetTreeKernel,
        SubtreeKernel,
        TanimotoKernel,
    )
    from gristmill.kernels.conversion.forest import ConversionStats, ConvertedForest
    from gristmill.machines.collection import Machines
    from gristmill.machines.formats import write
    from gristmill.machines.machine import Machine
    from gristmill.scoring.scorer import Scorer
    from gristmill.search import NearestIndex, Neighbours, nearest
    from gristmill.tuning import Tuning, tune

__version__ = "0.1.0"

__all__ = [
    "ConjunctionKernel",
    "ConvergenceWarning",
    "ConversionStats",
    "ConvertedForest",
    "CosineKernel",
    "DataConversionWarning",
    "DecisionExplainer",
    "DiceKernel",
    "DirectScoringWarning",
    "EmptyColumnsWarning",
    "Examples",
    "Explainer",
    "Explanation",
    "Forest",
    "FormatError",
    "KernelLogisticRegression",
    "KernelOneClassSVM",
    "KernelRanker",
    "KernelSVC",
    "KernelSVR",
    "Machine",
    "Machines",
    "MaliciousPairsWarning",
    "NearestIndex",
    "Neighbours",
    "Normalized",
    "NotFittedError",
    "OnlineKernelClassifier",
    "OrderedTreeKernel",
    "PartialTreeKernel",
    "PatternsTooLargeError",
    "PolynomialKernel",
    "ProductionTreeKernel",
    "RBFKernel",
    "Scorer",
    "SetKernel",
    "SigmoidKernel",
    "SkippedFileWarning",
    "SubsequenceKernel",
    "SubsetTreeKernel",
    "SubtreeKernel",
    "SwappedParametersWarning",
    "TableClassifier",
    "TableEncoder",
    "TableRegressor",
    "TableWarning",
    "TanimotoKernel",
    "Tuning",
    "UnmarkedTreesWarning",
    "__version__",
    "accelerate",
    "apps",
    "counterfactual",
    "explain",
    "export",
    "flip_radius",
    "from_sklearn",
    "ids",
    "importance",
    "influence",
    "leave_one_out",
    "load",
    "nearest",
    "read_klp",
    "read_svmlight",
    "read_svmlight_tk",
    "read_trees",
    "relations",
    "save",
    "shape",
    "sufficient",
    "tune",
    "write",
    "write_svmlight",
    "write_svmlight_tk",
    "write_trees",
]

_HOMES = {
    "ConjunctionKernel": "gristmill.kernels",
    "ConvergenceWarning": "gristmill.base.warnings",
    "ConversionStats": "gristmill.kernels.conversion.forest",
    "ConvertedForest": "gristmill.kernels.conversion.forest",
    "DataConversionWarning": "gristmill.base.warnings",
    "DecisionExplainer": "gristmill.explanations",
    "DirectScoringWarning": "gristmill.base.warnings",
    "EmptyColumnsWarning": "gristmill.base.warnings",
    "Examples": "gristmill.data.examples",
    "Explainer": "gristmill.explanations",
    "Explanation": "gristmill.explanations",
    "Forest": "gristmill.data.forest",
    "FormatError": "gristmill.base.errors",
    "KernelLogisticRegression": "gristmill.estimators",
    "KernelOneClassSVM": "gristmill.estimators",
    "KernelRanker": "gristmill.estimators",
    "KernelSVC": "gristmill.estimators",
    "KernelSVR": "gristmill.estimators",
    "Machine": "gristmill.machines.machine",
    "Machines": "gristmill.machines.collection",
    "MaliciousPairsWarning": "gristmill.base.warnings",
    "NearestIndex": "gristmill.search",
    "Neighbours": "gristmill.search",
    "Normalized": "gristmill.kernels",
    "NotFittedError": "gristmill.base.errors",
    "OnlineKernelClassifier": "gristmill.estimators",
    "OrderedTreeKernel": "gristmill.kernels",
    "PartialTreeKernel": "gristmill.kernels",
    "PatternsTooLargeError": "gristmill._core",
    "PolynomialKernel": "gristmill.kernels",
    "RBFKernel": "gristmill.kernels",
    "TanimotoKernel": "gristmill.kernels",
    "SigmoidKernel": "gristmill.kernels",
    "CosineKernel": "gristmill.kernels",
    "DiceKernel": "gristmill.kernels",
    "SetKernel": "gristmill.kernels",
    "ProductionTreeKernel": "gristmill.kernels",
    "Scorer": "gristmill.scoring.scorer",
    "SkippedFileWarning": "gristmill.base.warnings",
    "SubsequenceKernel": "gristmill.kernels",
    "SubsetTreeKernel": "gristmill.kernels",
    "SubtreeKernel": "gristmill.kernels",
    "SwappedParametersWarning": "gristmill.base.warnings",
    "TableWarning": "gristmill.base.warnings",
    "TableClassifier": "gristmill.estimators",
    "TableEncoder": "gristmill.data.tables.encoder",
    "TableRegressor": "gristmill.estimators",
    "Tuning": "gristmill.tuning",
    "UnmarkedTreesWarning": "gristmill.base.warnings",
    "accelerate": "gristmill.estimators",
    "apps": "gristmill.apps",
    "counterfactual": "gristmill.explanations",
    "explain": "gristmill.explanations",
    "export": "gristmill.exporting",
    "flip_radius": "gristmill.explanations",
    "from_sklearn": "gristmill.estimators",
    "ids": "gristmill.data.rows",
    "importance": "gristmill.explanations",
    "influence": "gristmill.explanations",
    "leave_one_out": "gristmill.estimators",
    "load": "gristmill.apps.loading",
    "nearest": "gristmill.search",
    "read_klp": "gristmill.data.formats.kelp",
    "read_svmlight": "gristmill.data.formats.svmlight",
    "read_svmlight_tk": "gristmill.data.formats.svmlight_tk",
    "read_trees": "gristmill.data.formats.bracketed",
    "relations": "gristmill.data.relations",
    "shape": "gristmill.explanations",
    "save": "gristmill.apps.saving",
    "sufficient": "gristmill.explanations",
    "tune": "gristmill.tuning",
    "write": "gristmill.machines.formats",
    "write_svmlight": "gristmill.data.formats.svmlight",
    "write_svmlight_tk": "gristmill.data.formats.svmlight_tk",
    "write_trees": "gristmill.data.formats.bracketed",
}
_ROOMS = (
    "data",
    "kernels",
    "search",
    "machines",
    "scoring",
    "solvers",
    "explanations",
    "evaluation",
    "estimators",
    "tuning",
    "exporting",
    "cluster",
)
_HOMES |= {name: f"gristmill.{name}" for name in _ROOMS}  # gristmill.kernels, without importing it first


def __getattr__(name: str) -> Any:
    return lazy_name(globals(), _HOMES, name)


def __dir__() -> list[str]:
    return sorted(__all__)
