"""Limits of requests: their sizes, numbers and times, and the error beyond them."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Limits:
    """Beyond these a request is refused, with a message that says which and by how much.

    Attributes
    ----------
    body : int
        Bytes of a request.
    rows : int
        Rows, trees or sentences that are scored at once.
    explained : int
        The same, explained.
    features : int
        Features of a row.
    nodes : int
        Nodes of a tree.
    tokens : int
        Tokens of a sentence, or characters of a text without spaces.
    without : int
        Features of a row, or of a decision about a sentence, whose score is also given without each of them.
    pairs : int
        Pairs of features of all rows whose interactions are given.
    numbers : int
        Scores in an answer; for sentences also what features add, and scores without them.
    completions : int
        Names of features in an answer.
    seconds : float
        That a request may take, its body and the work for it each.
    requests : int
        Under way at once.
    """

    body: int = 1 << 20
    rows: int = 1_000
    explained: int = 100
    features: int = 10_000
    nodes: int = 10_000
    tokens: int = 1_000
    without: int = 1_000
    pairs: int = 100_000
    numbers: int = 1_000_000
    completions: int = 100
    seconds: float = 10.0
    requests: int = 64


# --- errors -----------------------------------------------------------------------------------------------------------

STATUSES = {
    "bad_input": 400,
    "bad_json": 400,
    "forbidden_host": 403,
    "forbidden_origin": 403,
    "not_found": 404,
    "method": 405,
    "slow_body": 408,
    "too_large": 413,
    "media_type": 415,
    "too_many": 422,
    "internal": 500,
    "busy": 503,
    "stopping": 503,
    "timeout": 503,
}


class RefusedError(Exception):
    """A request that is not answered.

    Parameters
    ----------
    code : str
        One of `STATUSES`.
    message : str
        What is wrong, for people.
    where : str or None
        In which part of the request, as in ``rows[3][1]``.
    headers : mapping or None
        More headers of the answer.
    """

    def __init__(
        self, code: str, message: str, where: str | None = None, headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(message)
        self.code, self.message, self.where = code, message, where
        self.headers = dict(headers or {})

    @property
    def status(self) -> int:
        return STATUSES[self.code]

    def as_dict(self) -> dict[str, dict[str, str | None]]:
        return {"error": {"code": self.code, "message": self.message, "where": self.where}}


def bad_input(expected: str, got: Any, where: str | None) -> RefusedError:
    """The refusal of an input that is something else than expected."""
    return RefusedError("bad_input", f"{expected}, got {got!r:.60}", where)


def check_most(what: str, number: int, most: int, where: str | None = None) -> None:
    """RefusedError for more than the most."""
    if number > most:
        raise RefusedError("too_many", f"at most {most:,} {what} at once, got {number:,}", where)


# --- time -------------------------------------------------------------------------------------------------------------


class Watch:
    """The time of one request: long work calls it as its progress; it raises RefusedError where the work should end.

    The work ends when its time is over, when the client has gone, or with the server.

    Parameters
    ----------
    seconds : float
        From now on.
    ending : threading.Event
        Set when the server ends.
    """

    def __init__(self, seconds: float, ending: threading.Event) -> None:
        self._seconds = seconds
        self._until = time.monotonic() + seconds
        self._ending = ending
        self._abandoned = False

    def __call__(self, done: int = 0, total: int = 0) -> None:
        if self._ending.is_set():
            raise RefusedError("stopping", "the server is ending", headers={"Retry-After": "5"})
        if self._abandoned:
            raise RefusedError("timeout", "nobody waits for the answer any more")
        if time.monotonic() > self._until:
            raise RefusedError("timeout", f"the work took longer than {self._seconds:g} seconds; ask for less at once")

    def abandon(self) -> None:
        """Nobody waits any more: end at the next call."""
        self._abandoned = True
