"""`gristmill.save`: any model to one file, without pickle; `gristmill.load` reads it."""

from __future__ import annotations

from typing import Any

from gristmill.base.files import PathLike


def save(model: Any, path: PathLike, *, encoding: bool = True) -> None:
    """Write a model to one file: arrays and JSON, no pickle.

    Parameters
    ----------
    model : what has a machine
        A Machine, Machines or an app, whose own `save` is called; a Scorer; a fitted estimator, a fitted scikit-learn
        SVC and its like, accelerated or not; a Pipeline, or a search over one, that ends in such an estimator.
    path : path
    encoding : bool
        Of a Pipeline: the file holds the steps before the machine too, and reads the same tables. They must be
        transformers that give bins of columns: TableEncoder, OneHotEncoder, KBinsDiscretizer with encode='onehot',
        Binarizer, SimpleImputer in front of them, feature selection behind them, in ColumnTransformer, FeatureUnion and
        Pipeline; others are refused by name. False: the machine alone, with the names of its features.

    Examples
    --------
    >>> import gristmill as gm
    >>> from sklearn.pipeline import make_pipeline
    >>> rows = [{"age": 20 + n % 7, "housing": "own" if n % 3 else "rent"} for n in range(40)]
    >>> pipeline = make_pipeline(gm.TableEncoder(bins=3), gm.KernelSVC()).fit(rows, [n % 3 for n in range(40)])
    >>> gm.save(pipeline, "model")  # doctest: +SKIP
    >>> gm.load("model").compile().predict([{"age": 21, "housing": "rent"}])  # doctest: +SKIP
    array([0])
    """
    own = getattr(model, "save", None)
    if own is not None:
        own(path)
    elif encoding:
        from gristmill.estimators.encodings import encoded_machine

        encoded_machine(model).save(path)
    else:
        from gristmill.explanations.models import machine_of

        machine_of(model).save(path)
