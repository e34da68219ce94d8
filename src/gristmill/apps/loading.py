"""Open a model of any kind: a machine, or the program that it was learned for."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any, NamedTuple

from gristmill.base.errors import FormatError
from gristmill.base.files import PathLike, display_name
from gristmill.machines.collection import Machines
from gristmill.machines.formats import load
from gristmill.machines.machine import Machine
from gristmill.machines.structured import StructuredMachine

if TYPE_CHECKING:
    from gristmill.apps import DependencyParser, RoleLabeller, Segmenter, Tagger, TreeClassifier

    Program = Tagger | Segmenter | DependencyParser | RoleLabeller | TreeClassifier
    Model = Machine | Program


class _App(NamedTuple):
    command: str
    name: str  # of the class in gristmill.apps
    title: str
    evaluates: bool = True  # whether its `evaluate` takes a model


_APPS = {  # by what their machines keep
    "tagger": _App("tag", "Tagger", "a tagger"),
    "segmenter": _App("segment", "Segmenter", "a segmenter"),
    "parser": _App("parse", "DependencyParser", "a dependency parser"),
    "roles": _App("roles", "RoleLabeller", "a role labeller", evaluates=False),
    "tree_classifier": _App("classify-trees", "TreeClassifier", "a tree classifier"),
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
    return getattr(importlib.import_module("gristmill.apps"), _APPS[key].name)


def open_machine(path: PathLike, name: str | None = None, *, trees: bool = True, use: str = "run") -> Machine:
    """The machine of a file for rows, or for trees; see `open_machines`. Of several that of this name."""
    return next(iter(open_machines(path, name, trees=trees, several=False, use=use).values()))


def open_machines(
    path: PathLike, name: str | None = None, *, trees: bool = True, several: bool = True, use: str = "run"
) -> dict[str, Machine]:
    """The machines of a file, by name, for commands that give them rows or trees as files have them.

    Parameters
    ----------
    path : path or '-'
        Of any known format.
    name : str or None
        Which of several machines.
    trees : bool
        Whether machines on trees are taken.
    several : bool
        Whether more than one machine is taken.
    use : str
        The subcommand of an app that the error suggests.

    Raises
    ------
    FormatError
        For the model of an app, which makes its own rows; with the command that runs it.
    """
    found = load(path)
    if _key(found) is not None:
        raise wrong_model(found, path, "a machine on rows or trees" if trees else "a machine on rows", use)
    machines = machines_of(found)
    if name is not None or not several:
        machines = {name or "": chosen(machines, name, display_name(path))}
    for machine in machines.values():
        if isinstance(machine, StructuredMachine) and not trees:
            raise wrong_model(machine, path, "a machine on rows")
    return machines


def wrong_model(found: Machine | Machines, path: PathLike, wanted: str, use: str = "run") -> FormatError:
    """The error for a model of another kind than is wanted: what it is, and which command takes it."""
    return FormatError(f"expected {wanted}, got {_described(found, use)}", display_name(path))


def _described(found: Machine | Machines, use: str) -> str:
    key = _key(found)
    if key is not None:
        app = _APPS[key]
        return f"{app.title}: use `gristmill {app.command} {use if app.evaluates else 'run'}`"
    if isinstance(found, Machines):
        return f"{len(found)} machines: use `gristmill predict --machine NAME`"
    what = "trees" if isinstance(found, StructuredMachine) else "rows"
    return f"a machine on {what}: use `gristmill predict`"


def command_of(found: Machine | Machines) -> str | None:
    """The command that a model was learned by, where that is one of the programs."""
    key = _key(found)
    return None if key is None else _APPS[key].command


def _key(found: Machine | Machines) -> str | None:
    for machine in machines_of(found).values():
        if str(machine.provenance.get("format", "")).startswith("yamcha"):
            return "tagger"
        if key := next((key for key in _APPS if key in machine.provenance), None):
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
    which = f"say which by --machine, or write one to a file by `gristmill convert --machine NAME`: {some}"
    raise ValueError(f"{shown} holds {len(machines)} machines; {which}")
