"""What a role labeller works with: two machines, its roles and settings, and how these are checked."""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping
from numbers import Real
from typing import Any, NamedTuple, get_args

from gristmill.apps.roles.examples import check_count
from gristmill.apps.roles.nodes import Candidates, PredicateNode
from gristmill.base.checks import check_choice, check_flag, check_positive, check_positive_int, is_whole
from gristmill.data.relations import FORMS
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
    check_choice("form", settings["form"], FORMS)
    check_choice("candidates", settings["candidates"], get_args(Candidates))
    check_choice("predicate", settings["predicate"], get_args(PredicateNode))
    check_count("max_examples", settings["max_examples"], 1)
    check_positive_int("min_count", settings["min_count"])
    check_positive("C", settings["C"])
    for name in ("lowercase", "overlap", *(["words"] if settings["words"] is not None else [])):
        check_flag(name, settings[name])
    threshold, seed = settings["threshold"], settings["random_state"]
    if not isinstance(threshold, Real) or isinstance(threshold, bool) or not math.isfinite(threshold):
        raise ValueError(f"threshold must be a number, got {threshold!r}")
    if not is_whole(seed) or seed < 0:
        raise ValueError(f"random_state must be a whole number from 0 on, got {seed!r}")
    _check_kernel(settings["kernel"])


def _check_kernel(kernel: Any) -> None:
    reads = as_kernel(kernel).reads
    if reads != "trees":
        raise ValueError(f"roles need a kernel of trees, got one of {reads}, {kernel!r}")
