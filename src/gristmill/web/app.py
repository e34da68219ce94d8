"""The application: a model behind six addresses, and the page."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Collection, Iterable
from dataclasses import asdict
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import TYPE_CHECKING, Any

import anyio.to_thread
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from gristmill import __version__
from gristmill.base.threads import resolve_jobs
from gristmill.data.rows import Binarize
from gristmill.display.stylesheet import stylesheet
from gristmill.web.adapters.base import ExplainOptions, ModelAdapter, ModelRequest, check_output
from gristmill.web.adapters.choose import choose_adapter
from gristmill.web.guards import Guard, Json, host_pattern, refused
from gristmill.web.limits import Limits, RefusedError, Watch, bad_input, check_most
from gristmill.web.openapi import description
from gristmill.web.requests import ClientGoneError, parse, read_body

if TYPE_CHECKING:
    from gristmill.apps.loading import Model
    from gristmill.scoring.scorer import Scorer


_TYPES = {"html": "text/html", "css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}
_SMALL = 4096  # bytes of a body that is read without a thread
_QUICK = 1_000_000  # nanoseconds of work that is done without a thread, which takes a third of that to begin

_Work = Callable[[Watch], list[dict[str, Any]]]


def create_app(
    model: Model | Scorer | ModelAdapter,
    *,
    name: str = "model",
    engine: str = "auto",
    binarize: Binarize = 0.0,
    limits: Limits | None = None,
    examples: Iterable[Any] | None = None,
    host: str = "127.0.0.1",
    allowed_hosts: Iterable[str] = (),
) -> Starlette:
    """The playground of a model, an ASGI application.

    Parameters
    ----------
    model : Machine, Scorer, Tagger, Segmenter, DependencyParser, TreeClassifier
    name : str
        Its name for people.
    engine : str
        How a machine is compiled.
    binarize : float, None or False
        What becomes of values other than 0 and 1 in rows, as for `Machine.compile`.
    limits : Limits or None
    examples : iterable or None
        Inputs to try, as requests have them. None: some that the model itself has.
    host : str
        The address that the server listens on.
    allowed_hosts : iterable of str
        More names that requests may be addressed to; ``'*'`` allows all, ``'*.example.org'`` all names below.

    Examples
    --------
    >>> import gristmill as gm
    >>> from gristmill.web import create_app
    >>> machine = gm.Machine(gm.PolynomialKernel(2), gm.ids([[0, 1], [2]]), [1.0, -0.5], -1.0, classes=["no", "yes"])
    >>> app = create_app(machine, name="small")
    >>> [route.path for route in app.routes if route.path.startswith("/api")]
    ['/api/score', '/api/explain', '/api/features', '/api/shapes', '/api/model', '/api/openapi.json', '/api/health']
    """
    if not isinstance(model, ModelAdapter):
        model = choose_adapter(model, limits or Limits(), engine=engine, binarize=binarize)
    adapter = model
    given = adapter.examples() if examples is None else _checked(examples, adapter)
    playground = _Playground(adapter, name, given)
    app = Starlette(
        routes=playground.routes(),
        middleware=[
            Middleware(Guard, host=host, allowed_hosts=[*map(host_pattern, allowed_hosts)], limits=adapter.limits)
        ],
        exception_handlers={
            RefusedError: lambda _, refusal: refused(refusal),
            ClientGoneError: lambda _, __: Response(status_code=499),
            HTTPException: _not_routed,  # type: ignore[dict-item]
        },
    )
    app.router.redirect_slashes = False
    app.state.ending = playground.ending
    return app


def _checked(examples: Iterable[Any], adapter: ModelAdapter) -> list[Any]:
    """Inputs as requests have them; ValueError where one is none."""
    given = list(examples)
    try:
        for at, one in enumerate(given):
            adapter.read(one, f"examples[{at}]")
    except RefusedError as refusal:
        raise ValueError(f"{refusal.where}: {refusal.message}") from None
    return given


class _Playground:
    def __init__(self, adapter: ModelAdapter, name: str, examples: list[Any]) -> None:
        self.adapter, self.limits = adapter, adapter.limits
        self.ending = threading.Event()
        self._threads = anyio.CapacityLimiter(2 * resolve_jobs(-1))
        facts = {
            "name": name,
            "version": __version__,
            "kind": adapter.kind,
            "inputs": [adapter.inputs],
            **adapter.facts(),
            "limits": asdict(adapter.limits),
            "examples": examples,
        }
        self._fixed = {
            "/api/model": Json(facts),
            "/api/openapi.json": Json(description(adapter, name)),
            "/api/health": Json({"status": "ok", "version": __version__}),
            "/style.css": style_file(),
        }
        self._pages = page_files()

    def routes(self) -> list[Route]:
        return [
            Route("/api/score", self.score, methods=["POST"]),
            Route("/api/explain", self.explain, methods=["POST"]),
            Route("/api/features", self.features),
            Route("/api/shapes", self.shapes),
            *(Route(path, answer, methods=["GET"]) for path, answer in self._fixed.items()),
            Route("/", self.page),
            Route("/page/{path:path}", self.page),
        ]

    async def page(self, request: Request) -> Response:
        found = self._pages.get(request.path_params.get("path", "index.html"))
        if found is None:
            raise RefusedError("not_found", "there is no such page")
        return found

    async def features(self, request: Request) -> Response:
        query = request.query_params
        limit = read_limit(query.get("limit"), self.limits.completions)
        prefix = query.get("prefix", "")[:1000]
        return Json(
            {"features": await anyio.to_thread.run_sync(self.adapter.features, prefix, limit, limiter=self._threads)}
        )

    async def shapes(self, request: Request) -> Response:
        return await self._worked(request, self.adapter.shapes)

    async def score(self, request: Request) -> Response:
        return await self._answered(request, read_scored)

    async def explain(self, request: Request) -> Response:
        return await self._answered(request, read_explained)

    async def _answered(self, request: Request, read: Callable[[bytes, ModelAdapter], ModelRequest]) -> Response:
        """At once where the work is short, else in a thread."""
        body = await read_body(request.headers, request.receive, self.limits)
        if len(body) <= _SMALL:
            query = read(body, self.adapter)
            if self.adapter.estimated_nanoseconds(query) <= _QUICK:
                return _response(lambda watch: self.adapter.answer(query, watch), self._watch())
        return await self._worked(request, lambda watch: self.adapter.answer(read(body, self.adapter), watch))

    def _watch(self) -> Watch:
        return Watch(self.limits.seconds, self.ending)

    async def _worked(self, request: Request, work: _Work) -> Response:
        """The work in a thread, which ends early if the client goes."""
        watch = self._watch()
        leaving = asyncio.ensure_future(_gone(request, watch))
        try:
            return await anyio.to_thread.run_sync(_response, work, watch, limiter=self._threads)
        finally:
            leaving.cancel()


def _response(work: _Work, watch: Watch) -> Response:
    watch()
    try:
        return Json({"results": work(watch)})
    except ValueError as error:  # what only the work itself finds out, such as kernels beyond doubles
        raise RefusedError("bad_input", str(error)) from error


async def _gone(request: Request, watch: Watch) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
    watch.abandon()


def _not_routed(_: Request, error: HTTPException) -> Response:
    """Refusals of Starlette itself, in the shape of all others."""
    code = {404: "not_found", 405: "method"}.get(error.status_code, "bad_input")
    messages = {"not_found": "there is no such address", "method": "this address takes another method"}
    return refused(RefusedError(code, messages.get(code, str(error.detail)), headers=error.headers))


# --- the page ---------------------------------------------------------------------------------------------------------


def page_files() -> dict[str, Response]:
    """The files of the page by their names below /page/, read once; no other path leads anywhere."""
    return dict(_below(files("gristmill.web") / "page", ""))


def style_file() -> Response:
    """The stylesheet that the page shares with reports."""
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


# --- requests ---------------------------------------------------------------------------------------------------------


def read_scored(body: bytes, adapter: ModelAdapter) -> ModelRequest:
    """A request to /api/score."""
    return ModelRequest(_inputs(_request(body, [adapter.inputs]), adapter, adapter.limits.rows))


def read_explained(body: bytes, adapter: ModelAdapter) -> ModelRequest:
    """A request to /api/explain."""
    request = _request(body, [adapter.inputs, *adapter.option_names])
    options = ExplainOptions(
        output=check_output(request["output"], adapter.outputs) if "output" in request else None,
        interactions=_flag(request, "interactions"),
        without=_flag(request, "without"),
        changes=_flag(request, "changes"),
        influence=_flag(request, "influence"),
    )
    return ModelRequest(_inputs(request, adapter, adapter.limits.explained), options)


def read_limit(given: str | None, most: int) -> int:
    """The number of completions."""
    if given is None:
        return min(20, most)
    if not (given.isascii() and given.isdecimal() and len(given) < 10 and 1 <= int(given) <= most):
        raise bad_input(f"limit is a number from 1 to {most}", given, "limit")
    return int(given)


def _request(body: bytes, known: Collection[str]) -> dict[str, Any]:
    request = parse(body)
    if not isinstance(request, dict):
        raise RefusedError("bad_input", f"a request is an object, got {type(request).__name__}")
    for key in request:
        if key not in known:
            raise RefusedError("bad_input", f"a request has {' and '.join(known)} here, got {key!r:.60}", f"{key:.60}")
    return request


def _inputs(request: dict[str, Any], adapter: ModelAdapter, most: int) -> list[Any]:
    key = adapter.inputs
    given = request.get(key)
    if not isinstance(given, list):
        got = f"{given!r:.60}" if key in request else "none"
        raise RefusedError("bad_input", f"this model takes a list of {key}, got {got}", key)
    check_most(key, len(given), most, key)
    return [adapter.read(one, f"{key}[{at}]") for at, one in enumerate(given)]


def _flag(request: dict[str, Any], key: str) -> bool:
    value = request.get(key, False)
    if not isinstance(value, bool):
        raise bad_input(f"{key} is true or false", value, key)
    return value
