"""What stands before every request: who asks, how many ask at once, and headers that browsers heed."""

from __future__ import annotations

from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from gristmill.web.hosts import Hosts
from gristmill.web.refusals import RefusedError
from gristmill.web.strict_json import dump

HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
_ENCODED = [(name.lower().encode(), value.encode()) for name, value in HEADERS.items()]


class Guard:
    """Refuses requests of strangers, and those beyond the number that may be under way."""

    def __init__(self, app: ASGIApp, hosts: Hosts, most: int) -> None:
        self._app, self._hosts, self._most = app, hosts, most
        self._under_way = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        sending = _Sending(send)
        if self._under_way >= self._most:
            busy = RefusedError("busy", f"{self._most} requests are under way already", headers={"Retry-After": "1"})
            await refused(busy)(scope, receive, sending)
            return
        self._under_way += 1
        try:
            self._hosts.check(scope["method"], Headers(scope=scope))
            await self._app(scope, receive, sending)
        except RefusedError as refusal:
            await refused(refusal)(scope, receive, sending)
        except Exception:
            if not sending.has_begun:
                failed = RefusedError("internal", "the server failed at this request; what went wrong is in its log")
                await refused(failed)(scope, receive, sending)
            raise  # to the log
        finally:
            self._under_way -= 1


class _Sending:
    """Adds the headers, and knows whether the answer has begun: there can be no other then."""

    def __init__(self, send: Send) -> None:
        self._send, self.has_begun = send, False

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.has_begun = True
            message["headers"] = [*message["headers"], *_ENCODED]
        await self._send(message)


class Json(Response):
    """An answer."""

    media_type = "application/json"
    render = staticmethod(dump)  # type: ignore[assignment]


def refused(refusal: RefusedError) -> Json:
    return Json(refusal.as_dict(), status_code=refusal.status, headers=refusal.headers)
