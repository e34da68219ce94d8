"""Reading a file of an expected kind: errors name the file, and say what it holds where that is another kind."""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Iterable, Iterator, Sequence

from gristmill.base.errors import FormatError
from gristmill.base.files import PathLike, display_name
from gristmill.data.formats.kinds import BINARY, CONTROL, Found, Kind, kind_of

_NUMBER = 8  # bytes of the number that a file of ours begins with
_BEGINNING = 1 << 16  # bytes that lines before an error are looked for in


class Reading:
    """What was read of a file so far, as far as its kind shows there."""

    def __init__(self, expected: Sequence[Kind], also: Collection[Kind] = ()) -> None:
        self.expected = expected
        self.taken = {*expected, *also}
        self.head = b""

    def content(self, data: bytes) -> bytes:
        """The same bytes; FormatError if they are certainly of another kind."""
        self.head = data
        found = kind_of(data)
        if self.is_other(found):
            raise FormatError(self.instead_of(found))
        return data

    def blocks(self, blocks: Iterable[bytes]) -> Iterator[bytes]:
        """The same blocks; the first one that is not blank shows the kind.

        Blocks may be lines, and a file of ours begins with eight bytes of a number, one of which may be a line end:
        what is not text is looked at together with what follows.
        """
        held = b""
        for block in blocks:
            held += block
            if self.head or not held.strip():
                yield held
            elif len(held) < _NUMBER and CONTROL.search(held):
                continue
            else:
                yield self.content(held)
            held = b""
        if held:
            yield self.content(held)

    def is_other(self, found: Found) -> bool:
        """Whether a file is certainly not of a kind that is expected."""
        return found.certain and found.kind not in self.taken

    def instead_of(self, found: Found) -> str:
        """The message for another kind of file."""
        return f"expected {' or '.join(one.title for one in self.expected)}, got {found}"

    def explain(self, error: FormatError) -> None:
        """Add to an error what the file holds, if it is of another kind."""
        found = kind_of(self.head)
        if self.is_other(found):
            error.message, error.line, error.column = self.instead_of(found), None, None
        elif found.kind not in self.taken and not self._is_known(error, found.kind):
            error.message += f"; the file looks like {found}"

    def _is_known(self, error: FormatError, kind: Kind) -> bool:
        """Whether a kind adds nothing: for blank files, text in another encoding, a file that began as expected."""
        if not self.head.strip() or ("UTF-" in error.message and kind != BINARY):
            return True
        before = b"".join(self.head[:_BEGINNING].splitlines(keepends=True)[: (error.line or 1) - 1])
        return bool(before.strip()) and kind_of(before).kind in self.taken


@contextlib.contextmanager
def reading(path: PathLike, *expected: Kind, also: Collection[Kind] = ()) -> Iterator[Reading]:
    """Name the file in every FormatError that leaves the block, and explain it by the kind of the file.

    Parameters
    ----------
    path : path or '-'
    *expected : Kind
        What errors say was expected.
    also : collection of Kind
        What is not refused either, where files of these kinds look the same.
    """
    looked = Reading(expected, also)
    try:
        yield looked
    except FormatError as error:
        if error.path is None:
            error.path = display_name(path)
            looked.explain(error)
        raise
