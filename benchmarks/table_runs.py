"""One run of the contest of table learners: a table, a fold and a system; and the file that remembers runs.

Runs are appended to RESULTS/tables.jsonl, so a long contest goes on where it was stopped. To measure a system anew,
take its lines away.
"""

from __future__ import annotations

import json
import os
import pickle
import time
import warnings
from collections.abc import Callable
from dataclasses import asdict, dataclass
from statistics import median
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.metrics import log_loss, r2_score, roc_auc_score
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from benchmarks import measure
from benchmarks.table_data import Table
from benchmarks.table_systems import LIGHTGBM, OURS, System
from gristmill.estimators.table_base import TableEstimator

BINS = 15  # of the calibration error
EXPLAINED = 100  # rows
Seconds = float


@dataclass(frozen=True)
class Run:
    """What came of one fold; numbers that a system or a task does not have are None."""

    table: str
    fold: int
    system: str
    auc: float | None = None
    log_loss: float | None = None
    accuracy: float | None = None
    ece: float | None = None
    rmse: float | None = None
    r2: float | None = None
    fit: Seconds = 0.0  # of the processor
    batch: Seconds = 0.0  # a row of the frame of the test part
    encoded: Seconds | None = None  # a row of what the system makes of the frame
    row: Seconds = 0.0  # a frame of one row
    explain: Seconds | None = None  # a row
    nbytes: int = 0
    load: float | None = None  # of the machine, its programs that run or wait to run; None: not remembered

    @property
    def key(self) -> tuple[str, int, str]:
        return self.table, self.fold, self.system

    @property
    def quality(self) -> float:
        """AUC, or R2 of values."""
        found = self.auc if self.auc is not None else self.r2
        return float("nan") if found is None else found


def remembered() -> dict[tuple[str, int, str], Run]:
    path = measure.RESULTS / "tables.jsonl"
    if not path.exists():
        return {}
    runs = [Run(**json.loads(line)) for line in path.read_text(encoding="utf-8").splitlines()]
    return {run.key: run for run in runs}


def remember(run: Run) -> None:
    measure.RESULTS.mkdir(parents=True, exist_ok=True)
    with (measure.RESULTS / "tables.jsonl").open("a", encoding="utf-8") as file:
        kept = {name: _short(value) for name, value in asdict(run).items() if value is not None}
        file.write(json.dumps(kept) + "\n")


def _short(value: Any) -> Any:
    """Six digits of a number are enough."""
    return value if isinstance(value, str | int) else float(f"{value:.6g}")


def measured(table: Table, fold: int, system: System) -> Run:
    """Fit, judge and time, all with one thread."""
    learn, held = table.folds()[fold]
    X, test = table.frame.iloc[learn], table.frame.iloc[held]
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        start = time.process_time()
        model = system.fit(X, table.y[learn], table.classes)
        fit = time.process_time() - start
        answer = _answer_of(model, table.classes)
        scores = _scores(answer(test), table.y[held], table.classes)
        batch = _processor_seconds(lambda: answer(test), 5) / len(test)
        row = _processor_seconds(lambda: answer(test.iloc[:1]), 20)
        encoded = _encoded_seconds(system.name, model, test)
        explain = _explain_seconds(system.name, model, test.iloc[:EXPLAINED])
    nbytes, load = len(pickle.dumps(model)), os.getloadavg()[0]
    times: dict[str, Any] = {"fit": fit, "batch": batch, "row": row, "encoded": encoded, "explain": explain}
    return Run(table.name, fold, system.name, nbytes=nbytes, load=load, **times, **scores)


def _answer_of(model: Any, classes: int) -> Callable[[pd.DataFrame], NDArray[Any]]:
    """Probabilities; where there are none scores; values."""
    if not classes:
        return model.predict  # type: ignore[no-any-return]
    return getattr(model, "predict_proba", None) or model.decision_function  # type: ignore[no-any-return]


def _scores(answer: NDArray[Any], y: NDArray[Any], classes: int) -> dict[str, float]:
    if not classes:
        return {"rmse": float(np.sqrt(np.mean((answer - y) ** 2))), "r2": float(r2_score(y, answer))}
    if classes == 2 and answer.ndim == 1:
        return {"auc": float(roc_auc_score(y, answer)), "accuracy": float(np.mean((answer > 0) == y))}
    found = {"accuracy": float(np.mean(answer.argmax(axis=1) == y))}
    if (answer < 0).any():  # scores of several classes
        return found
    each = [roc_auc_score(y == number, answer[:, number]) for number in (np.unique(y) if classes > 2 else [1])]
    found["auc"] = float(np.mean(each))
    found["log_loss"] = float(log_loss(y, answer, labels=range(classes)))
    return found | {"ece": calibration_error(answer, y)}


def calibration_error(shares: NDArray[Any], y: NDArray[Any]) -> float:
    """The expected calibration error: by bins of equal width, how far confidence is from accuracy."""
    surest, right = shares.max(axis=1), shares.argmax(axis=1) == y
    bins = np.minimum((surest * BINS).astype(int), BINS - 1)
    gaps = np.abs(np.bincount(bins, surest, BINS) - np.bincount(bins, right, BINS))
    return float(gaps.sum() / len(y))


def _processor_seconds(call: Callable[[], Any], rounds: int) -> float:
    """Those of the processor: other programs run beside this one."""
    call()
    seconds = []
    for _ in range(rounds):
        start = time.process_time()
        call()
        seconds.append(time.process_time() - start)
    return median(seconds)


def _encoded_seconds(system: str, model: Any, test: pd.DataFrame) -> float | None:
    """From codes of bins; LightGBM's from an array of numbers."""
    if system == OURS:
        codes = model.encoder_.codes(test)
        return _processor_seconds(lambda: model._learned.model.scores(codes), 9) / len(test)
    if system == LIGHTGBM:
        numbers = _numbers(test)
        booster = model.booster_
        return _processor_seconds(lambda: booster.predict(numbers, num_threads=1), 9) / len(test)
    return None


def _explain_seconds(system: str, model: Any, test: pd.DataFrame) -> float | None:
    """Shapley values: of one-hot columns, and TreeSHAP's."""
    if system == OURS:
        explainer, rows = _explainer(model), model.encoder_.transform(test)
        return _processor_seconds(lambda: explainer(rows), 5) / len(test)
    if system == LIGHTGBM:
        booster, numbers = model.booster_, _numbers(test)
        return _processor_seconds(lambda: booster.predict(numbers, pred_contrib=True, num_threads=1), 3) / len(test)
    return None


def _explainer(model: TableEstimator) -> Any:
    from gristmill.explanations import Explainer

    return Explainer(model.machine_)


def _numbers(frame: pd.DataFrame) -> NDArray[np.float64]:
    coded = {
        name: frame[name].cat.codes for name in frame.columns if isinstance(frame[name].dtype, pd.CategoricalDtype)
    }
    return np.asarray(frame.assign(**coded), dtype=np.float64)
