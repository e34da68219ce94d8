"""Programs made of kernel machines: what they take and give are sentences, trees and texts.

Names are imported when first used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gristmill.apps.roles import RoleLabeller

__all__ = ["RoleLabeller"]

_HOMES = {"RoleLabeller": "gristmill.apps.roles"}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(importlib.import_module(_HOMES[name]), name)
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
