"""Tables for the contest of table learners: $GRISTMILL_DATA, scikit-learn's own, and a folder of CSV files.

A CSV file of the folder (`--data DIR`) is a table: a header, and the column `target` of classes, or `value` of numbers
to be predicted. docs/tables_measured.md says where those that were measured come from.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn import datasets
from sklearn.model_selection import KFold, StratifiedKFold

import gristmill as gm
from benchmarks.measure import Missing, corpora
from gristmill.data.tables.fields import distinct

ROWS = 10_000  # of a table, drawn
FOLDS = 5
TARGET, VALUE = "target", "value"
SHARED = {"adult": ("income", {}), "bank": ("y", {}), "german": ("Risk", {"sep": ";", "index_col": 0})}
BINARY = {"a9a": "a9a", "w8a": "w8a", "agaricus": "agaricus.train"}
OF_SCIKIT_LEARN = ("breast_cancer", "wine", "digits", "iris", "diabetes")
# The defaults of the table estimators were chosen on these; others were looked at when all was chosen.
DEVELOPMENT = {
    *("adult", "bank", "german", "a9a", "telco", "compas", "pima", "phoneme", "heart", "spambase", "car", "magic"),
    *("shoppers", "card_default", "titanic", "credit_a", "cylinder_bands", "tic_tac_toe", "cmc"),
    *("california", "bikes", "concrete", "insurance"),
}


@dataclass(frozen=True)
class Table:
    """Columns of a frame, and what is to be predicted: numbers of classes, or values."""

    name: str
    frame: pd.DataFrame
    y: NDArray[Any]
    classes: int  # 0: values

    @property
    def is_development(self) -> bool:
        return self.name in DEVELOPMENT

    def folds(self) -> list[tuple[NDArray[np.intp], NDArray[np.intp]]]:
        """Rows to learn from and rows to be judged by, five times."""
        made = StratifiedKFold if self.classes else KFold
        return list(made(FOLDS, shuffle=True, random_state=0).split(self.frame, self.y))


def sources(folder: Path | None) -> dict[str, Callable[[], Table]]:
    """The tables that there are, by name, read when asked for."""
    found: dict[str, Callable[[], Table]] = {name: partial(_of_shared, name) for name in SHARED}
    found |= {name: partial(_of_binary, name) for name in BINARY}
    found |= {name: partial(_of_scikit_learn, name) for name in OF_SCIKIT_LEARN}
    if folder is not None:
        if not folder.is_dir():
            raise Missing(f"no folder of tables {folder}")
        found |= {path.stem: partial(_of_csv, path) for path in sorted(folder.glob("*.csv"))}
    return found


def _of_shared(name: str) -> Table:
    target, how = SHARED[name]
    return made(name, pd.read_csv(corpora() / "tables" / f"{name}.csv.gz", **how), target)


def _of_binary(name: str) -> Table:
    X, y = gm.read_svmlight(corpora() / "binary" / f"{BINARY[name]}.gz")
    frame = pd.DataFrame(X.toarray().astype(np.int8)).rename(columns=lambda at: f"f{at}")
    return made(name, frame.assign(target=np.asarray(y)), TARGET)


def _of_scikit_learn(name: str) -> Table:
    frame = getattr(datasets, f"load_{name}")(as_frame=True).frame
    return made(name, frame, TARGET, values=name == "diabetes")


def _of_csv(path: Path) -> Table:
    frame = pd.read_csv(path)
    return made(path.stem, frame, VALUE if VALUE in frame else TARGET, values=VALUE in frame)


def made(name: str, frame: pd.DataFrame, target: str, *, values: bool = False) -> Table:
    """A table of at most ROWS rows, all classes in each fold; texts are categories with the same levels everywhere."""
    frame = frame[frame[target].notna()].dropna(axis=1, how="all")
    if not values:
        frame = frame[frame.groupby(target)[target].transform("size") >= FOLDS]
    if len(frame) > ROWS:
        frame = frame.sample(ROWS, random_state=0)
    y = frame.pop(target).reset_index(drop=True)
    names = [re.sub(r"\W+", "_", str(column)) for column in frame.columns]  # LightGBM refuses others
    frame = frame.set_axis(distinct(names), axis=1).reset_index(drop=True)
    for column in frame.columns[[not pd.api.types.is_numeric_dtype(kind) for kind in frame.dtypes]]:
        frame[column] = frame[column].astype("category")
    if values:
        return Table(name, frame, y.to_numpy(np.float64), 0)
    labels, numbers = np.unique(y.astype(str), return_inverse=True)
    return Table(name, frame, numbers, len(labels))
