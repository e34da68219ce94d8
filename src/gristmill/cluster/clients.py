"""The Dask client that work is given to."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from logging import CRITICAL
from pathlib import Path
from typing import Any

# Dask looks at what each process does up to a hundred times a second, for its dashboard and its log: three quarters of
# what an idle process costs. For workers that are made for one command that is too often.
_SELDOM = {
    "distributed.worker.profile.enabled": False,
    "distributed.admin.tick.interval": "1s",
    "distributed.admin.system-monitor.interval": "5s",
}


def distributed() -> Any:
    """The package dask.distributed, imported when it is needed."""
    try:
        import dask.distributed
    except ImportError as error:
        raise ImportError("a cluster needs dask.distributed: pip install 'gristmill[cluster]'") from error
    return dask.distributed


def client_of(client: Any) -> Any:
    """The client given, or the one that is active."""
    if client is not None:
        if not (hasattr(client, "submit") and hasattr(client, "scheduler_info")):
            raise ValueError(f"client must be a dask.distributed.Client, got {type(client).__name__}")
        return client
    try:
        return distributed().get_client()
    except ValueError:
        raise ValueError(
            "there is no Dask client: make one, as in client = dask.distributed.Client() for this machine or "
            "Client('tcp://ADDRESS:8786') for a scheduler that runs, and pass client= or leave it active"
        ) from None


@contextmanager
def opened(cluster: str, n_workers: int | None = None) -> Iterator[Any]:
    """A client of a cluster that is called as on the command line: 'local', an address, or a scheduler file.

    Workers on this machine log nothing: errors are reported by who called, and what ends is missed by others.
    """
    dask = distributed()
    if cluster == "local":
        how = {"n_workers": n_workers, "threads_per_worker": 1, "dashboard_address": ":0", "silence_logs": CRITICAL + 1}
        with _configured(_SELDOM), dask.LocalCluster(**how) as local, dask.Client(local) as client:
            yield client
        return
    where = {"scheduler_file": cluster} if Path(cluster).is_file() else {"address": cluster}
    try:
        client = dask.Client(**where)
    except (OSError, ValueError) as error:
        raise ValueError(
            f"no scheduler answers at {cluster}: {error}; expected 'local', an address such as tcp://HOST:8786, or the "
            "file that dask scheduler --scheduler-file wrote"
        ) from None
    with client:
        yield client


def _configured(settings: dict[str, Any]) -> Any:
    """Dask's own configuration, with these settings while the context is open."""
    import dask

    return dask.config.set(settings)
