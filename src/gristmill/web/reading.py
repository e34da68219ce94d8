"""Requests: what they ask for, checked key by key."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from gristmill.web.adapters.answers import check_output
from gristmill.web.adapters.base import Asked, Player, Wanted
from gristmill.web.refusals import RefusedError, check_most
from gristmill.web.strict_json import parse


def read_scored(body: bytes, player: Player) -> Asked:
    """A request to /api/score."""
    return Asked(_inputs(_request(body, [player.inputs]), player, player.limits.rows))


def read_explained(body: bytes, player: Player) -> Asked:
    """A request to /api/explain."""
    request = _request(body, [player.inputs, *player.options])
    wanted = Wanted(
        output=check_output(request["output"], player.outputs) if "output" in request else None,
        interactions=_flag(request, "interactions"),
        without=_flag(request, "without"),
    )
    return Asked(_inputs(request, player, player.limits.explained), wanted)


def read_limit(given: str | None, most: int) -> int:
    """How many completions are wanted."""
    if given is None:
        return min(20, most)
    if not (given.isascii() and given.isdecimal() and len(given) < 10 and 1 <= int(given) <= most):
        raise RefusedError("bad_input", f"limit is a number from 1 to {most}, got {given!r:.60}", "limit")
    return int(given)


def _request(body: bytes, known: Collection[str]) -> dict[str, Any]:
    request = parse(body)
    if not isinstance(request, dict):
        raise RefusedError("bad_input", f"a request is an object, got {type(request).__name__}")
    for key in request:
        if key not in known:
            raise RefusedError("bad_input", f"a request has {' and '.join(known)} here, got {key!r:.60}", f"{key:.60}")
    return request


def _inputs(request: dict[str, Any], player: Player, most: int) -> list[Any]:
    key = player.inputs
    given = request.get(key)
    if not isinstance(given, list):
        got = f"{given!r:.60}" if key in request else "none"
        raise RefusedError("bad_input", f"this model takes a list of {key}, got {got}", key)
    check_most(key, len(given), most, key)
    return [player.read(one, f"{key}[{at}]") for at, one in enumerate(given)]


def _flag(request: dict[str, Any], key: str) -> bool:
    value = request.get(key, False)
    if not isinstance(value, bool):
        raise RefusedError("bad_input", f"{key} is true or false, got {value!r:.60}", key)
    return value
