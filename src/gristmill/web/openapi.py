"""The API as an OpenAPI 3.1 document, with JSON Schema of exactly what this model takes and returns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from gristmill import __version__
from gristmill.data.rows import LARGEST_ID
from gristmill.web.adapters.base import ModelAdapter
from gristmill.web.limits import STATUSES, Limits

_ALWAYS = ("forbidden_host", "internal", "busy")
_POSTED = ("bad_json", "bad_input", "forbidden_origin", "slow_body", "too_large", "media_type", "too_many", "timeout")
_OPTIONS = {
    "output": "the output to explain; by default that of the answer",
    "interactions": "also how pairs of features interact",
    "without": "also the answer without each feature",
    "changes": "also the cheapest changes that give another class, and what is proven of them",
    "influence": "also the support vectors that add most, for and against",
}


def description(adapter: ModelAdapter, name: str) -> dict[str, Any]:
    """The whole document."""
    return {
        "openapi": "3.1.0",
        "info": {"title": f"gristmill playground: {name}", "version": __version__},
        "paths": {
            "/api/model": {"get": _get("What the model is", "Model")},
            "/api/health": {"get": _get("Whether the server answers", "Health")},
            "/api/openapi.json": {"get": _get("This description", None)},
            "/api/features": {"get": _completing(adapter)},
            "/api/shapes": {
                "get": _get("What the columns of tables add, as pictures", "ShapeList", (*_ALWAYS, "timeout"))
            },
            "/api/score": {"post": _posted(f"Answers for {adapter.inputs}", "Scoring", "ScoredList")},
            "/api/explain": {"post": _posted(f"Why {adapter.inputs} are answered so", "Explaining", "ExplainedList")},
        },
        "components": {"schemas": _components(adapter)},
    }


def _components(adapter: ModelAdapter) -> dict[str, Any]:
    scoring = {adapter.inputs: array(_ref("Input"), maxItems=adapter.limits.rows)}
    explaining = {adapter.inputs: array(_ref("Input"), maxItems=adapter.limits.explained)} | {
        key: {"enum": list(adapter.outputs)} if key == "output" else FLAG for key in adapter.option_names
    }
    for key in adapter.option_names:
        explaining[key] = {**explaining[key], "description": _OPTIONS[key]}
    return {
        "Error": ERROR,
        "Model": MODEL,
        "Health": HEALTH,
        "Completed": COMPLETED,
        "ShapeList": record({"results": array(SHAPE)}),
        "Input": adapter.input_schema,
        "Scoring": record(scoring),
        "Explaining": record(explaining, optional=adapter.option_names),
        "ScoredList": record({"results": array(adapter.scored_schema)}),
        "ExplainedList": record({"results": array(adapter.explained_schema)}),
    }


def _ref(name: str) -> dict[str, str]:
    return {"$ref": f"#/components/schemas/{name}"}


def _json(schema: dict[str, Any]) -> dict[str, Any]:
    return {"application/json": {"schema": schema}}


def _responses(name: str | None, codes: tuple[str, ...]) -> dict[str, Any]:
    good = {"type": "object"} if name is None else _ref(name)
    found: dict[str, Any] = {"200": {"description": "the answer", "content": _json(good)}}
    for status in sorted({STATUSES[code] for code in codes}):
        listed = ", ".join(code for code in codes if STATUSES[code] == status)
        found[str(status)] = {"description": listed, "content": _json(_ref("Error"))}
    return found


def _get(summary: str, name: str | None, codes: tuple[str, ...] = _ALWAYS) -> dict[str, Any]:
    return {"summary": summary, "responses": _responses(name, codes)}


def _posted(summary: str, taken: str, returned: str) -> dict[str, Any]:
    body = {"required": True, "content": _json(_ref(taken))}
    return {"summary": summary, "requestBody": body, "responses": _responses(returned, (*_ALWAYS, *_POSTED))}


def _completing(adapter: ModelAdapter) -> dict[str, Any]:
    limit = {"type": "integer", "minimum": 1, "maximum": adapter.limits.completions}
    return {
        "summary": "Names of features that begin so, the frequent ones first",
        "parameters": [
            {"name": "prefix", "in": "query", "schema": TEXT},
            {"name": "limit", "in": "query", "schema": limit},
        ],
        "responses": _responses("Completed", (*_ALWAYS, "bad_input")),
    }


# --- parts of the document --------------------------------------------------------------------------------------------

Schema = dict[str, Any]

LARGEST_VALUE = 1e15  # of a feature, so that powers of it stay within doubles
LARGEST_CELL = 1e300  # of a table, whose numbers fall into bins

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


def table_row(form: Iterable[Mapping[str, Any]]) -> Schema:
    """An object with a value for each column; null where it is not known."""
    within = {"minimum": -LARGEST_CELL, "maximum": LARGEST_CELL}  # of what is a number
    kinds: dict[str, Schema] = {
        "number": {"type": ["number", "null"], **within},
        "boolean": {"type": ["boolean", "null"]},
        "date": {"anyOf": [{"type": "null"}, {"type": "string", "format": "date"}], "description": "also with a time"},
    }
    category: Schema = {"type": ["string", "number", "boolean", "null"], **within}
    properties = {column["name"]: kinds.get(column["kind"], category) for column in form}
    return record(properties, optional=[column["name"] for column in form if column["missing"]])


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
_CHANGE = record(dict.fromkeys(("name", "before", "after"), TEXT))
_CHANGED = record({"label": TEXT_OR_NULL, "cost": NUMBER, "changes": array(_CHANGE)})
CHANGES = {
    "changes": {
        "anyOf": [record({"said": TEXT, "proven": FLAG, "answers": array(_CHANGED)}), {"type": "null"}],
        "description": "null for models that are not searched",
    }
}
_DECIDER = record({"name": TEXT, "value": NUMBER, "shared": array(NAME), "others": array(NAME)})
INFLUENCE = {
    "influence": {
        "anyOf": [record({"for": array(_DECIDER), "against": array(_DECIDER)}), {"type": "null"}],
        "description": "support vectors, and which of their features the row shares; null for models of weights",
    }
}
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
SHAPE = record({"columns": array(TEXT), **dict.fromkeys(("output", "caption", "svg"), TEXT)})
HEALTH = record({"status": {"const": "ok"}, "version": TEXT})
_ENGINE = record({"name": TEXT, "exact": FLAG, "bytes": COUNT, "reason": TEXT_OR_NULL})
_COLUMN = record(
    {
        **dict.fromkeys(("name", "kind"), TEXT),
        **dict.fromkeys(("missing", "times"), FLAG),
        "options": {"type": ["array", "null"], "items": TEXT},
        "default": {"type": ["string", "number", "boolean", "null"]},
        "fields": array(record({"name": TEXT, "bins": array(TEXT)})),
    }
)
MODEL = record(
    {
        **dict.fromkeys(("name", "version", "kind", "task", "kernel", "scheme"), TEXT),
        "inputs": array(TEXT),
        "classes": {"type": ["array", "null"], "items": TEXT},
        "outputs": array(TEXT),
        "support": COUNT,
        "features": {"type": ["integer", "null"]},
        **dict.fromkeys(("named_features", "probabilities", "values", "changes", "influence"), FLAG),
        "columns": COUNT,
        "target": {**TEXT_OR_NULL, "description": "the column of a table that is predicted"},
        "form": array(_COLUMN, description="the columns of a table"),
        "engine": _ENGINE,
        "limits": by_name({"type": "number"}),
        "examples": {"type": "array"},
    },
    optional=["values", "changes", "influence", "columns", "target", "form"],
)
