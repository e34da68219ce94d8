"""Predicates and their arguments, and what of them can be written and read again."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

PREDICATE, CONTINUED = "V", "C-V"
NO_ROLESET = "-"

SPAN = re.compile(r"([0-9]{1,9})-([0-9]{1,9}):([^\s()]+)")
NAME = re.compile(r"[^\s()\ufeff]([^\t\n\v\f\r()]*[^\s()])?")

Name = tuple[str, str]  # a sentence: its document and its number there
Tokens = tuple[int, int]  # the first and the last


class Argument(NamedTuple):
    """Tokens and the role they play.

    Parameters
    ----------
    first, last : int
        Tokens, counted from 0; the last one belongs to it.
    role : str
        As ARG0; a word without brackets, and not V, which is the predicate.
    """

    first: int
    last: int
    role: str

    def __str__(self) -> str:
        return f"{self.first}-{self.last}:{self.role}"


@dataclass(frozen=True)
class Proposition:
    """A predicate and its arguments; the predicate itself is none of them.

    Parameters
    ----------
    sentence : (str, str)
        The name: document, and number there.
    token : int
        The predicate, or one token of it.
    roleset : str
        Its sense, as give.01.
    arguments : tuple of Argument
    predicate : (int, int) or None
        The first and the last token of a predicate of several, as `grow up`. None is the token alone.
    """

    sentence: Name
    token: int
    roleset: str = NO_ROLESET
    arguments: tuple[Argument, ...] = ()
    predicate: Tokens | None = None

    def __post_init__(self) -> None:
        if self.predicate == (self.token, self.token):
            object.__setattr__(self, "predicate", None)

    @property
    def own(self) -> tuple[Tokens, ...]:
        """Tokens of the predicate itself: two pieces, where the token is that of the second, as in `flip - flop`."""
        token = (self.token, self.token)
        return (token,) if self.predicate is None else (self.predicate, token)

    def __str__(self) -> str:
        """A line of a file."""
        spans = sorted([*self.arguments, Argument(*self.own[0], PREDICATE)])
        return "\t".join([*self.sentence, str(self.token), self.roleset, " ".join(map(str, spans))])


def writable(propositions: Iterable[Proposition]) -> list[Proposition]:
    """Propositions that will be the same when they are read again; ValueError for others."""
    found: dict[tuple[Name, int], Proposition] = {}
    for proposition in propositions:
        _check(proposition)
        key = proposition.sentence, proposition.token
        if key in found:
            raise ValueError(f"{_place(proposition)}: the predicate is there twice")
        found[key] = proposition
    return list(found.values())


def writable_names(*names: str) -> tuple[str, ...]:
    for name in names:
        if NAME.fullmatch(name) is None:
            raise ValueError(f"a name must be a word without brackets, tabs and line ends, got {name!r}")
    return names


def holds_token(proposition: Proposition) -> bool:
    """Whether the token is in the span of the predicate, or where that is continued."""
    pieces = [argument[:2] for argument in proposition.arguments if argument.role == CONTINUED]
    return any(first <= proposition.token <= last for first, last in (proposition.own[0], *pieces))


def outside(token: int, size: float) -> str:
    return f"token {token} is outside the sentence, which has {size}, counted from 0"


def backwards(first: int, last: int) -> str:
    return f"the span {first}-{last} ends before it begins"


def elsewhere(proposition: Proposition) -> str:
    first, last = proposition.own[0]
    return f"the predicate is token {proposition.token}, but {PREDICATE} is {first}-{last}"


# --- behind the door --------------------------------------------------------------------------------------------------


def _check(proposition: Proposition) -> None:
    writable_names(*proposition.sentence, proposition.roleset)
    spans = [*proposition.arguments, *(Argument(*tokens, PREDICATE) for tokens in proposition.own)]
    for span in spans:
        if SPAN.fullmatch(str(span)) is None or span.first > span.last:
            wanted = "two tokens and a role, a word without white space and brackets"
            raise ValueError(f"{_place(proposition)}: an argument is {wanted}, got {span!r}")
    if any(argument.role == PREDICATE for argument in proposition.arguments):
        raise ValueError(f"{_place(proposition)}: {PREDICATE} is the predicate itself, not the role of an argument")
    if len(set(proposition.arguments)) < len(proposition.arguments):
        raise ValueError(f"{_place(proposition)}: an argument is there twice")
    if not holds_token(proposition):
        raise ValueError(f"{_place(proposition)}: {elsewhere(proposition)}")


def _place(proposition: Proposition) -> str:
    return f"sentence {' '.join(proposition.sentence)!r}, token {proposition.token}"
