"""What an exported file says of itself: what it is, and what it promises."""

from __future__ import annotations

import math

from gristmill import __version__
from gristmill.display.words import counted
from gristmill.exporting.program import Program

_TYPICAL = 100  # conjunctions of a row for which the bound is spelled out


def about(program: Program) -> list[str]:
    """Lines for the head of the file."""
    machine = program.machine
    what = f"{machine.scheme} machine, {machine.kernel}, {counted(machine.n_support, machine.support_noun)}"
    size = f"{counted(len(program.features), 'feature')}, {counted(program.n_conjunctions, 'conjunction')}"
    return [
        f"Written by gristmill {__version__}: {what}.",
        f"{size}, {counted(machine.n_outputs, 'output')}.",
        *_counting(program),
        "",
        *promises(program),
    ]


def _counting(program: Program) -> list[str]:
    """Files of some programs count features from 1, columns are counted from 0."""
    return ["Feature 1 of its data files is column 0."] if program.machine.first_id == 1 else []


def promises(program: Program) -> list[str]:
    """How far scores and labels are the machine's own."""
    scale, labels = program.scale, program.machine.scheme.has_labels
    unit = f"Scores are whole numbers times 2^{-scale.exponent}, the same on every platform."
    if scale.doubt is None:
        own = "Every score is the machine's own, without rounding" + (", and so is every label." if labels else ".")
        return [unit, own]
    parts = f"{scale.doubt.constant:.4g} + {scale.doubt.linear:.4g} h + {scale.doubt.square:.4g} h^2"
    typical = math.ldexp(scale.doubt.of(_TYPICAL), -scale.exponent)
    bound = [
        f"That of a row with h of the conjunctions is off by at most {parts} such units,",
        f"{typical:.2g} for h = {_TYPICAL}.",
    ]
    return [unit, *bound, *(_labels(program) if labels else [])]


def _labels(program: Program) -> list[str]:
    if program.definition is not None:
        return ["Labels are gristmill's, always: what this leaves open is decided by the support rows, which are here."]
    return [
        "Labels are gristmill's wherever scores are further apart than that; `decide` says of a row whether it is so."
    ]
