"""`gristmill.load`: a machine, machines or an app, whatever a file holds; and how commands open their models."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from gristmill.base.errors import UNSOUND, FormatError
from gristmill.base.files import PathLike, display_name
from gristmill.machines.collection import Machines
from gristmill.machines.formats import read_model
from gristmill.machines.machine import Machine

if TYPE_CHECKING:
    from gristmill.apps.base import App

    Model: TypeAlias = Machine | App[Any]


class _App(NamedTuple):
    command: str
    name: str  # of the class in gristmill.apps
    title: str
    several: bool = False  # machines
    evaluates: bool = True  # whether its `evaluate` takes a model


_APPS = {  # by what their machines keep; those of a pipeline keep what their own apps do, too
    "pipeline": _App("pipeline", "TextPipeline", "a text pipeline", several=True),
    "morphology": _App("tag", "MorphologicalTagger", "a morphological tagger", several=True),
    "tagger": _App("tag", "Tagger", "a tagger"),
    "segmenter": _App("segment", "Segmenter", "a segmenter"),
    "tokenizer": _App("tokenize", "Tokenizer", "a tokenizer"),
    "splitter": _App("split-words", "Splitter", "a splitter of multiword tokens"),
    "lemmatizer": _App("lemmatize", "Lemmatizer", "a lemmatizer"),
    "parser": _App("parse", "DependencyParser", "a dependency parser", several=True),
    "roles": _App("roles", "RoleLabeller", "a role labeller", several=True, evaluates=False),
    "tree_classifier": _App("classify-trees", "TreeClassifier", "a tree classifier"),
}


def load(path: PathLike, **runtime: Any) -> Machine | Machines | App[Any]:
    """What a file holds: a Machine, Machines, or the Tagger, Segmenter, DependencyParser ... that was saved.

    A model of YamCha is a Machine; `Tagger.load` makes a tagger of it.

    Parameters
    ----------
    path : path or '-'
        Of any known format, recognised by content. Compressed files are unpacked. A directory, zip or tar archive of
        model files gives `Machines`, named by the files.
    **runtime
        For an app: how it works on this computer, such as `engine` and `n_jobs`; see its `load`.

    Raises
    ------
    FormatError
        With file, line and column, if a file is damaged or of no known format.

    Examples
    --------
    >>> import gristmill as gm
    >>> sentences = [[("the", "D"), ("cat", "N"), ("eats", "V")], [("a", "D"), ("dog", "N"), ("sleeps", "V")]]
    >>> gm.apps.Tagger("F:-1..1:0 T:-1").fit(sentences).save("tagger.safetensors")  # doctest: +SKIP
    >>> gm.load("tagger.safetensors", n_jobs=2).tag(["the", "dog", "eats"])  # doctest: +SKIP
    ['D', 'N', 'V']
    """
    found = read_model(path)
    key = _key(found)
    if key is not None and not _is_yamcha(found) and is_app(found, key):
        return _app(key, found, path, runtime)
    if runtime:
        raise ValueError(f"{display_name(path)} holds no app, but {found!r}: give {', '.join(runtime)} to `compile`")
    return found


def open_model(path: PathLike, name: str | None = None, **runtime: Any) -> Model:
    """An app, or one machine, for commands: of several machines that of this name. A model of YamCha is a tagger."""
    found = read_model(path)
    key = _key(found)
    return chosen(machines_of(found), name, display_name(path)) if key is None else _app(key, found, path, runtime)


def app_of(found: Machine | Machines, path: PathLike, **runtime: Any) -> App[Any]:
    """The app whose machines these are; FormatError where they are no app's."""
    key = _key(found)
    if key is None or not is_app(found, key):
        raise FormatError("expected the machines of an app", display_name(path))
    return _app(key, found, path, runtime)


def _app(key: str, found: Machine | Machines, path: PathLike, runtime: dict[str, Any]) -> App[Any]:
    opened: App[Any] = _class_of(key).from_machines(found, path, **runtime)
    return opened


def params_of(found: Machine | Machines) -> dict[str, Any] | None:
    """The parameters of the app that machines belong to; None where they are no sound app's."""
    key = _key(found)
    try:
        return None if key is None else dict(_class_of(key).stored_params(machines_of(found)))
    except UNSOUND:
        return None


def title_of(key: str) -> str:
    """The app in messages, such as "a tagger", by what its machines keep."""
    return _APPS[key].title


def is_app(found: Machine | Machines, key: str) -> bool:
    """Whether these are all machines of the app: one or several, as it has."""
    return _key(found) == key and _APPS[key].several == isinstance(found, Machines)


def _class_of(key: str) -> Any:
    return getattr(importlib.import_module("gristmill.apps"), _APPS[key].name)


def open_machine(path: PathLike, name: str | None = None, *, trees: bool = True, use: str = "run") -> Machine:
    """The machine of a file for rows, or for trees; see `open_machines`. Of several that of this name."""
    return next(iter(open_machines(path, name, trees=trees, several=False, use=use).values()))


def open_machines(
    path: PathLike, name: str | None = None, *, trees: bool = True, several: bool = True, use: str = "run"
) -> dict[str, Machine]:
    """The machines of a file, by name, for commands that give them rows or trees as files have them.

    `trees` and `several` say whether machines on trees, and more than one machine, are taken. FormatError for the model
    of an app, which makes its own rows; it names the command for that, with the subcommand `use`.
    """
    found = read_model(path)
    if _key(found) is not None:
        raise wrong_model(found, path, "a machine on rows or trees" if trees else "a machine on rows", use)
    machines = machines_of(found)
    if name is not None or not several:
        machines = {name or "": chosen(machines, name, display_name(path))}
    for machine in machines.values():
        if not machine.explains_features and not trees:
            raise wrong_model(machine, path, "a machine on rows")
    return machines


def wrong_model(found: Machine | Machines, path: PathLike, expected: str, use: str = "run") -> FormatError:
    """The error for a model of another kind than is expected: what it is, and which command takes it."""
    return FormatError(f"expected {expected}, got {_described(found, use)}", display_name(path))


def _described(found: Machine | Machines, use: str) -> str:
    key = _key(found)
    if key is not None:
        app = _APPS[key]
        return f"{app.title}: use `gristmill {app.command} {use if app.evaluates else 'run'}`"
    if isinstance(found, Machines):
        return f"{len(found)} machines: use `gristmill predict --machine NAME`"
    what = "trees" if not found.explains_features else "rows"
    return f"a machine on {what}: use `gristmill predict`"


def command_of(found: Machine | Machines) -> str | None:
    """The command that a model was learned by, where it is an app's."""
    key = _key(found)
    return None if key is None else _APPS[key].command


def _key(found: Machine | Machines) -> str | None:
    """That of the app whose machines these are, or are among these."""
    if _is_yamcha(found):
        return "tagger"
    known = (key for machine in machines_of(found).values() for key in _APPS if key in machine.provenance)
    return next(known, None)


def _is_yamcha(found: Machine | Machines) -> bool:
    formats = (str(machine.provenance.get("format", "")) for machine in machines_of(found).values())
    return any(name.startswith("yamcha") for name in formats)


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
