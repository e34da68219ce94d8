"""Sentences as requests have them: text with blanks between tokens, or lists of tokens."""

from __future__ import annotations

import re
from typing import Any

from gristmill.web.limits import Limits
from gristmill.web.refusals import RefusedError, check_most

# spelled out: Python and JavaScript, and so JSON Schema, differ in what they call white space
BLANKS = r" \t\n\r\f\v\u00a0\u3000"
_BLANK = re.compile(f"[{BLANKS}]+")

Tokens = list[tuple[str, ...]]  # cells of each


def read_tokens(given: Any, where: str, columns: range, limits: Limits) -> Tokens:
    """Tokens of a text with blanks between them, or of a list; each is a tuple of cells."""
    if isinstance(given, str):
        words = [word for word in _BLANK.split(given) if word]
        check_most("tokens in a sentence", len(words), limits.tokens, where)
        return [_cells_of(word, columns[0], where) for word in words]
    if not isinstance(given, list):
        raise RefusedError("bad_input", f"a sentence is a text or a list of tokens, got {given!r:.60}", where)
    check_most("tokens in a sentence", len(given), limits.tokens, where)
    return [_checked_token(token, f"{where}[{at}]", columns) for at, token in enumerate(given)]


def _cells_of(word: str, columns: int, where: str) -> tuple[str, ...]:
    cells = tuple(word.rsplit("/", columns - 1))
    if len(cells) < columns or not all(cells):
        shape = "/".join(["word", *["TAG"] * (columns - 1)])
        raise RefusedError("bad_input", f"tokens have {columns} parts here, as {shape}, got {word!r:.60}", where)
    return cells


def _checked_token(token: Any, where: str, columns: range) -> tuple[str, ...]:
    cells = (token,) if isinstance(token, str) else token
    if not isinstance(cells, tuple | list) or len(cells) not in columns:
        wanted = str(columns[0]) if len(columns) == 1 else f"{columns[0]} to {columns[-1]}"
        raise RefusedError("bad_input", f"a token is a list of {wanted} texts, got {token!r:.60}", where)
    for cell in cells:
        if not isinstance(cell, str) or not cell or _BLANK.search(cell):
            raise RefusedError("bad_input", f"a part of a token is a text without blanks, got {cell!r:.60}", where)
    return tuple(cells)


def form_and_tag(word: str) -> tuple[str, ...]:
    form, slash, tag = word.rpartition("/")
    return (form, tag) if slash and form and tag else (word,)


def forms_of(sentence: Tokens) -> list[str]:
    return [token[0] for token in sentence]
