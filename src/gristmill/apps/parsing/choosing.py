"""Which machine of a parser decides when, and what its classes mean: for the core."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from gristmill import _core
from gristmill.apps.parsing.actions import action_of
from gristmill.apps.parsing.model import ParserModel, links_of
from gristmill.apps.parsing.settings import columns_of
from gristmill.apps.templates.configurations import CoreAddress, parse_address
from gristmill.machines.machine import Machine
from gristmill.scoring.scorer import Scorer


def core_split(model: ParserModel) -> tuple[CoreAddress, int] | None:
    """The address and column that machines are split by."""
    if model.split is None:
        return None
    return parse_address(model.split.address).core, columns_of(model.algorithm).index(model.split.column)


def chooser_of(machines: Mapping[str, Machine], model: ParserModel, scorers: Mapping[str, Scorer]) -> _core.Chooser:
    number = {name: at for at, name in enumerate(model.relations)}
    links = links_of(machines)
    parts = [
        (scorers[name].labeller(), [action_of(action, number) for action in np.asarray(machine.classes).tolist()])
        for name, machine in links.items()
    ]
    place = {name: at for at, name in enumerate(links)}
    route: Any = None
    split = core_split(model)
    if model.split is not None and split is not None:
        chosen = [place[name] for name in model.split.machines.values()]
        route = (*split, list(model.split.machines), chosen, place[model.split.other])
    return _core.Chooser(parts, route, number[model.common])
