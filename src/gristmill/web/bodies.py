"""Bodies of requests: whole, in time, and no larger than they may be."""

from __future__ import annotations

import asyncio
from typing import Any

from starlette.datastructures import Headers
from starlette.types import Receive

from gristmill.web.limits import Limits
from gristmill.web.refusals import RefusedError

_CLOSE = {"Connection": "close"}  # what is left of the body is not worth reading


class ClientGoneError(Exception):
    """The client has gone before the request was whole."""


async def read_body(headers: Headers, receive: Receive, limits: Limits) -> bytes:
    """The body; RefusedError where it is no JSON, too large or too slow."""
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise RefusedError("media_type", f"Content-Type must be application/json, got {kind!r:.60}", headers=_CLOSE)
    length = headers.get("content-length", "0")
    if length.isdecimal() and int(length) > limits.body:
        raise _too_large(limits)
    try:
        async with asyncio.timeout(limits.seconds):
            return await _received(receive, limits)
    except TimeoutError:
        raise RefusedError(
            "slow_body", f"the body took longer than {limits.seconds:g} seconds", headers=_CLOSE
        ) from None


async def _received(receive: Receive, limits: Limits) -> bytes:
    parts, size = list[bytes](), 0
    while True:
        message: Any = await receive()
        if message["type"] == "http.disconnect":
            raise ClientGoneError
        part = message.get("body", b"")
        parts.append(part)
        size += len(part)
        if size > limits.body:
            raise _too_large(limits)
        if not message.get("more_body", False):
            return parts[0] if len(parts) == 1 else b"".join(parts)


def _too_large(limits: Limits) -> RefusedError:
    return RefusedError("too_large", f"a body has at most {limits.body:,} bytes", headers=_CLOSE)
