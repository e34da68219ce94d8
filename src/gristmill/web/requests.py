"""Bodies of requests: read whole, in time and within the limit, and parsed as strict JSON."""

from __future__ import annotations

import asyncio
import json
import math
from collections import Counter
from typing import Any

from starlette.datastructures import Headers
from starlette.types import Receive

from gristmill.web.limits import Limits, RefusedError

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


# --- strict JSON ------------------------------------------------------------------------------------------------------


class _SurpriseError(ValueError):
    """JSON that parsers read in different ways."""


def parse(body: bytes) -> Any:
    """What the body holds; RefusedError where it is not JSON, or JSON that parsers read in different ways."""
    try:
        text = body.decode()
        found = json.loads(text, object_pairs_hook=_once, parse_constant=_no_constant, parse_float=_finite)
        if "\\u" in text:
            json.dumps(found, ensure_ascii=False).encode()
    except UnicodeDecodeError as error:
        raise RefusedError("bad_json", f"the body is not UTF-8: byte {error.start} cannot stand there") from None
    except UnicodeEncodeError:
        raise RefusedError("bad_json", "a string holds half a surrogate pair, which is no character") from None
    except RecursionError:
        raise RefusedError("bad_json", "lists and objects lie too deep in each other") from None
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise RefusedError("bad_json", f"the body is not JSON: {error.msg}, {place}") from None
    except _SurpriseError as error:
        raise RefusedError("bad_json", f"the body is not JSON: {error}") from None
    except ValueError:  # Python's own bound on the digits of whole numbers
        raise RefusedError("bad_json", "a whole number in the body has thousands of digits") from None
    return found


def dump(answer: Any) -> bytes:
    return json.dumps(answer, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()


def number(value: float) -> float | None:
    """What JSON can hold: null for what left the range of doubles."""
    return value if math.isfinite(value) else None


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        twice = Counter(key for key, _ in pairs).most_common(1)[0][0]
        raise _SurpriseError(f"the key {twice!r:.60} stands twice in one object")
    return found


def _no_constant(name: str) -> Any:
    raise _SurpriseError(f"{name} is no number of JSON")


def _finite(digits: str) -> float:
    value = float(digits)
    if not math.isfinite(value):
        raise _SurpriseError(f"{digits:.60} is beyond the numbers of 64 bits")
    return value
