"""Kernel logistic regression: coordinate descent over the conjunctions that rows share."""

from gristmill.solvers.logistic.settings import LogisticSettings
from gristmill.solvers.logistic.training import LogisticFit, LogisticInterrupted, train_logistic

__all__ = ["LogisticFit", "LogisticInterrupted", "LogisticSettings", "train_logistic"]
