"""Which kernel, with which parameters and C: searches that share everything that does not change between settings."""

from __future__ import annotations

from gristmill.tuning.api import tune
from gristmill.tuning.grid import KernelSetting, Setting
from gristmill.tuning.result import Agreement, Trial, Tuning, TuningInterrupted

__all__ = ["Agreement", "KernelSetting", "Setting", "Trial", "Tuning", "TuningInterrupted", "tune"]
