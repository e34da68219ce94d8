"""Models that a worker keeps open from one file to the next; a command that runs once keeps none."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any

_MOST = 4
_kept: OrderedDict[Hashable, Any] = OrderedDict()
_keeps: ContextVar[bool] = ContextVar("_keeps", default=False)  # of a thread: a worker may have several


@contextmanager
def open_once() -> Iterator[None]:
    """Within, models that were opened before are used again."""
    before = _keeps.set(True)
    try:
        yield
    finally:
        _keeps.reset(before)


def kept(path: str, how: Hashable, make: Callable[[], Any]) -> Any:
    """What `make` gives for a model file; what it gave before for the same file and `how`, where models are kept."""
    if not _keeps.get():
        return make()
    about = Path(path).stat()
    key = (path, about.st_mtime_ns, about.st_size, how)
    if key not in _kept:
        _kept[key] = make()
        while len(_kept) > _MOST:
            _kept.popitem(last=False)
    _kept.move_to_end(key)
    return _kept[key]
