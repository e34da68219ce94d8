"""What a role labeller works with: two machines, its roles and settings, and how these are checked."""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping
from numbers import Real
from typing import Any, NamedTuple

from gristmill.apps.roles.examples import check_count
from gristmill.apps.roles.nodes import check_candidates, check_form, check_predicate
from gristmill.explanations.tree_nodes import TreeExplainer
from gristmill.kernels.named import as_kernel
from gristmill.machines.collection import Machines
from gristmill.machines.machine import Machine

IDENTIFY, CLASSIFY = "identify", "classify"
NO, YES = "no", "yes"  # what the first one says

KEY = "roles"


class RoleModel(NamedTuple):
    """Roles and kind of leaves, and all settings that the file has."""

    roles: list[str]
    words: bool  # leaves are words
    settings: Mapping[str, Any]


class RoleEngine:
    """The machines, compiled."""

    def __init__(self, machines: Machines, model: RoleModel) -> None:
        self.scorer, self.model, self._machines = machines.compile(), model, machines

    @functools.cached_property
    def explainers(self) -> Mapping[str, TreeExplainer]:
        return {name: TreeExplainer(machine) for name, machine in self._machines.items()}


def check_model(machines: Mapping[str, Machine], roles: Any) -> None:
    """ValueError where machines and roles do not fit."""
    if not isinstance(roles, list) or not roles or not all(isinstance(role, str) and role for role in roles):
        raise ValueError(f"roles must be a list of names, got {roles!r}")
    expected = {IDENTIFY: [NO, YES]} | ({CLASSIFY: sorted(roles)} if len(roles) > 1 else {})
    classes = {name: [] if machine.classes is None else machine.classes.tolist() for name, machine in machines.items()}
    if classes != expected:
        raise ValueError(f"expected machines with answers {expected}, got {classes}")


def check_settings(settings: Mapping[str, Any]) -> None:
    """ValueError where one is not what it may be."""
    check_form(settings["form"])
    check_candidates(settings["candidates"])
    check_predicate(settings["predicate"])
    check_count("max_examples", settings["max_examples"], 1)
    for name, least in (("min_count", 1), ("random_state", 0)):
        if settings[name] is None:
            raise ValueError(f"{name} must be a whole number from {least} on, got None")
        check_count(name, settings[name], least)
    _check_number("threshold", settings["threshold"], "a number", -math.inf)
    _check_number("C", settings["C"], "a number above 0", 0.0)
    for name in ("lowercase", "overlap", "words"):
        if not isinstance(settings[name], bool) and not (name == "words" and settings[name] is None):
            raise ValueError(f"{name} must be True or False, got {settings[name]!r}")
    _check_kernel(settings["kernel"])


def _check_number(name: str, value: Any, what: str, above: float) -> None:
    is_number = isinstance(value, Real) and not isinstance(value, bool)
    if not is_number or not above < value < math.inf:
        raise ValueError(f"{name} must be {what}, got {value!r}")


def _check_kernel(kernel: Any) -> None:
    reads = as_kernel(kernel).reads
    if reads != "trees":
        raise ValueError(f"roles need a kernel of trees, got one of {reads}, {kernel!r}")
