"""Beyond one machine: training over partitions and prediction on a Dask cluster (extra `cluster`)."""

from __future__ import annotations

from gristmill.cluster.predicting import predict
from gristmill.cluster.svc import KernelSVC

__all__ = ["KernelSVC", "predict"]
