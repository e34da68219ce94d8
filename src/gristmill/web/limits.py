"""How much one request may ask for, and how many there may be."""

from __future__ import annotations

from dataclasses import dataclass


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
