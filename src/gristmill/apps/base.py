"""What all apps share: learning, one example or many, scores, explanations, and files with machines and parameters."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, Generic, Self, TypeVar

import numpy as np

from gristmill.apps.loading import is_app, machines_of, title_of, wrong_model
from gristmill.apps.parsing.tree import DependencyTree, Word
from gristmill.base.errors import UNSOUND, FormatError, naming, not_fitted
from gristmill.base.files import PathLike, display_name
from gristmill.kernels import Kernel, from_spec, to_spec
from gristmill.machines.collection import Machines
from gristmill.machines.formats import ModelFormat, own, read_model
from gristmill.machines.machine import Machine

PARAMS = "params"  # where the first machine of a file keeps them
RUNTIME = ("engine", "n_jobs", "progress")  # how a computer does the work: never kept, given anew at load

E = TypeVar("E")  # what an app works with once its machines are compiled
M = TypeVar("M", Machine, Machines, Machine | Machines)


class App(Generic[E]):
    """Base of apps, which are dataclasses: their fields are their parameters.

    Attributes
    ----------
    machine_ : Machine or Machines
        What was learned.
    scorer_ : Scorer or Scorers
        The same, compiled when first needed.
    """

    kind: ClassVar[str]  # in messages: "a sound tagger"
    key: ClassVar[str]  # what machines of its files keep its settings under
    former_names: ClassVar[Mapping[str, str]] = {}  # of parameters, in files of earlier releases
    formats: ClassVar[tuple[str, ...]] = ()  # of other programs that can hold it
    _reads_tokens: ClassVar[bool] = True  # an example is a list of tokens
    _compiled_by: ClassVar[tuple[str, ...]] = ("engine",)  # parameters that compiling depends on

    machine_: Machine | Machines
    _state: Any = None  # what the app needs in addition to its machines
    _compiled: tuple[tuple[Any, ...], E] | None = None

    # --- parameters ---------------------------------------------------------------------------------------------------

    def __post_init__(self) -> None:
        self.check_settings()

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
        """ValueError where a parameter has a wrong value; called when an app is made, and by `fit`."""
        raise NotImplementedError

    # --- learning and predicting --------------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn from examples.

        If it is interrupted, what was learned so far is kept and KeyboardInterrupt raised again. If it fails, what was
        learned before is left as it was.
        """
        self.check_settings()
        self._learn(X, y)
        return self

    def predict(self, X: Any) -> Any:
        """The answer for one example, or the answers for many; see `is_one`."""
        X = list(X) if isinstance(X, Iterator) else X
        return self._predict_many([X])[0] if is_one(X, self._reads_tokens) else self._predict_many(X)

    def evaluate(self, X: Any, y: Any = None) -> Any:
        """Predict examples whose answers are known, and compare: all scores."""
        raise NotImplementedError

    def score(self, X: Any, y: Any = None) -> float:
        """Predict examples whose answers are known, and compare: the one number that says most; see `evaluate`."""
        return float(self.evaluate(X, y).main)

    def explain(self, X: Any, *args: Any, **options: Any) -> Any:
        """Why one example got its answer; of many examples a list."""
        X = list(X) if isinstance(X, Iterator) else X
        if is_one(X, self._reads_tokens):
            return self._explain_one(X, *args, **options)
        return [self._explain_one(one, *args, **options) for one in X]

    def _learn(self, X: Any, y: Any) -> None:
        raise NotImplementedError

    def _predict_many(self, X: Any) -> Any:
        raise NotImplementedError

    def _explain_one(self, X: Any, *args: Any, **options: Any) -> Any:
        raise NotImplementedError

    # --- what was learned ---------------------------------------------------------------------------------------------

    def __getattr__(self, name: str) -> Any:
        """Names that end in _ are there after `fit`; before it, NotFittedError says so."""
        if name.endswith("_") and not name.startswith("_") and "machine_" not in vars(self):
            raise not_fitted(f"this {type(self).__name__} is not fitted: call fit, or load what was saved")
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def __getstate__(self) -> dict[str, Any]:
        """For pickle: what is compiled is compiled again."""
        return {name: value for name, value in vars(self).items() if name != "_compiled"}

    @property
    def engine_(self) -> E:
        """The machines, compiled when first needed, with everything else that is needed to predict."""
        machine, how = self.machine_, tuple(getattr(self, name) for name in self._compiled_by)
        if self._compiled is None or self._compiled[0] != how:
            self._compiled = how, self._compile(machine)
        return self._compiled[1]

    @engine_.setter
    def engine_(self, engine: E) -> None:
        self._compiled = tuple(getattr(self, name) for name in self._compiled_by), engine

    @property
    def scorer_(self) -> Any:
        """The machine or machines, compiled: a Scorer, or Scorers."""
        engine: Any = self.engine_
        return engine.scorer

    def _compile(self, machine: Any) -> E:
        raise NotImplementedError

    def _keep(self, machine: Machine | Machines, state: Any) -> None:
        """Take what was learned, or read from a file."""
        self.machine_, self._state, self._compiled = machine, state, None

    # --- files --------------------------------------------------------------------------------------------------------

    def save(self, path: PathLike) -> None:
        """Write everything that was learned, and the parameters, to one safetensors file, whole or not at all."""
        self._to_save().save(path)

    def machine_for(self, known: ModelFormat) -> Machine | Machines:
        """What `gristmill.write` writes in a format; ValueError where that cannot hold the app."""
        if known is own:
            return self._to_save()
        if known.NAME not in self.formats:
            raise ValueError(f"a {known.TITLE} cannot hold {title_of(self.key)}: use save, or write its machine_")
        return self.machine_

    @classmethod
    def load(cls, path: PathLike, **runtime: Any) -> Self:
        """What was saved; FormatError for other files.

        Parameters are those that it was saved with, but for `engine`, `n_jobs` and `progress`, which may be given anew.
        Of files of older releases they are what can be read off the machines, else the defaults.
        """
        return cls.from_machines(read_model(path), path, **runtime)

    @classmethod
    def from_machines(cls, found: Machine | Machines, path: PathLike, **runtime: Any) -> Self:
        """The app whose machines were read from a file."""
        unknown = sorted(set(runtime) - {*RUNTIME, *cls._compiled_by} & set(_defaults(cls)))
        if unknown:
            raise ValueError(f"{title_of(cls.key)} has no {' and '.join(unknown)} to choose")
        if not is_app(found, cls.key):
            raise wrong_model(found, path, title_of(cls.key))
        with naming(display_name(path)):
            app, state = cls._restored(machines_of(found))
        for name, value in runtime.items():
            setattr(app, name, value)
        app.check_settings()
        app._keep(without_params(found), state)
        return app

    def _to_save(self) -> Machine | Machines:
        """The machines, the first of which keeps the parameters."""
        return with_provenance(self.machine_, {PARAMS: params_as_json(_kept(self.get_params()))})

    @classmethod
    def _restored(cls, machines: Mapping[str, Machine]) -> tuple[Self, Any]:
        """The app with the parameters of a file, and what else its machines keep; FormatError where it is not sound."""
        try:
            state = cls._read_state(machines)
            app = cls(**cls.stored_params(machines))
            app._check_state(machines, state)
        except UNSOUND as error:
            raise FormatError(f"not a sound {cls.kind}: {error}") from error
        return app, state

    @classmethod
    def _read_state(cls, machines: Mapping[str, Machine]) -> Any:
        """What the machines keep of the app; an error where it is not sound."""
        raise NotImplementedError

    def _check_state(self, machines: Mapping[str, Machine], state: Any) -> None:
        """ValueError where a file says two things."""

    @classmethod
    def recovered_params(cls, machines: Mapping[str, Machine]) -> dict[str, Any]:
        """Parameters that can be read off the machines: all there is in files of releases that kept none."""
        raise NotImplementedError

    @classmethod
    def stored_params(cls, machines: Mapping[str, Machine]) -> dict[str, Any]:
        """The parameters that a model file keeps; what it says nothing of has its default. An error if unsound."""
        listed = next((one.provenance[PARAMS] for one in machines.values() if PARAMS in one.provenance), None)
        defaults = _kept(_defaults(cls))
        return defaults | (
            cls.recovered_params(machines) if listed is None else _of_json(cls.renamed(listed), defaults)
        )

    @classmethod
    def renamed(cls, settings: Any) -> Any:
        """Settings of a file, with the names that parameters have now."""
        if not isinstance(settings, Mapping):
            return settings
        return {cls.former_names.get(name, name): value for name, value in settings.items()}


