"""Learners of tables side by side: each reads the same frame of numbers and categories, with one thread.

Those of PyPI (LightGBM, XGBoost, CatBoost, interpret) take part where they are installed.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import log_loss, mean_squared_error, roc_auc_score
from sklearn.model_selection import KFold, ParameterSampler, StratifiedKFold, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVC, SVR

import gristmill as gm

OURS, LIGHTGBM, TUNED = "gristmill", "LightGBM", "LightGBM, tuned"
SETTINGS = 30  # that tuning tries
SVC_ROWS = 5_000  # that an SVC learns from
MANY = 5_000  # rows from which on tuning judges by one part held out, not by three folds
ROUNDS, PATIENCE = 2_000, 50  # trees at most; trees without gain
SPACE = {
    "num_leaves": [4, 8, 16, 31, 63, 127],
    "learning_rate": [0.02, 0.05, 0.1],
    "min_child_samples": [5, 10, 20, 50, 100],
    "subsample": [0.6, 0.8, 1.0],
    "colsample_bytree": [0.4, 0.6, 0.8, 1.0],
    "reg_lambda": [0.0, 0.1, 1.0, 10.0],
    "reg_alpha": [0.0, 0.1, 1.0],
    "cat_smooth": [1.0, 10.0, 50.0],
}

Make = Callable[[pd.DataFrame, NDArray[Any], int], Any]  # of a frame, targets and the number of classes: what is fitted


@dataclass(frozen=True)
class System:
    """A learner; `module` is what must be installed. A tuned one takes no part in ranks."""

    name: str
    fit: Make
    module: str = "sklearn"
    is_tuned: bool = False

    @property
    def is_there(self) -> bool:
        try:
            importlib.import_module(self.module)
        except ImportError:
            return False
        return True


def _gristmill(X: pd.DataFrame, y: NDArray[Any], classes: int) -> Any:
    return (gm.TableClassifier if classes else gm.TableRegressor)(n_jobs=1).fit(X, y)


def _lightgbm(X: pd.DataFrame, y: NDArray[Any], classes: int) -> Any:
    return _lightgbm_model(classes).fit(X, y)


def _lightgbm_model(classes: int, **settings: Any) -> Any:
    import lightgbm

    made = lightgbm.LGBMClassifier if classes else lightgbm.LGBMRegressor
    return made(n_jobs=1, verbose=-1, random_state=0, **settings)


def _tuned_lightgbm(X: pd.DataFrame, y: NDArray[Any], classes: int) -> Any:
    """The best of SETTINGS drawn ones, by folds or a part held out, each with its own number of trees."""
    parts = _inner_parts(y, classes)
    best: tuple[float, dict[str, Any]] = (-np.inf, {})
    for settings in ParameterSampler(SPACE, SETTINGS, random_state=0):
        found = [_early_stopped(X, y, classes, settings, *part) for part in parts]
        trees = max(int(np.mean([number for _, number in found])), 1)
        score = float(np.mean([one for one, _ in found]))
        if score > best[0]:
            best = score, {**settings, "n_estimators": trees}
    return _lightgbm_model(classes, subsample_freq=1, **best[1]).fit(X, y)


def _inner_parts(y: NDArray[Any], classes: int) -> list[tuple[NDArray[Any], NDArray[Any]]]:
    if len(y) >= MANY:
        strata = y if classes else None
        learn, held = train_test_split(np.arange(len(y)), test_size=0.2, random_state=0, stratify=strata)
        return [(learn, held)]
    made = StratifiedKFold if classes else KFold
    return list(made(3, shuffle=True, random_state=0).split(np.zeros(len(y)), y))


def _early_stopped(
    X: pd.DataFrame, y: NDArray[Any], classes: int, settings: Mapping[str, Any], learn: Any, held: Any
) -> tuple[float, int]:
    import lightgbm

    model = _lightgbm_model(classes, n_estimators=ROUNDS, subsample_freq=1, **settings)
    stop = lightgbm.early_stopping(PATIENCE, verbose=False)
    model.fit(X.iloc[learn], y[learn], eval_set=[(X.iloc[held], y[held])], callbacks=[stop])
    return _inner_score(model, X.iloc[held], y[held], classes), int(model.best_iteration_ or 1)


def _inner_score(model: Any, X: pd.DataFrame, y: NDArray[Any], classes: int) -> float:
    """By what is reported: AUC of two classes; log loss of several; squared errors of values."""
    if not classes:
        return -float(mean_squared_error(y, model.predict(X)))
    shares = model.predict_proba(X)
    if classes == 2:
        return float(roc_auc_score(y, shares[:, 1]))
    return -float(log_loss(y, shares, labels=range(classes)))


def _xgboost(X: pd.DataFrame, y: NDArray[Any], classes: int) -> Any:
    import xgboost

    made = xgboost.XGBClassifier if classes else xgboost.XGBRegressor
    return made(n_jobs=1, enable_categorical=True).fit(X, y)


def _catboost(X: pd.DataFrame, y: NDArray[Any], classes: int) -> Any:
    return _AsText(_catboost_model(X, classes)).fit(X, y)


def _catboost_model(X: pd.DataFrame, classes: int) -> Any:
    import catboost

    made = catboost.CatBoostClassifier if classes else catboost.CatBoostRegressor
    return made(thread_count=1, verbose=0, allow_writing_files=False, cat_features=list(categories(X)))


class _AsText:
    """CatBoost takes no missing category."""

    def __init__(self, model: Any) -> None:
        self.model = model

    def fit(self, X: pd.DataFrame, y: NDArray[Any]) -> _AsText:
        self.model.fit(self.read(X), y)
        return self

    def predict(self, X: pd.DataFrame) -> Any:
        return self.model.predict(self.read(X))

    def predict_proba(self, X: pd.DataFrame) -> Any:
        return self.model.predict_proba(self.read(X))

    @staticmethod
    def read(X: pd.DataFrame) -> pd.DataFrame:
        return X.assign(**{name: X[name].astype(object).fillna("missing").astype(str) for name in categories(X)})


def _ebm(X: pd.DataFrame, y: NDArray[Any], classes: int) -> Any:
    from interpret.glassbox import ExplainableBoostingClassifier, ExplainableBoostingRegressor

    return (ExplainableBoostingClassifier if classes else ExplainableBoostingRegressor)(n_jobs=1).fit(X, y)


def _histogram_boosting(X: pd.DataFrame, y: NDArray[Any], classes: int) -> Any:
    made = HistGradientBoostingClassifier if classes else HistGradientBoostingRegressor
    few = [name for name in categories(X) if X[name].nunique() <= 255]  # it takes no more as categories
    coded = X.assign(**{name: X[name].cat.codes for name in categories(X) if name not in few})
    return _Coded(
        made(categorical_features=few, random_state=0).fit(coded, y), [n for n in categories(X) if n not in few]
    )


class _Coded:
    """Columns of many categories as numbers."""

    def __init__(self, model: Any, columns: list[str]) -> None:
        self.model, self.columns = model, columns

    def _read(self, X: pd.DataFrame) -> pd.DataFrame:
        return X.assign(**{name: X[name].cat.codes for name in self.columns}) if self.columns else X

    def predict(self, X: pd.DataFrame) -> Any:
        return self.model.predict(self._read(X))

    def predict_proba(self, X: pd.DataFrame) -> Any:
        return self.model.predict_proba(self._read(X))


def _one_hot(X: pd.DataFrame, model: Any) -> Any:
    words = make_pipeline(OneHotEncoder(handle_unknown="infrequent_if_exist", min_frequency=5))
    numbers = make_pipeline(SimpleImputer(strategy="median", add_indicator=True), StandardScaler())
    named = list(categories(X))
    others = [name for name in X.columns if name not in named]
    return make_pipeline(make_column_transformer((words, named), (numbers, others)), model)


def _linear(X: pd.DataFrame, y: NDArray[Any], classes: int) -> Any:
    return _one_hot(X, LogisticRegression(max_iter=2000) if classes else Ridge()).fit(X, y)


def _svm(X: pd.DataFrame, y: NDArray[Any], classes: int) -> Any:
    if len(X) > SVC_ROWS:
        drawn = np.random.default_rng(0).permutation(len(X))[:SVC_ROWS]
        X, y = X.iloc[drawn], y[drawn]
    if classes:
        return _one_hot(X, SVC()).fit(X, y)
    return clone(_one_hot(X, SVR())).fit(X, y)


def categories(X: pd.DataFrame) -> pd.Index:
    return X.columns[[isinstance(kind, pd.CategoricalDtype) for kind in X.dtypes]]


# From quick to slow, so that much is known early.
SYSTEMS = (
    System(OURS, _gristmill, "gristmill"),
    System(LIGHTGBM, _lightgbm, "lightgbm"),
    System("HistGradientBoosting", _histogram_boosting),
    System("linear, one-hot", _linear),
    System("XGBoost", _xgboost, "xgboost"),
    System("SVM, RBF", _svm),
    System("CatBoost", _catboost, "catboost"),
    System(TUNED, _tuned_lightgbm, "lightgbm", is_tuned=True),
    System("EBM", _ebm, "interpret"),
)
