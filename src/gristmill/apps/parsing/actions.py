"""Actions of a parser as classes of machines: SHIFT, REDUCE, SWAP, LEFT:nsubj, RIGHT:obj."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gristmill import _core

Numbers = NDArray[np.int32]
Action = tuple[_core.Move, int]

_WITH_RELATION = (_core.Move.left, _core.Move.right)


class ActionRows(NamedTuple):
    """Rows of configurations, and what to do in each."""

    offsets: NDArray[np.int64]
    ids: Numbers
    moves: Numbers
    relations: Numbers
    sentences: Numbers
    values: Numbers  # of the cell that machines are split by
    skipped: int  # sentences whose tree the algorithm cannot give

    def joined(self, other: ActionRows) -> ActionRows:
        """The rows of both, which are of the same sentences."""
        offsets = np.concatenate([self.offsets, other.offsets[1:] + self.offsets[-1]])
        return ActionRows(
            offsets,
            np.concatenate([self.ids, other.ids]),
            np.concatenate([self.moves, other.moves]),
            np.concatenate([self.relations, other.relations]),
            np.concatenate([self.sentences, other.sentences]),
            np.concatenate([self.values, other.values]),
            self.skipped,
        )


def numbered_actions(rows: ActionRows, relations: Sequence[str]) -> tuple[list[str], Numbers]:
    """Names of actions that occur, sorted, and their numbers row by row."""
    codes = rows.moves.astype(np.int64) * (len(relations) + 1) + rows.relations + 1
    used, numbers = np.unique(codes, return_inverse=True)
    parts = (divmod(code, len(relations) + 1) for code in used.tolist())
    names = [action_name((_core.Move(move), relation - 1), relations) for move, relation in parts]
    order = sorted(range(len(names)), key=names.__getitem__)
    place = np.empty(len(names), dtype=np.int32)
    place[order] = np.arange(len(names), dtype=np.int32)
    return [names[at] for at in order], place[numbers.reshape(-1)]


def action_name(action: Action, relations: Sequence[str]) -> str:
    move, relation = action
    return move.name.upper() if relation < 0 else f"{move.name.upper()}:{relations[relation]}"


def action_of(name: str, number: dict[str, int]) -> Action:
    """An action by its name; ValueError if it is none."""
    spelled, colon, relation = name.partition(":")
    move = getattr(_core.Move, spelled.lower(), None) if spelled.isupper() else None
    if (
        not isinstance(move, _core.Move)
        or (move in _WITH_RELATION) != bool(colon)
        or (colon and relation not in number)
    ):
        raise ValueError(f"{name!r} is no action of a parser")
    return move, number[relation] if colon else -1
