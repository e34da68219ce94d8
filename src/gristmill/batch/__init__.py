"""Batch support vector machines: settings, problems, rows, training, and what comes of it."""

from __future__ import annotations

from gristmill.batch.other import train_one_class, train_svr
from gristmill.batch.result import SvmFit, SvmInterrupted
from gristmill.batch.settings import SvmSettings
from gristmill.batch.training import train_svm

__all__ = ["SvmFit", "SvmInterrupted", "SvmSettings", "train_one_class", "train_svm", "train_svr"]
