"""Beyond one machine: training over partitions and prediction on a Dask cluster (extra `cluster`).

Names are imported when first used: workers need no scikit-learn.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gristmill.base.lazy import lazy_name

if TYPE_CHECKING:
    from gristmill.cluster.predicting import predict
    from gristmill.cluster.svc import KernelSVC

__all__ = ["KernelSVC", "predict"]

_HOMES = {"KernelSVC": "gristmill.cluster.svc", "predict": "gristmill.cluster.predicting"}


def __getattr__(name: str) -> Any:
    return lazy_name(globals(), _HOMES, name)


def __dir__() -> list[str]:
    return sorted(__all__)
