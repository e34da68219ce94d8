"""An online learner that continues from call to call, and the Machine it has learned."""

from __future__ import annotations

import dataclasses
import time
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gristmill import _core
from gristmill.base.arrays import Arrays, Floats, Int32s, Int64s
from gristmill.base.progress import Progress
from gristmill.base.threads import resolve_jobs
from gristmill.data.rows import Rows
from gristmill.display.words import counted, listed_labels
from gristmill.kernels import PolynomialKernel
from gristmill.machines.machine import Machine
from gristmill.machines.schemes import Scheme
from gristmill.solvers.online.settings import OnlineSettings

NO_WEIGHTS: Floats = np.empty(0)

KEPT = {"kept_numbers": np.uint64, "kept_units": np.int64, "kept_sizes": np.float64}  # in the order of the core
STATE = "features offsets ranks rows up down units sizes times numbers".split()  # in the order of the core


@dataclass(frozen=True)
class OnlineStats:
    """What a learner has done so far."""

    examples: int  # seen, those of weight 0 left out
    updates: int
    mistakes: int  # updates for which the class had been wrong
    cut_short: int  # margins that early termination did not have to finish
    mean_loss: float  # of 1 - margin where it was above 0, over all examples
    support: int  # rows stored
    nbytes: int  # that the engine takes
    seconds: float


