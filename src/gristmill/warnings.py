"""The warnings of the library."""

from __future__ import annotations

import functools
import sys


class DataConversionWarning(UserWarning):
    """Values other than 0 and 1 were turned into 0 and 1 on the way in."""


class DirectScoringWarning(UserWarning):
    """Values other than 0 and 1 are scored exactly, but by the slow direct engine."""


class SwappedParametersWarning(UserWarning):
    """A program scores its model with another kernel than the one it was trained with, and so do we."""


class SkippedFileWarning(UserWarning):
    """A file of a directory or archive is no model and was passed over."""


def conversion_category() -> type[DataConversionWarning]:
    """The class to warn with: also scikit-learn's warning of that name, if (and only if) scikit-learn is in use."""
    return _shared_with_sklearn() if "sklearn.exceptions" in sys.modules else DataConversionWarning


@functools.cache
def _shared_with_sklearn() -> type[DataConversionWarning]:
    from sklearn.exceptions import DataConversionWarning as SklearnWarning

    return type("DataConversionWarning", (DataConversionWarning, SklearnWarning), {"__module__": __name__})
