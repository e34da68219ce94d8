"""Open a model of any kind: a machine, or the program that it was learned for."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from gristmill.collection import Machines
from gristmill.errors import FormatError
from gristmill.files import PathLike, display_name
from gristmill.formats import load
from gristmill.machine import Machine

if TYPE_CHECKING:
    from gristmill.apps import DependencyParser, RoleLabeller, Segmenter, Tagger, TreeClassifier

    Program = Tagger | Segmenter | DependencyParser | RoleLabeller | TreeClassifier
    Model = Machine | Program

# by what their machines keep: the command, and the class in gristmill.apps
_PROGRAMS = {
    "tagger": ("tag", "Tagger"),
    "segmenter": ("segment", "Segmenter"),
    "parser": ("parse", "DependencyParser"),
    "roles": ("roles", "RoleLabeller"),
    "tree_classifier": ("classify-trees", "TreeClassifier"),
}


def open_model(path: PathLike, name: str | None = None, **settings: Any) -> Model:
    """What a file holds: a Tagger, Segmenter, DependencyParser, RoleLabeller or TreeClassifier, else a Machine.

    Parameters
    ----------
    path : path
        Of any known format.
    name : str or None
        Of a file with several machines that are no program's, which one.
    **settings
        Of the `load` of a program, such as `engine`; machines have none.
    """
    found = load(path)
    key = _key(found)
    if key is not None:
        program = _class_of(key)
        if key == "roles" and settings:
            raise ValueError(f"a role labeller has no {' and '.join(settings)} to choose")
        opened: Program = program.load(path, **settings)
        return opened
    return chosen(machines_of(found), name, display_name(path))


def params_of(found: Machine | Machines) -> dict[str, Any] | None:
    """The parameters of the app that machines belong to; None where they are no sound app's."""
    key = _key(found)
    try:
        return None if key is None else dict(_class_of(key).stored_params(machines_of(found)))
    except FormatError:
        return None


def _class_of(key: str) -> Any:
    return getattr(importlib.import_module("gristmill.apps"), _PROGRAMS[key][1])


def command_of(found: Machine | Machines) -> str | None:
    """The command that a model was learned by, where that is one of the programs."""
    key = _key(found)
    return None if key is None else _PROGRAMS[key][0]


def _key(found: Machine | Machines) -> str | None:
    for machine in machines_of(found).values():
        if str(machine.provenance.get("format", "")).startswith("yamcha"):
            return "tagger"
        if key := next((key for key in _PROGRAMS if key in machine.provenance), None):
            return key
    return None


def machines_of(found: Machine | Machines) -> dict[str, Machine]:
    """By their names; a single machine has none."""
    return dict(found) if isinstance(found, Machines) else {"": found}


def chosen(machines: dict[str, Machine], name: str | None, shown: str) -> Machine:
    """The only machine of a file, or that of this name; an error that says which there are."""
    if name is None and len(machines) == 1:
        return next(iter(machines.values()))
    if name in machines and name:
        return machines[name]
    if "" in machines:
        raise ValueError(f"{shown} holds a single machine, none called {name!r}")
    some = ", ".join(list(machines)[:10]) + ", ..." * (len(machines) > 10)
    raise ValueError(f"{shown} holds {len(machines)} machines; say which by --machine: {some}")