class OnlineLearner:
    """Learns from one block of rows after the other, and keeps its state.

    Parameters
    ----------
    settings : OnlineSettings
    classes : array of labels
        Two or more; examples name them by number.
    smallest_weight : float
        Of the classes: the smallest factor of C, for the choice of the unit.
    init : Machine or None
        To start from: of the same kernel and classes.
    """

    def __init__(
        self,
        settings: OnlineSettings,
        classes: NDArray[Any],
        *,
        smallest_weight: float = 1.0,
        init: Machine | None = None,
    ) -> None:
        if len(classes) < 2:
            found = counted(len(classes), "class", "classes")
            raise ValueError(f"a classifier needs at least two classes, got {found}: {listed_labels(classes)}")
        self.settings = settings
        self.classes = classes
        self.outputs = 1 if len(classes) == 2 else len(classes)
        self.cost: float | None = None  # known with the first rows
        self._exponents: list[int] | None = None  # as the cost: see OnlineSettings.exponents
        self._first_exponent: int | None = None
        self.n_features = 0
        self.seconds = 0.0
        self._smallest_weight = smallest_weight
        self._init = None if init is None else _checked(init, settings.kernel, classes)
        if self._init is not None:
            self.n_features = self._init.n_features
        self._options: dict[str, Any] = {}
        self._trainer: _core.OnlineTrainer | None = None

    def learn(
        self,
        rows: Rows,
        labels: Int32s,
        weights: Floats = NO_WEIGHTS,
        *,
        passes: int = 1,
        seed: int | None = None,
        visited: int = 0,
        stream: bool = False,
        n_jobs: int | None = None,
        progress: Progress | None = None,
    ) -> None:
        """Learn from rows, whose labels are class numbers; weights are factors of C.

        An interruption leaves what was learned so far. `visited` continues such a call: so many of its visits are
        done. With `stream` the engine is chosen for rows that do not come again. Threads (`n_jobs`) serve the engine
        push in integers; what is learned does not depend on them.
        """
        threads = resolve_jobs(n_jobs)
        self.ensure_begun(rows, weights)
        trainer = self._ready(stream)
        self.n_features = max(self.n_features, rows.n_features)
        begin = time.perf_counter()
        try:
            trainer.learn(rows.offsets, rows.ids, labels, weights, passes, seed, visited, progress, threads)
        finally:
            self.seconds += time.perf_counter() - begin

    def begin(self, lengths: Int64s) -> None:
        """Fix C, where it is 'auto' by the first rows: how many there are of each length."""
        values = self.settings.kernel.values(max(len(lengths) - 1, 0))[: len(lengths)]
        self.cost = self.settings.cost(float(lengths @ values) / max(int(lengths.sum()), 1))
        self._exponents = self.settings.exponents(self.cost * self._smallest_weight, self.outputs)
        if self._exponents is not None:
            self._first_exponent = self._exponents[0]
        if self._init is not None:
            support = self._init.rows
            if self._exponents is not None:  # coefficients are rounded as steps of the longest of its rows
                bits = max(int(support.lengths.max(initial=0)) - 1, 0).bit_length()
                self._first_exponent = self._exponents[min(bits, len(self._exponents) - 1)]
            self._trainer = self._make(self.settings.engine_options(stream=True))
            self._trainer.start_from(support.offsets, support.ids, self._init.dense_coef().ravel())

    def ensure_begun(self, rows: Rows, weights: Floats = NO_WEIGHTS) -> float:
        """C; begins with these rows, but those of weight 0, if nothing has begun yet."""
        if self.cost is None:
            self.begin(np.bincount(rows.lengths if len(weights) == 0 else rows.lengths[weights > 0]))
        assert self.cost is not None
        return self.cost

    def rank(self, features: Int32s) -> None:
        """Rank features in this order; between `begin` and the first rows."""
        if self._init is not None:
            return  # its support rows rank them
        self._trainer = self._make(self.settings.engine_options(stream=True))
        self._trainer.restore(*(_empty_state() | {"features": features}).values())

    @property
    def visited(self) -> int:
        """Visits of the last call, or of the one under way, that have been made."""
        return 0 if self._trainer is None else self._trainer.visited

    @property
    def exponent(self) -> int | None:
        """Of the unit 2^-e that everything is counted in, which longer rows make finer; None for doubles."""
        return self._first_exponent if self._trainer is None else self._trainer.exponent

    @property
    def arithmetic(self) -> str:
        return "double" if self.exponent is None else "integer"

    def stats(self) -> OnlineStats:
        """What has been done so far."""
        if self._trainer is None:
            return OnlineStats(0, 0, 0, 0, 0.0, 0, 0, 0.0)
        found = self._trainer.stats()
        counts = {name: int(found[name]) for name in ("examples", "updates", "mistakes", "cut_short", "support")}
        return OnlineStats(
            **counts,
            mean_loss=found["loss"] / max(found["examples"], 1.0),
            nbytes=self._trainer.nbytes,
            seconds=self.seconds,
        )

    def machine(self, **options: Any) -> Machine:
        """What was learned: averaged if the settings say so, equal rows merged, rows of no weight left out.

        options : of `Machine`, as feature_names, first_id
        """
        support: tuple[NDArray[Any], ...] = (np.zeros(1, dtype=np.int64), np.empty(0, dtype=np.int32), np.empty(0))
        if self._trainer is not None:
            support = self._trainer.support(self.settings.averaged)
        elif self._init is not None:
            support = (self._init.rows.offsets, self._init.rows.ids, self._init.dense_coef().ravel())
        offsets, ids, coef = support
        return Machine(
            self.settings.kernel,
            Rows(offsets, ids, n_features=self.n_features),
            coef.reshape(-1, self.outputs),
            np.zeros(self.outputs),
            self.classes,
            Scheme.BINARY if self.outputs == 1 else Scheme.ONE_VS_REST,
            provenance={"trained": "online", "update": self.settings.update, "C": self.cost},
            **options,
        )

    # --- as plain data ------------------------------------------------------------------------------------------------

    def state(self) -> tuple[dict[str, Any], Arrays]:
        """Everything, as what JSON can hold and arrays."""
        header = {
            "settings": dataclasses.asdict(self.settings),
            "classes": self.classes.tolist(),
            "cost": self.cost,
            "exponent": self.exponent,
            "smallest_weight": self._smallest_weight,
            "n_features": self.n_features,
            "seconds": self.seconds,
        }
        arrays = _empty_state()
        if self._trainer is not None:
            arrays = dict(zip(STATE, self._trainer.state(), strict=True))
        return header, arrays

    def kept(self) -> Arrays:
        """Scores of the examples of the running or interrupted call, for a call that continues it.

        Without them the engine push would add up everything again that was learned so far.
        """
        return {} if self._trainer is None else dict(zip(KEPT, self._trainer.kept(), strict=True))

    def offer(self, arrays: Arrays) -> None:
        """Take the arrays of `kept`, before a call that continues with the same examples (`visited`)."""
        if self._trainer is None or not all(name in arrays for name in KEPT):
            return
        numbers, units, sizes = (arrays[name] for name in KEPT)
        types = [
            array.dtype == dtype and array.ndim == 1
            for array, dtype in zip((numbers, units, sizes), KEPT.values(), strict=True)
        ]
        if not all(types) or len(numbers) != 5 or not np.isfinite(sizes).all():
            raise ValueError("scores that are no scores")
        self._trainer.offer(numbers, units, sizes)

    @classmethod
    def from_state(cls, header: dict[str, Any], arrays: Arrays) -> OnlineLearner:
        """The learner with this state, ready to continue; ValueError for an invalid state."""
        known = dict(header["settings"])
        settings = OnlineSettings(**known | {"kernel": PolynomialKernel(**known["kernel"])})
        weight = header.get("smallest_weight", 1.0)
        learner = cls(settings, np.array(header["classes"]), smallest_weight=weight)
        learner.cost = header["cost"]
        learner._first_exponent = header["exponent"]
        learner.n_features = header["n_features"]
        learner.seconds = header["seconds"]
        _check_state(arrays, learner.outputs, learner.exponent is not None)
        if learner.cost is not None:
            learner._exponents = learner._continued_exponents(learner.cost)
            learner._trainer = learner._make(settings.engine_options(stream=False))
            learner._trainer.restore(*(arrays[name] for name in STATE))
        return learner

    def __getstate__(self) -> dict[str, Any]:
        header, arrays = self.state()
        rest = (self.classes, self._smallest_weight, self._init)
        return {"header": header, "arrays": arrays, "rest": rest}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__ |= self.from_state(state["header"], state["arrays"]).__dict__
        self.classes, self._smallest_weight, self._init = state["rest"]

    # --- the core's learner -------------------------------------------------------------------------------------------

    def _ready(self, stream: bool) -> _core.OnlineTrainer:
        """The core's learner with the engine for such rows; a new engine takes over the state."""
        options = self.settings.engine_options(stream)
        if self._trainer is None:
            self._trainer = self._make(options)
        elif options != self._options:
            state = self._trainer.state()
            self._trainer = self._make(options)
            self._trainer.restore(*state)
        return self._trainer

    def _continued_exponents(self, cost: float) -> list[int] | None:
        """For a learner that continues in its arithmetic, which another release may have chosen."""
        if self._first_exponent is None:
            return None
        price = (cost * self._smallest_weight, self.outputs)
        return self.settings.exponents(*price) or replace(self.settings, arithmetic="integer").exponents(*price)

    def _make(self, options: dict[str, Any]) -> _core.OnlineTrainer:
        settings = self.settings
        exponent = self.exponent  # of the one before, if there is one
        self._options = options
        return _core.OnlineTrainer(
            settings.kernel.degree,
            settings.kernel.gamma,
            settings.kernel.coef0,
            getattr(_core.Update, settings.update),
            getattr(_core.StepNorm, settings.norm),
            1.0 if self.cost is None else self.cost,
            self.outputs,
            exponent,
            exponents=self._exponents or [],
            by_frequency=settings.rank_by == "frequency",
            budget=settings.budget or 0,
            **options,
        )


