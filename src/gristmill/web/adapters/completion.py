"""Names of features by how they begin, whatever the case of letters."""

from __future__ import annotations

from bisect import bisect_left
from typing import Any

import numpy as np

from gristmill.machines.machine import Machine

_LAST = chr(0x10FFFF)


class Completion:
    """All features that support rows have. A question costs what begins like that."""

    def __init__(self, machine: Machine) -> None:
        support = np.bincount(machine.support.ids, minlength=machine.n_features)
        first, names = machine.first_id or 0, machine.feature_names
        used = np.flatnonzero(support)
        listed: list[str | int] = [names[place] if names else place + first for place in used.tolist()]
        keys = [str(name).casefold() for name in listed]
        order = sorted(range(len(keys)), key=keys.__getitem__)
        self._keys = [keys[at] for at in order]
        self._names = [listed[at] for at in order]
        self._support = support[used][order]

    def __call__(self, prefix: str, limit: int) -> list[dict[str, Any]]:
        """Those with most support rows first, and by name among equals."""
        start = prefix.casefold()
        begin, end = bisect_left(self._keys, start), bisect_left(self._keys, start + _LAST)
        support = self._support[begin:end]
        chosen = np.argsort(-support, kind="stable")[:limit].tolist()
        return [{"name": self._names[begin + at], "support": int(support[at])} for at in chosen]
