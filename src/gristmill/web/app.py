"""The application: a model behind six addresses, and the page."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterable
from dataclasses import asdict
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
from gristmill.web.adapters.base import Asked, Player
from gristmill.web.adapters.choose import player_of
from gristmill.web.bodies import ClientGoneError, read_body
from gristmill.web.describing import description
from gristmill.web.guards import Guard, Json, refused
from gristmill.web.hosts import Hosts
from gristmill.web.limits import Limits
from gristmill.web.pages import page_files, style_file
from gristmill.web.reading import read_explained, read_limit, read_scored
from gristmill.web.refusals import RefusedError
from gristmill.web.watch import Watch

if TYPE_CHECKING:
    from gristmill.apps.loading import Model
    from gristmill.scoring.scorer import Scorer

_SMALL = 4096  # bytes of a body that is read at once,
_QUICK = 1_000_000  # nanoseconds of work that is done at once: a thread takes a third of that to begin

_Work = Callable[[Watch], list[dict[str, Any]]]


def create_app(
    model: Model | Scorer | Player,
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
        What people call it.
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
        Names beside this machine's own that requests may be addressed to; '*' allows all.

    Examples
    --------
    >>> import gristmill as gm
    >>> from gristmill.web import create_app
    >>> machine = gm.Machine(gm.PolynomialKernel(2), gm.ids([[0, 1], [2]]), [1.0, -0.5], -1.0, classes=["no", "yes"])
    >>> app = create_app(machine, name="small")
    >>> [route.path for route in app.routes if route.path.startswith("/api")]
    ['/api/score', '/api/explain', '/api/features', '/api/model', '/api/openapi.json', '/api/health']
    """
    if not isinstance(model, Player):
        model = player_of(model, limits or Limits(), engine=engine, binarize=binarize)
    player = model
    given = player.examples() if examples is None else _checked(examples, player)
    playground = _Playground(player, name, given)
    app = Starlette(
        routes=playground.routes(),
        middleware=[Middleware(Guard, hosts=Hosts(host, allowed_hosts), most=player.limits.requests)],
        exception_handlers={
            RefusedError: lambda _, refusal: refused(refusal),
            ClientGoneError: lambda _, __: Response(status_code=499),
            HTTPException: _not_routed,  # type: ignore[dict-item]
        },
    )
    app.router.redirect_slashes = False
    app.state.ending = playground.ending
    return app


def _checked(examples: Iterable[Any], player: Player) -> list[Any]:
    """Inputs as requests have them; ValueError where one is none."""
    given = list(examples)
    try:
        for at, one in enumerate(given):
            player.read(one, f"examples[{at}]")
    except RefusedError as refusal:
        raise ValueError(f"{refusal.where}: {refusal.message}") from None
    return given


class _Playground:
    def __init__(self, player: Player, name: str, examples: list[Any]) -> None:
        self.player, self.limits = player, player.limits
        self.ending = threading.Event()
        self._threads = anyio.CapacityLimiter(2 * resolve_jobs(-1))
        facts = {
            "name": name,
            "version": __version__,
            "kind": player.kind,
            "inputs": [player.inputs],
            **player.facts(),
            "limits": asdict(player.limits),
            "examples": examples,
        }
        self._model = Json(facts)
        self._description = Json(description(player, name))
        self._health = Json({"status": "ok", "version": __version__})
        self._pages, self._style = page_files(), style_file()

    def routes(self) -> list[Route]:
        return [
            Route("/api/score", self.score, methods=["POST"]),
            Route("/api/explain", self.explain, methods=["POST"]),
            Route("/api/features", self.features),
            Route("/api/model", self.model),
            Route("/api/openapi.json", self.describe),
            Route("/api/health", self.health),
            Route("/", self.page),
            Route("/style.css", self.style),
            Route("/page/{path:path}", self.page),
        ]

    async def page(self, request: Request) -> Response:
        found = self._pages.get(request.path_params.get("path", "index.html"))
        if found is None:
            raise RefusedError("not_found", "there is no such page")
        return found

    async def style(self, _: Request) -> Response:
        return self._style

    async def model(self, _: Request) -> Response:
        return self._model

    async def describe(self, _: Request) -> Response:
        return self._description

    async def health(self, _: Request) -> Response:
        return self._health

    async def features(self, request: Request) -> Response:
        query = request.query_params
        limit = read_limit(query.get("limit"), self.limits.completions)
        prefix = query.get("prefix", "")[:1000]
        return Json(
            {"features": await anyio.to_thread.run_sync(self.player.features, prefix, limit, limiter=self._threads)}
        )

    async def score(self, request: Request) -> Response:
        return await self._answered(request, read_scored)

    async def explain(self, request: Request) -> Response:
        return await self._answered(request, read_explained)

    async def _answered(self, request: Request, read: Callable[[bytes, Player], Asked]) -> Response:
        """Here and now where that takes no time to speak of, else in a thread."""
        body = await read_body(request.headers, request.receive, self.limits)
        if len(body) <= _SMALL:
            asked = read(body, self.player)
            if self.player.effort(asked) <= _QUICK:
                return _response(lambda watch: self.player.answer(asked, watch), self._watch())
        return await self._worked(request, lambda watch: self.player.answer(read(body, self.player), watch))

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
    """What Starlette itself refuses."""
    code = {404: "not_found", 405: "method"}.get(error.status_code, "bad_input")
    said = {"not_found": "there is no such address", "method": "this address is asked in another way"}
    return refused(RefusedError(code, said.get(code, str(error.detail)), headers=error.headers))
