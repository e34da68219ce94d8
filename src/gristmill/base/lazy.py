"""Names that are imported when first used: those of a package, and functions of rooms above the one that calls them."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any


def lazy_name(package: dict[str, Any], homes: Mapping[str, str], name: str) -> Any:
    """What `__getattr__` of a package gives, and keeps, for a name that has its home in a module, or is one."""
    if name not in homes:
        raise AttributeError(f"module {package['__name__']!r} has no attribute {name!r}")
    module = importlib.import_module(homes[name])
    is_module = homes[name].endswith(f".{name}")
    package[name] = module if is_module else getattr(module, name)
    return package[name]


def late(home: str) -> Any:
    """The function called 'package.module:name', imported now.

    A lower room reaches a higher one by nothing else: `Machine.compile` makes scorers, messages name kinds of models.
    """
    module, _, name = home.partition(":")
    return getattr(importlib.import_module(module), name)
