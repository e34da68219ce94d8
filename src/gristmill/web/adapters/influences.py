"""Who decided about a row: the support vectors that speak most for the explained output, and against it."""

from __future__ import annotations

from gristmill.data.rows import Rows
from gristmill.explanations import Influence, influence
from gristmill.explanations.influences import Influencer
from gristmill.machines.machine import Machine
from gristmill.web.adapters.base import Answer
from gristmill.web.limits import Watch
from gristmill.web.requests import number

_TOP = 3  # for, and against


def has_deciders(machine: Machine) -> bool:
    """Whether support vectors decide, not weights of conjunctions, which explanations show anyway."""
    return machine.n_support > 0 and not machine.kernel.support_noun


def deciders(machine: Machine, row: Rows, output: int, watch: Watch) -> Answer | None:
    """Of a single row and an output by its number."""
    if not has_deciders(machine):
        return None
    (found,) = influence(machine, row, binarize=False, progress=watch)
    return {"for": _listed(found, output, "for"), "against": _listed(found, output, "against")}


def _listed(found: Influence, output: int, side: str) -> list[Answer]:
    return [_told(one) for one in found.top(_TOP, output, "for" if side == "for" else "against")]


def _told(one: Influencer) -> Answer:
    names = {
        shared: [piece.text for piece in one.parts[0].pieces if piece.shared == shared] for shared in (True, False)
    }
    return {"name": one.name, "value": number(one.value), "shared": names[True], "others": names[False]}
