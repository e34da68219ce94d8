"""Online learning with conjunctive features (Yoshinaga and Kitsuregawa 2010): settings, learner, checkpoints."""

from __future__ import annotations

from gristmill.solvers.online.learner import OnlineLearner, OnlineStats
from gristmill.solvers.online.settings import OnlineSettings

__all__ = ["OnlineLearner", "OnlineSettings", "OnlineStats"]
