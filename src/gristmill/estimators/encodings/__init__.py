"""Fitted transformers as an Encoding: what each column of 0 and 1 tells about the user's table.

A transformer takes and gives `Cells` (a column of the user as it is) and `Bits` (whether a row is in a bin of a field).
Functions for each kind of transformer are registered in files of their own; other transformers are refused by name.
"""

from __future__ import annotations

from gristmill.estimators.encodings import bins, composing, imputing, one_hot, tables  # noqa: F401 - they register
from gristmill.estimators.encodings.machine import encoded_machine

__all__ = ["encoded_machine"]
