"""The exceptions of the library's own: a file that is not what it should be, a model that was not fitted."""

from __future__ import annotations

import contextlib
import functools
import sys
from collections.abc import Iterator
from typing import Any


class FormatError(ValueError):
    """A file (or text) that cannot be read, with the place where it went wrong.

    Parameters
    ----------
    message : str
        What was found and what was expected.
    path : str or None
        The file, where there is one.
    line, column : int or None
        Counted from 1; columns are bytes.
    """

    def __init__(
        self, message: str, path: str | None = None, line: int | None = None, column: int | None = None
    ) -> None:
        super().__init__(message)
        self.message = message
        self.path = path
        self.line = line
        self.column = column

    def __str__(self) -> str:
        place = [str(part) for part in (self.path, self.line, self.column) if part is not None]
        return f"{':'.join(place)}: {self.message}" if place else self.message

    def __reduce__(self) -> tuple[type[FormatError], tuple[str, str | None, int | None, int | None]]:
        return type(self), (self.message, self.path, self.line, self.column)


# What reading a header raises that is no header of ours: a wrong type, a missing key, a number out of range. Files that
# have these become FormatErrors where they are read, with the cause.
UNSOUND = (KeyError, TypeError, ValueError, AttributeError, IndexError, OverflowError, RecursionError)


@contextlib.contextmanager
def refusing() -> Iterator[None]:
    """A ValueError about what a file holds is a FormatError of the file."""
    try:
        yield
    except FormatError:
        raise
    except ValueError as error:
        raise FormatError(str(error)) from error


@contextlib.contextmanager
def naming(path: str) -> Iterator[None]:
    """Name the file in every FormatError that leaves the block without one."""
    try:
        yield
    except FormatError as error:
        error.path = error.path or path
        raise


class NotFittedError(ValueError, AttributeError):
    """A model was used before `fit`. It is scikit-learn's error of that name, too, where scikit-learn is in use."""


def not_fitted(message: str) -> NotFittedError:
    """The error to raise."""
    error: NotFittedError = also_of_sklearn(NotFittedError)(message)
    return error


def also_of_sklearn(own: Any) -> Any:
    """An exception or warning that is also scikit-learn's of that name if, and only if, scikit-learn is in use."""
    return _shared(own) if "sklearn.exceptions" in sys.modules else own


@functools.cache
def _shared(own: Any) -> Any:
    theirs = getattr(sys.modules["sklearn.exceptions"], own.__name__)
    return type(own.__name__, (own, theirs), {"__module__": own.__module__, "__doc__": own.__doc__})
