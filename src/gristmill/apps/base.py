"""What all apps share: their parameters, which a model file keeps with the machines."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np

from gristmill.apps.provenance import with_provenance, without_provenance
from gristmill.base.errors import FormatError, naming
from gristmill.base.files import PathLike, display_name
from gristmill.kernels import Kernel, from_spec, to_spec
from gristmill.machines.collection import Machines
from gristmill.machines.machine import Machine

PARAMS = "params"  # where the first machine of a file keeps them
PER_RUN = ("engine", "n_jobs", "progress")  # how a computer does the work: never kept, given anew at load


class App:
    """Base of apps: their parameters are those of `__init__`, each an attribute of the same name."""

    kind: ClassVar[str]  # in messages: "a sound tagger"
    former_names: ClassVar[Mapping[str, str]] = {}  # of parameters, in files of earlier releases

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """All parameters by name, as scikit-learn gives them; `deep` changes nothing, for apps hold no estimators."""
        return {name: getattr(self, name) for name in _defaults(type(self))}

    def __repr__(self) -> str:
        """The class, and parameters that differ from their defaults; those that change no result are left out."""
        known = _defaults(type(self))
        given = ((name, getattr(self, name)) for name in known if name not in ("n_jobs", "progress"))
        params = ", ".join(f"{name}={value!r}" for name, value in given if value != known[name])
        return f"{type(self).__name__}({params})"

    def check_settings(self) -> None:
        """ValueError where a parameter is not what it may be."""
        raise NotImplementedError

    # --- files --------------------------------------------------------------------------------------------------------

    @classmethod
    def recovered_params(cls, machines: Mapping[str, Machine]) -> dict[str, Any]:
        """Parameters that can be read off the machines: all there is in files of releases that kept none."""
        raise NotImplementedError

    @classmethod
    def stored_params(cls, machines: Mapping[str, Machine]) -> dict[str, Any]:
        """The parameters that a model file keeps; what it says nothing of has its default. FormatError if unsound."""
        listed = next((one.provenance[PARAMS] for one in machines.values() if PARAMS in one.provenance), None)
        defaults = _kept(_defaults(cls))
        try:
            known = cls.recovered_params(machines) if listed is None else _of_json(cls.renamed(listed), defaults)
        except (KeyError, TypeError, ValueError) as error:
            raise FormatError(f"not a sound {cls.kind}: {error}") from error
        return defaults | known

    @classmethod
    def renamed(cls, settings: Any) -> Any:
        """Settings of a file, with the names that parameters have now."""
        if not isinstance(settings, Mapping):
            return settings
        return {cls.former_names.get(name, name): value for name, value in settings.items()}

    @classmethod
    def _restored(cls, machines: Mapping[str, Machine], path: PathLike, per_run: dict[str, Any]) -> Self:
        """An app without machines: the parameters of a file, but for those of this run."""
        with naming(display_name(path)):
            stored = cls.stored_params(machines)
            try:
                app = cls(**stored)
            except (TypeError, ValueError) as error:
                raise FormatError(f"not a sound {cls.kind}: {error}") from error
        for name, value in per_run.items():
            setattr(app, name, value)
        app.check_settings()
        return app

    def _remembered(self, machine: Machine) -> Machine:
        """The machine with the parameters, as files have it."""
        return with_provenance(machine, {PARAMS: params_as_json(_kept(self.get_params()))})


def params_as_json(params: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters as JSON has them: kernels by what makes them, numbers of NumPy as those of Python."""
    return {name: _as_json(value) for name, value in params.items()}


def with_params(machines: Machines, app: App) -> Machines:
    """Machines, the first of which has the parameters of an app."""
    (name, first), *rest = machines.items()
    return Machines({name: app._remembered(first), **dict(rest)})


def without_params(machines: Machines) -> Machines:
    """Machines as they were learned, without parameters of an app."""
    return Machines({name: without_provenance(machine, PARAMS) for name, machine in machines.items()})


def check_same(params: Mapping[str, Any], settings: Mapping[str, Any]) -> None:
    """ValueError where a file says two things about one parameter."""
    for name, value in params.items():
        if name in settings and settings[name] != value:
            raise ValueError(f"{name} is {settings[name]!r} in one place and {value!r} in another")


def _defaults(app: type[App]) -> dict[str, Any]:
    return {name: parameter.default for name, parameter in inspect.signature(app).parameters.items()}


def _kept(params: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in params.items() if name not in PER_RUN}


def _as_json(value: Any) -> Any:
    if isinstance(value, Kernel):
        return to_spec(value)
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, np.bool_):
        return bool(value)
    if isinstance(value, Integral):
        return int(value)
    if isinstance(value, Real):
        return float(value)
    raise ValueError(f"a model file keeps text, numbers and kernels, got the parameter {value!r}")


def _of_json(listed: Any, defaults: Mapping[str, Any]) -> dict[str, Any]:
    if not isinstance(listed, Mapping):
        raise ValueError(f"parameters must have names, got {listed!r:.60}")
    unknown = sorted(set(listed) - set(defaults))
    if unknown:
        raise ValueError(f"this release knows no parameters {unknown}; a later one may: upgrade gristmill")
    return {name: from_spec(value) if isinstance(value, dict) else value for name, value in listed.items()}
