"""JSON without surprises: UTF-8, no key twice, no NaN, no fraction beyond doubles, no half characters."""

from __future__ import annotations

import json
import math
from collections import Counter
from typing import Any

from gristmill.web.refusals import RefusedError


class _SurpriseError(ValueError):
    """JSON to some, but not to others."""


def parse(body: bytes) -> Any:
    """What the body holds; RefusedError where it is not JSON, or JSON that programs read in different ways."""
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
