"""Parts of the description of the API: JSON Schema of what goes in and what comes out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from gristmill.data.rows import LARGEST_ID
from gristmill.web.limits import Limits
from gristmill.web.refusals import STATUSES

Schema = dict[str, Any]

LARGEST_VALUE = 1e15  # of a feature, so that powers of it stay within doubles

TEXT: Schema = {"type": "string"}
TEXT_OR_NULL: Schema = {"type": ["string", "null"]}
COUNT: Schema = {"type": "integer", "minimum": 0}
NUMBER: Schema = {"type": ["number", "null"], "description": "null where it left the range of 64 bits"}
FLAG: Schema = {"type": "boolean"}
NAME: Schema = {"type": ["string", "integer"]}


def array(items: Schema, **more: Any) -> Schema:
    return {"type": "array", "items": items, **more}


def record(properties: Mapping[str, Schema], optional: Iterable[str] = ()) -> Schema:
    """An object with these keys and no others."""
    required = [key for key in properties if key not in set(optional)]
    return {"type": "object", "properties": dict(properties), "required": required, "additionalProperties": False}


def by_name(values: Schema) -> Schema:
    return {"type": "object", "additionalProperties": values}


# --- what goes in -----------------------------------------------------------------------------------------------------


def row(limits: Limits, *, named: bool, first: int, digits: str) -> Schema:
    """A list of features, or an object of values."""
    most = limits.features
    number: Schema = {"type": "integer", "minimum": first, "maximum": LARGEST_ID}
    spelled = {"type": "string"} if named else {"type": "string", "pattern": f"^({digits})$", "maxLength": 9}
    lists = [array(name, uniqueItems=True, maxItems=most) for name in ([spelled] if named else [number, spelled])]
    value = {"type": "number", "minimum": -LARGEST_VALUE, "maximum": LARGEST_VALUE}
    valued = {"type": "object", "additionalProperties": value, "maxProperties": most}
    return {"anyOf": [*lists, valued if named else {**valued, "propertyNames": spelled}]}


def tokens(limits: Limits, columns: range, blanks: str) -> Schema:
    """A sentence as a text, or as a list of tokens, each one or several cells."""
    cell = {"type": "string", "pattern": f"^[^{blanks}]+$"}
    token = array(cell, minItems=columns[0], maxItems=columns[-1])
    listed = array({"anyOf": [cell, token]} if columns[0] == 1 else token, maxItems=limits.tokens)
    spelled = f"[^{blanks}]+" + f"(/[^{blanks}/]+){{{columns[0] - 1}}}" * (columns[0] > 1)
    text = {"type": "string", "pattern": f"^[{blanks}]*({spelled}([{blanks}]+{spelled})*[{blanks}]*)?$"}
    return {"anyOf": [text, listed]}


# --- what comes out ---------------------------------------------------------------------------------------------------

UNKNOWN = {"unknown": array(NAME, description="features that the model has never seen")}
EXPLAINED = {"output": TEXT, "baseline": NUMBER, "score": NUMBER}
_WITHOUT = {
    **record({"label": TEXT_OR_NULL, "value": NUMBER, "score": NUMBER}),
    "description": "the answer if the feature were not there; in a sentence, if all decisions before were the same",
}
_PART = record({"name": NAME, "value": NUMBER, "without": _WITHOUT}, optional=["without"])
_PAIR = record({"features": array(NAME, minItems=2, maxItems=2), "value": NUMBER})
PARTS = array(_PART, description="heaviest first; with the baseline they add up to the score")
FEATURES = {"features": PARTS, "interactions": array(_PAIR)}
NODES = {
    "tree": TEXT,
    "nodes": array(record({"label": TEXT, "parent": {"type": "integer", "minimum": -1}, "value": NUMBER})),
    "words": PARTS,
    "svg": TEXT,
}
_STEP = {
    "token": COUNT,
    "what": TEXT,
    "label": TEXT,
    **EXPLAINED,
    "scores": by_name(NUMBER),
    "features": PARTS,
    **dict.fromkeys(("machine", "best", "impossible"), TEXT),
    **{key: array(TEXT) for key in ("stack", "buffer")},
}
STEPS = {"steps": array(record(_STEP, optional=["machine", "best", "impossible", "stack", "buffer"]))}


def scored(more: Mapping[str, Schema], optional: Iterable[str] = ()) -> Schema:
    """The answer for a row or a tree, and what else is known of it."""
    known = {
        "label": TEXT_OR_NULL,
        "value": NUMBER,
        "scores": by_name(NUMBER),
        "probabilities": by_name(NUMBER),
    }
    return record(known | dict(more), optional=["probabilities", *optional])


ERROR = record(
    {
        "error": record(
            {"code": {"type": "string", "enum": sorted(STATUSES)}, "message": TEXT, "where": TEXT_OR_NULL},
        )
    }
)
COMPLETED = record({"features": array(record({"name": NAME, "support": COUNT}))})
HEALTH = record({"status": {"const": "ok"}, "version": TEXT})
_ENGINE = record({"name": TEXT, "exact": FLAG, "bytes": COUNT, "reason": TEXT_OR_NULL})
MODEL = record(
    {
        **dict.fromkeys(("name", "version", "kind", "task", "kernel", "scheme"), TEXT),
        "inputs": array(TEXT),
        "classes": {"type": ["array", "null"], "items": TEXT},
        "outputs": array(TEXT),
        "support": COUNT,
        "features": {"type": ["integer", "null"]},
        **dict.fromkeys(("named_features", "probabilities", "values"), FLAG),
        "columns": COUNT,
        "engine": _ENGINE,
        "limits": by_name({"type": "number"}),
        "examples": {"type": "array"},
    },
    optional=["values", "columns"],
)
