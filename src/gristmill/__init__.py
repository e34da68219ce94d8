"""gristmill: exact kernel machines on sparse binary features, at the speed of linear models.

The names below are the front door. Those that need scikit-learn import it when first used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from gristmill.collection import Machines
from gristmill.errors import FormatError
from gristmill.formats import load
from gristmill.formats.svmlight import read_svmlight, write_svmlight
from gristmill.kernels import PolynomialKernel
from gristmill.machine import Machine
from gristmill.scorer import Scorer
from gristmill.warnings import DataConversionWarning, DirectScoringWarning, SwappedParametersWarning

if TYPE_CHECKING:
    from gristmill.estimators import accelerate, from_sklearn

__version__ = "0.1.0"

__all__ = [
    "DataConversionWarning",
    "DirectScoringWarning",
    "FormatError",
    "Machine",
    "Machines",
    "PolynomialKernel",
    "Scorer",
    "SwappedParametersWarning",
    "__version__",
    "accelerate",
    "from_sklearn",
    "load",
    "read_svmlight",
    "write_svmlight",
]

_WITH_SKLEARN = {"accelerate", "from_sklearn"}


def __getattr__(name: str) -> Any:
    if name in _WITH_SKLEARN:
        return getattr(importlib.import_module("gristmill.estimators"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
