"""TableEncoder: its coders, for the columns that it was given."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gristmill.data.tables.coders import renamed
from gristmill.data.tables.encoder import TableEncoder
from gristmill.estimators.encodings.parts import Bit, Coding, Part, cannot, cells_of, converts


@converts(TableEncoder)
def table(step: Any, parts: Sequence[Part]) -> list[Part]:
    """All bins of all fields."""
    found: list[Part] = []
    learned = step.encoding_
    for cells, (coder, counts) in zip(cells_of(step, parts), learned.coders_with_counts(), strict=True):
        if cells.fill is not None:
            raise cannot(
                step, "a step before it fills missing values", "let the TableEncoder see them: it has bins for them"
            )
        coding = Coding(cells.column, renamed(coder, cells.name), counts)
        found += [
            Bit(coding, at, number) for at, field in enumerate(coding.coder.fields) for number in range(len(field.bins))
        ]
    return found
