"""The files of the page: those of the package, read once; no other path leads anywhere."""

from __future__ import annotations

from importlib.resources import files
from importlib.resources.abc import Traversable

from starlette.responses import Response

from gristmill.display.stylesheet import stylesheet

_TYPES = {"html": "text/html", "css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}


def page_files() -> dict[str, Response]:
    """By their names below /page/."""
    return dict(_below(files("gristmill.web") / "page", ""))


def style_file() -> Response:
    """What the page shares with reports."""
    return Response(stylesheet(), media_type="text/css")


def _below(folder: Traversable, prefix: str) -> list[tuple[str, Response]]:
    found = list[tuple[str, Response]]()
    for entry in folder.iterdir():
        ending = entry.name.rpartition(".")[2]
        if entry.is_dir():
            found += _below(entry, f"{prefix}{entry.name}/")
        elif ending in _TYPES:
            found.append((f"{prefix}{entry.name}", Response(entry.read_bytes(), media_type=_TYPES[ending])))
    return found
