"""Predictions of a model for Dask collections, delayed partitions, files and data of the client."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

import numpy as np

from gristmill.base.checks import check_choice
from gristmill.base.files import PathLike
from gristmill.cluster.clients import client_of
from gristmill.cluster.loading import are_paths, delayed_parts, is_spread, local_slices
from gristmill.cluster.models import SharedModel
from gristmill.cluster.spread import for_workers
from gristmill.machines.data_files import read_for
from gristmill.machines.machine import Machine
from gristmill.scoring.scorer import Scorer

OUTPUTS = ("labels", "scores", "probabilities")


def predict(model: Machine | PathLike, X: Any, *, client: Any = None, output: str = "labels", meta: Any = None) -> Any:
    """Predict every partition where it is.

    Parameters
    ----------
    model : Machine or path
        Workers open a path themselves, once per process, and the compiled scorer beside it if there is one. Where
        they do not see it, and for a machine, the model is sent to each worker once.
    X : Dask array, data frame or bag; list of delayed partitions; list of paths; or data of the client
    client : distributed.Client or None
        None: the active one.
    output : {'labels', 'scores', 'probabilities'}
        An app, such as a tagger, has labels only.
    meta : pandas object or None
        Of what the partitions of a data frame give; None: that of labels or scores of the model.

    Returns
    -------
    Dask array for an array, series or frame for a data frame, bag for a bag, list of delayed arrays for delayed
    partitions and paths: all lazy. An array for data of the client.

    Examples
    --------
    >>> import gristmill as gm, gristmill.cluster
    >>> from dask.distributed import Client
    >>> machine = gm.Machine(gm.PolynomialKernel(2), gm.ids([[0], [1]]), [1.0, -1.0], 0.0, classes=["b", "a"])
    >>> with Client(processes=False, n_workers=1, dashboard_address=None) as client:
    ...     gristmill.cluster.predict(machine, gm.ids([[0, 2], [1]]))
    array(['a', 'b'], dtype='<U1')
    """
    check_choice("output", output, OUTPUTS)
    client = client_of(client)
    shared = SharedModel.of(model)
    opened = shared.opened()  # here as well: what it gives is known before anything runs
    asked = _Asked(for_workers(client, shared), output, _Shape.of(opened, output))
    if are_paths(X):
        return [asked.of_file(os.fspath(path)) for path in X]
    if isinstance(X, list | tuple) and is_spread(X):
        return [asked.of_block(part) for part in X]
    if is_spread(X):
        return asked.of_collection(X, meta)
    parts = client.compute([asked.of_block(part) for part in local_slices(X)])
    return np.concatenate(client.gather(parts))


@dataclass(frozen=True)
class _Shape:
    """What a model gives for an example: a value of some kind, or so many numbers."""

    dtype: np.dtype[Any]
    width: int | None  # None: one value

    @classmethod
    def of(cls, opened: Any, output: str) -> _Shape:
        if not isinstance(opened, Scorer):
            if output != "labels":
                raise ValueError(f"{type(opened).__name__} has no {output}: ask for labels")
            return cls(np.dtype(object), None)
        machine = opened.machine
        if output == "labels":
            return cls(np.dtype(float) if machine.classes is None else machine.classes.dtype, None)
        width = machine.n_classes if output == "probabilities" else machine.n_outputs
        return cls(np.dtype(float), None if width == 1 else width)


class _Asked:
    """What is asked of a model, of parts of any kind; the model is a task of its own, that each worker gets once."""

    def __init__(self, model: SharedModel, output: str, shape: _Shape) -> None:
        from dask import delayed

        self._delayed = delayed
        self._model, self._output, self._shape = delayed(model, pure=True), output, shape

    def of_file(self, path: str) -> Any:
        """Delayed answers for the examples of a file."""
        return self._delayed(file_answers, pure=False)(self._model, path, self._output)

    def of_block(self, X: Any) -> Any:
        """Delayed answers for a block."""
        return self._delayed(block_answers, pure=False)(self._model, X, self._output)

    def of_collection(self, X: Any, meta: Any) -> Any:
        """A collection of the kind of X."""
        parts = [self.of_block(part) for part in delayed_parts(X, "X", None)]
        if hasattr(X, "chunks"):
            return self._array(parts, X.chunks[0])
        if hasattr(X, "columns"):
            return self._frame(X, parts, meta)
        from dask import bag

        return bag.from_delayed(parts)

    def _array(self, parts: list[Any], sizes: tuple[Any, ...]) -> Any:
        from dask import array

        blocks = [
            array.from_delayed(part, (size, *self._width), dtype=self._shape.dtype)
            for part, size in zip(parts, sizes, strict=True)
        ]
        return array.concatenate(blocks)

    def _frame(self, X: Any, parts: list[Any], meta: Any) -> Any:
        """Partitions keep their index."""
        from dask import dataframe

        if meta is None:
            meta = indexed_answers(X._meta, np.empty((0, *self._width), dtype=self._shape.dtype))
        indexed = [
            self._delayed(indexed_answers)(block, part) for block, part in zip(X.to_delayed(), parts, strict=True)
        ]
        return dataframe.from_delayed(indexed, meta=meta, divisions=X.divisions, verify_meta=False)

    @property
    def _width(self) -> tuple[int, ...]:
        return () if self._shape.width is None else (self._shape.width,)


def block_answers(model: SharedModel, X: Any, output: str) -> Any:
    """What a model says of a block of examples."""
    opened = model.opened()
    if output == "labels":
        return opened.predict(X)
    return opened.decision_function(X) if output == "scores" else opened.predict_proba(X)


def file_answers(model: SharedModel, path: str, output: str) -> Any:
    """What a machine says of the examples of a file."""
    opened = model.opened()
    if not isinstance(opened, Scorer):
        raise ValueError(f"files of {type(opened).__name__} are annotated by its command, with --cluster")
    return block_answers(model, read_for(opened.machine, path)[0], output)


def indexed_answers(block: Any, answers: Any) -> Any:
    """With the index of a data frame: a series, or a frame of several numbers."""
    import pandas as pd

    made = pd.Series if answers.ndim == 1 else pd.DataFrame
    return made(answers, index=block.index)
