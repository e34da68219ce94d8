"""The file of a role labeller: two machines, and settings where the first one came from."""

from __future__ import annotations

from typing import Any

from gristmill.apps.loading import wrong_model
from gristmill.apps.provenance import with_provenance
from gristmill.base.files import PathLike
from gristmill.machines.collection import Machines
from gristmill.machines.formats import load

IDENTIFY, CLASSIFY = "identify", "classify"
NO, YES = "no", "yes"  # what the first one says

KEY = "roles"


def save_model(path: PathLike, machines: Machines, settings: dict[str, Any]) -> None:
    """Write it, whole or not at all; the roles are among the settings."""
    Machines({**machines, IDENTIFY: with_provenance(machines[IDENTIFY], {KEY: settings})}).save(path)


def load_model(path: PathLike) -> tuple[Machines, dict[str, Any]]:
    """Machines, and the settings that were saved with them; FormatError for other files."""
    machines = load(path)
    known = machines.get(IDENTIFY) if isinstance(machines, Machines) else None
    settings = known.provenance.get(KEY) if known is not None else None
    if not isinstance(machines, Machines) or not isinstance(settings, dict):
        raise wrong_model(machines, path, "a role labeller")
    return machines, dict(settings)


def check_model(machines: Machines, roles: Any) -> None:
    """ValueError where machines and roles do not fit."""
    if not isinstance(roles, list) or not roles or not all(isinstance(role, str) and role for role in roles):
        raise ValueError(f"roles must be a list of names, got {roles!r}")
    wanted = {IDENTIFY: [NO, YES]} | ({CLASSIFY: sorted(roles)} if len(roles) > 1 else {})
    classes = {name: [] if machine.classes is None else machine.classes.tolist() for name, machine in machines.items()}
    if classes != wanted:
        raise ValueError(f"expected machines with answers {wanted}, got {classes}")