def is_one(X: Any, tokens: bool) -> bool:
    """Whether X is one example: a text, a tree or, where examples are lists of tokens, a list that starts with one.

    A token is a string, a tuple of columns, a `Word` or a mapping.
    """
    if isinstance(X, str | DependencyTree):
        return True
    return tokens and isinstance(X, Sequence) and len(X) > 0 and isinstance(X[0], str | tuple | Word | Mapping)


def with_tags(sentences: Iterable[Any], tags: Iterable[Sequence[str]] | None) -> Iterable[Any]:
    """Sentences whose tokens have their tag as one column more; as they are, where there are no tags."""
    if tags is None:
        return sentences
    return [
        [(*((token,) if isinstance(token, str) else token), tag) for token, tag in zip(sentence, own_tags, strict=True)]
        for sentence, own_tags in zip(sentences, tags, strict=True)
    ]


# --- parameters in files ----------------------------------------------------------------------------------------------


def params_as_json(params: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters as JSON has them: kernels by what makes them, numbers of NumPy as those of Python."""
    return {name: _as_json(value) for name, value in params.items()}


def with_provenance(machine: M, more: dict[str, Any]) -> M:
    """The machine, or the first of machines, with more known about where it came from."""
    if isinstance(machine, Machines):
        (name, first), *rest = machine.items()
        return Machines({name: with_provenance(first, more), **dict(rest)})
    return machine.replace(provenance=machine.provenance | more)


def without_params(found: M) -> M:
    """Machines as they were learned, without parameters of an app."""
    return without_provenance(found, PARAMS)


def without_provenance(found: M, key: str) -> M:
    """Machines as they were, without what they know under a key."""
    if isinstance(found, Machines):
        return Machines({name: without_provenance(machine, key) for name, machine in found.items()})
    if key not in found.provenance:
        return found
    return found.replace(provenance={name: value for name, value in found.provenance.items() if name != key})


def check_same(params: Mapping[str, Any], settings: Mapping[str, Any]) -> None:
    """ValueError where a file says two things about one parameter."""
    for name, value in params.items():
        if name in settings and settings[name] != value:
            raise ValueError(f"{name} is {settings[name]!r} in one place and {value!r} in another")


def _defaults(app: type[App[Any]]) -> dict[str, Any]:
    return {name: parameter.default for name, parameter in inspect.signature(app).parameters.items()}


def _kept(params: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in params.items() if name not in RUNTIME}


def _as_json(value: Any) -> Any:
    if isinstance(value, Kernel):
        return to_spec(value)
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, bool | str | int | float):
        return value
    raise ValueError(f"a model file keeps text, numbers and kernels, got the parameter {value!r}")


def _of_json(listed: Any, defaults: Mapping[str, Any]) -> dict[str, Any]:
    if not isinstance(listed, Mapping):
        raise ValueError(f"parameters must have names, got {listed!r:.60}")
    unknown = sorted(set(listed) - set(defaults))
    if unknown:
        raise ValueError(f"this release knows no parameters {unknown}; a later one may: upgrade gristmill")
    return {name: from_spec(value) if isinstance(value, dict) else value for name, value in listed.items()}
