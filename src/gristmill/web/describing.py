"""The API in the words of OpenAPI 3.1, with the exact shapes that this model takes and gives."""

from __future__ import annotations

from typing import Any

from gristmill import __version__
from gristmill.web import schemas
from gristmill.web.adapters.base import Player
from gristmill.web.refusals import STATUSES

_ALWAYS = ("forbidden_host", "internal", "busy")
_POSTED = ("bad_json", "bad_input", "forbidden_origin", "slow_body", "too_large", "media_type", "too_many", "timeout")
_OPTIONS = {
    "output": "the output to explain; that of the answer where it is left away",
    "interactions": "also how pairs of features interact",
    "without": "also the answer without each feature",
}


def description(player: Player, name: str) -> dict[str, Any]:
    """The whole document."""
    return {
        "openapi": "3.1.0",
        "info": {"title": f"gristmill playground: {name}", "version": __version__},
        "paths": {
            "/api/model": {"get": _get("What the model is", "Model")},
            "/api/health": {"get": _get("Whether the server answers", "Health")},
            "/api/openapi.json": {"get": _get("This description", None)},
            "/api/features": {"get": _completing(player)},
            "/api/score": {"post": _posted(f"Answers for {player.inputs}", "Scoring", "ScoredList")},
            "/api/explain": {"post": _posted(f"Why {player.inputs} are answered so", "Explaining", "ExplainedList")},
        },
        "components": {"schemas": _components(player)},
    }


def _components(player: Player) -> dict[str, Any]:
    scoring = {player.inputs: schemas.array(_ref("Input"), maxItems=player.limits.rows)}
    explaining = {player.inputs: schemas.array(_ref("Input"), maxItems=player.limits.explained)} | {
        key: {"enum": list(player.outputs)} if key == "output" else schemas.FLAG for key in player.options
    }
    for key in player.options:
        explaining[key] = {**explaining[key], "description": _OPTIONS[key]}
    return {
        "Error": schemas.ERROR,
        "Model": schemas.MODEL,
        "Health": schemas.HEALTH,
        "Completed": schemas.COMPLETED,
        "Input": player.input_schema,
        "Scoring": schemas.record(scoring),
        "Explaining": schemas.record(explaining, optional=player.options),
        "ScoredList": schemas.record({"results": schemas.array(player.scored_schema)}),
        "ExplainedList": schemas.record({"results": schemas.array(player.explained_schema)}),
    }


def _ref(name: str) -> dict[str, str]:
    return {"$ref": f"#/components/schemas/{name}"}


def _json(schema: dict[str, Any]) -> dict[str, Any]:
    return {"application/json": {"schema": schema}}


def _responses(name: str | None, codes: tuple[str, ...]) -> dict[str, Any]:
    good = {"type": "object"} if name is None else _ref(name)
    found: dict[str, Any] = {"200": {"description": "the answer", "content": _json(good)}}
    for status in sorted({STATUSES[code] for code in codes}):
        told = ", ".join(code for code in codes if STATUSES[code] == status)
        found[str(status)] = {"description": told, "content": _json(_ref("Error"))}
    return found


def _get(summary: str, name: str | None) -> dict[str, Any]:
    return {"summary": summary, "responses": _responses(name, _ALWAYS)}


def _posted(summary: str, asked: str, answered: str) -> dict[str, Any]:
    body = {"required": True, "content": _json(_ref(asked))}
    return {"summary": summary, "requestBody": body, "responses": _responses(answered, (*_ALWAYS, *_POSTED))}


def _completing(player: Player) -> dict[str, Any]:
    limit = {"type": "integer", "minimum": 1, "maximum": player.limits.completions}
    return {
        "summary": "Names of features that begin so, the frequent ones first",
        "parameters": [
            {"name": "prefix", "in": "query", "schema": schemas.TEXT},
            {"name": "limit", "in": "query", "schema": limit},
        ],
        "responses": _responses("Completed", (*_ALWAYS, "bad_input")),
    }
