"""Batch support vector machines: settings, problems, rows, training, and what comes of it."""

from __future__ import annotations

from gristmill.solvers.batch.result import SvmFit, SvmInterrupted
from gristmill.solvers.batch.settings import SvmSettings
from gristmill.solvers.batch.svr_oneclass import train_one_class, train_svr
from gristmill.solvers.batch.training import train_svm

__all__ = ["SvmFit", "SvmInterrupted", "SvmSettings", "train_one_class", "train_svm", "train_svr"]
