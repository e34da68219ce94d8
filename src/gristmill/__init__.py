"""gristmill: exact kernel machines on sparse binary features, at the speed of linear models.

The names below are the public interface. Each is imported when first used: `import gristmill` and
`gristmill --version` need neither numpy nor the compiled core.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gristmill.lazy import lazy_name

if TYPE_CHECKING:
    from gristmill import apps, relations
    from gristmill._core import PatternsTooLarge
    from gristmill.collection import Machines
    from gristmill.conversion_stats import ConversionStats
    from gristmill.converted import ConvertedForest
    from gristmill.data import ids
    from gristmill.errors import FormatError
    from gristmill.estimators import (
        KernelOneClassSVM,
        KernelRanker,
        KernelSVC,
        KernelSVR,
        OnlineKernelClassifier,
        accelerate,
        from_sklearn,
    )
    from gristmill.examples import Examples
    from gristmill.explaining import Explainer, Explanation, explain, importance
    from gristmill.forest import Forest
    from gristmill.formats import load
    from gristmill.formats.bracketed import read_trees, write_trees
    from gristmill.formats.kelp import read_klp
    from gristmill.formats.svmlight import read_svmlight, write_svmlight
    from gristmill.formats.svmlight_tk import read_svmlight_tk, write_svmlight_tk
    from gristmill.kernels import (
        Normalized,
        OrderedTreeKernel,
        PartialTreeKernel,
        PolynomialKernel,
        ProductionTreeKernel,
        SubsequenceKernel,
        SubsetTreeKernel,
        SubtreeKernel,
    )
    from gristmill.machine import Machine
    from gristmill.scorer import Scorer
    from gristmill.tuning import Tuning, tune
    from gristmill.warnings import (
        ConvergenceWarning,
        DataConversionWarning,
        DirectScoringWarning,
        EmptyColumnsWarning,
        MaliciousPairsWarning,
        SkippedFileWarning,
        SwappedParametersWarning,
        UnmarkedTreesWarning,
    )

__version__ = "0.1.0"

__all__ = [
    "ConvergenceWarning",
    "ConversionStats",
    "ConvertedForest",
    "DataConversionWarning",
    "DirectScoringWarning",
    "EmptyColumnsWarning",
    "Examples",
    "Explainer",
    "Explanation",
    "Forest",
    "FormatError",
    "KernelOneClassSVM",
    "KernelRanker",
    "KernelSVC",
    "KernelSVR",
    "Machine",
    "Machines",
    "MaliciousPairsWarning",
    "Normalized",
    "OnlineKernelClassifier",
    "OrderedTreeKernel",
    "PartialTreeKernel",
    "PatternsTooLarge",
    "PolynomialKernel",
    "ProductionTreeKernel",
    "Scorer",
    "SkippedFileWarning",
    "SubsequenceKernel",
    "SubsetTreeKernel",
    "SubtreeKernel",
    "SwappedParametersWarning",
    "Tuning",
    "UnmarkedTreesWarning",
    "__version__",
    "accelerate",
    "apps",
    "explain",
    "from_sklearn",
    "ids",
    "importance",
    "load",
    "read_klp",
    "read_svmlight",
    "read_svmlight_tk",
    "read_trees",
    "relations",
    "tune",
    "write_svmlight",
    "write_svmlight_tk",
    "write_trees",
]

_HOMES = {
    "ConvergenceWarning": "gristmill.warnings",
    "ConversionStats": "gristmill.conversion_stats",
    "ConvertedForest": "gristmill.converted",
    "DataConversionWarning": "gristmill.warnings",
    "DirectScoringWarning": "gristmill.warnings",
    "EmptyColumnsWarning": "gristmill.warnings",
    "Examples": "gristmill.examples",
    "Explainer": "gristmill.explaining",
    "Explanation": "gristmill.explaining",
    "Forest": "gristmill.forest",
    "FormatError": "gristmill.errors",
    "KernelOneClassSVM": "gristmill.estimators",
    "KernelRanker": "gristmill.estimators",
    "KernelSVC": "gristmill.estimators",
    "KernelSVR": "gristmill.estimators",
    "Machine": "gristmill.machine",
    "Machines": "gristmill.collection",
    "MaliciousPairsWarning": "gristmill.warnings",
    "Normalized": "gristmill.kernels",
    "OnlineKernelClassifier": "gristmill.estimators",
    "OrderedTreeKernel": "gristmill.kernels",
    "PartialTreeKernel": "gristmill.kernels",
    "PatternsTooLarge": "gristmill._core",
    "PolynomialKernel": "gristmill.kernels",
    "ProductionTreeKernel": "gristmill.kernels",
    "Scorer": "gristmill.scorer",
    "SkippedFileWarning": "gristmill.warnings",
    "SubsequenceKernel": "gristmill.kernels",
    "SubsetTreeKernel": "gristmill.kernels",
    "SubtreeKernel": "gristmill.kernels",
    "SwappedParametersWarning": "gristmill.warnings",
    "Tuning": "gristmill.tuning",
    "UnmarkedTreesWarning": "gristmill.warnings",
    "accelerate": "gristmill.estimators",
    "apps": "gristmill.apps",
    "explain": "gristmill.explaining",
    "from_sklearn": "gristmill.estimators",
    "ids": "gristmill.data",
    "importance": "gristmill.explaining",
    "load": "gristmill.formats",
    "read_klp": "gristmill.formats.kelp",
    "read_svmlight": "gristmill.formats.svmlight",
    "read_svmlight_tk": "gristmill.formats.svmlight_tk",
    "read_trees": "gristmill.formats.bracketed",
    "relations": "gristmill.relations",
    "tune": "gristmill.tuning",
    "write_svmlight": "gristmill.formats.svmlight",
    "write_svmlight_tk": "gristmill.formats.svmlight_tk",
    "write_trees": "gristmill.formats.bracketed",
}
_MODULES = (
    *("collection", "converted", "data", "engines", "errors", "examples", "forest", "kernels", "machine"),
    *("probability", "schemes", "scorer", "warnings"),
)
_HOMES |= {name: f"gristmill.{name}" for name in _MODULES}  # gristmill.data, without importing it first


def __getattr__(name: str) -> Any:
    return lazy_name(globals(), _HOMES, name)


def __dir__() -> list[str]:
    return sorted(__all__)