def _checked(init: Machine, kernel: PolynomialKernel, classes: NDArray[Any]) -> Machine:
    if not isinstance(init, Machine):
        raise ValueError(f"init must be a Machine, got {type(init).__name__}")
    if init.kernel != kernel:
        raise ValueError(f"init has {init.kernel}, learning continues with {kernel}: they must be the same")
    scheme = Scheme.BINARY if len(classes) == 2 else Scheme.ONE_VS_REST
    if init.scheme is not scheme or init.classes is None or not np.array_equal(init.classes, classes):
        raise ValueError(f"init must be a {scheme} machine of the classes {listed_labels(classes)}, got {init}")
    if not init.is_binary_valued or init.intercept.any():
        raise ValueError("init must have support values of 0 and 1 and no intercept")
    return init


def _empty_state() -> Arrays:
    types = (np.int32, np.int64, np.uint32, np.uint32, np.int32, np.int32, np.int64, np.float64, np.uint64)
    arrays: Arrays = {name: np.empty(0, dtype=dtype) for name, dtype in zip(STATE, types, strict=False)}
    arrays["offsets"] = np.zeros(1, dtype=np.int64)
    arrays["numbers"] = np.zeros(5)
    return arrays


def _check_state(arrays: Arrays, outputs: int, integers: bool) -> None:
    """Raise ValueError for a state that the core cannot take."""
    for name, like in _empty_state().items():
        if name not in arrays or arrays[name].dtype != like.dtype or arrays[name].ndim != 1:
            raise ValueError(f"the array {name!r} is missing or of another type")
    steps, offsets = len(arrays["rows"]), arrays["offsets"]
    sizes = {"up": steps, "down": steps, "times": steps, "numbers": 5}
    sizes |= {"units": 2 * steps * integers, "sizes": steps * (not integers)}
    sound = (
        all(len(arrays[name]) == size for name, size in sizes.items())
        and len(offsets) > 0
        and offsets[0] == 0
        and offsets[-1] == len(arrays["ranks"])
        and not (np.diff(offsets) < 0).any()
        and _below(arrays["ranks"], len(arrays["features"]))
        and _ascending(arrays["ranks"], offsets)
        and _below(arrays["rows"], len(offsets) - 1)
        and all(_below(arrays[name] + 1, outputs + 1) for name in ("up", "down"))
        and not (arrays["units"][1::2] < 0).any()
        and bool(np.isfinite(arrays["sizes"]).all() and (arrays["numbers"] >= 0).all())
        and len(np.unique(arrays["features"])) == len(arrays["features"])
        and not (arrays["features"] < 0).any()
    )
    if not sound:
        raise ValueError("the state of a learner whose arrays do not fit together")


def _below(numbers: NDArray[Any], limit: int) -> bool:
    return len(numbers) == 0 or bool(0 <= numbers.min() and numbers.max() < limit)


def _ascending(ranks: NDArray[Any], offsets: NDArray[Any]) -> bool:
    """Within each row."""
    falls = np.flatnonzero(np.diff(ranks.astype(np.int64)) <= 0) + 1
    return bool(np.isin(falls, offsets).all())
