"""Batch support vector machines: settings, problems, rows, training, and what comes of it.

The names below are imported when first used: cutting planes are built on the problems and rows in here, and training in
here calls them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gristmill.base.lazy import lazy_name

if TYPE_CHECKING:
    from gristmill.solvers.batch.result import SvmFit, SvmInterrupted
    from gristmill.solvers.batch.settings import SvmSettings
    from gristmill.solvers.batch.svr_oneclass import train_one_class, train_svr
    from gristmill.solvers.batch.training import train_svm

__all__ = ["SvmFit", "SvmInterrupted", "SvmSettings", "train_one_class", "train_svm", "train_svr"]

_HOMES = {
    "SvmFit": "gristmill.solvers.batch.result",
    "SvmInterrupted": "gristmill.solvers.batch.result",
    "SvmSettings": "gristmill.solvers.batch.settings",
    "train_one_class": "gristmill.solvers.batch.svr_oneclass",
    "train_svm": "gristmill.solvers.batch.training",
    "train_svr": "gristmill.solvers.batch.svr_oneclass",
}


def __getattr__(name: str) -> Any:
    return lazy_name(globals(), _HOMES, name)
