"""The playground: a model behind a small JSON API, and a page to try it on. Needs the extra `web`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gristmill.base.lazy import lazy_name

if TYPE_CHECKING:
    from gristmill.web.app import create_app
    from gristmill.web.limits import Limits
    from gristmill.web.serving import address_of, is_local, listen, serve

__all__ = ["Limits", "address_of", "create_app", "is_local", "listen", "serve"]

_HOMES = {
    "Limits": "gristmill.web.limits",
    "address_of": "gristmill.web.serving",
    "create_app": "gristmill.web.app",
    "is_local": "gristmill.web.serving",
    "listen": "gristmill.web.serving",
    "serve": "gristmill.web.serving",
}


def __getattr__(name: str) -> Any:
    return lazy_name(globals(), _HOMES, name)


def __dir__() -> list[str]:
    return sorted(__all__)
