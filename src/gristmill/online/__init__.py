"""Online learning with conjunctive features (Yoshinaga and Kitsuregawa 2010): settings, learner, checkpoints."""

from __future__ import annotations

from gristmill.online.learner import OnlineLearner, OnlineStats
from gristmill.online.settings import OnlineSettings

__all__ = ["OnlineLearner", "OnlineSettings", "OnlineStats"]
