"""The warnings of the library."""

from __future__ import annotations

import sys
from pathlib import Path

from gristmill.base.errors import also_of_sklearn

_LIBRARY = str(Path(__file__).parents[1])


class DataConversionWarning(UserWarning):
    """Values other than 0 and 1 were turned into 0 and 1 on the way in."""


class DirectScoringWarning(UserWarning):
    """Values other than 0 and 1 are scored exactly, but by the slow direct engine."""


class SwappedParametersWarning(UserWarning):
    """Another program scores its model with another kernel than the one it was trained with, and so do we."""


class SkippedFileWarning(UserWarning):
    """A file of a directory or archive is no model and was passed over."""


class ConvergenceWarning(UserWarning):
    """A solver was stopped by max_iter before its answer was as precise as `tol` says."""


class UnmarkedTreesWarning(UserWarning):
    """A kernel that counts fragments with a marked node was given trees without marks: it is 0 for all of them."""


class MaliciousPairsWarning(UserWarning):
    """So many pairs of trees share so much that converting the trees will not pay."""


class EmptyColumnsWarning(UserWarning):
    """A model has learned from columns that are empty in what it is given."""


class TableWarning(UserWarning):
    """Of the file of a table some columns were not read, or not as numbers that they seem to be."""


def conversion_category() -> type[DataConversionWarning]:
    """The class to warn with: also scikit-learn's warning of that name, where scikit-learn is in use."""
    category: type[DataConversionWarning] = also_of_sklearn(DataConversionWarning)
    return category


def convergence_category() -> type[ConvergenceWarning]:
    """The class to warn with, as above."""
    category: type[ConvergenceWarning] = also_of_sklearn(ConvergenceWarning)
    return category


def outside() -> int:
    """The stacklevel, for the function that calls this one, of the first caller that is not of this library."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_LIBRARY):
        level, frame = level + 1, frame.f_back
    return level
