"""Checks before every request: its host and origin, how many are under way; and security headers on every answer."""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
from collections.abc import Iterable
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from gristmill.web.limits import Limits, RefusedError
from gristmill.web.requests import dump

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
_LOCAL = ("localhost", "127.0.0.1", "::1")
_READING = ("GET", "HEAD", "OPTIONS")


class Guard:
    """Refuses requests that another site may have made, and those beyond the number that may be under way.

    A page of another site can make a browser send requests here, and can give its own name the address of this machine;
    it can change neither the Host nor the Origin header. Starlette checks the Host header. An address in digits is
    nobody's name: a server that listens on all addresses answers to any of them.

    Parameters
    ----------
    host : str
        The address that the server listens on.
    allowed_hosts : iterable of str
        More names, by `host_pattern`.
    limits : Limits
    """

    def __init__(self, app: ASGIApp, host: str, allowed_hosts: Iterable[str], limits: Limits) -> None:
        self._app, self._limits, self._under_way = app, limits, 0
        self._any_address = _is_unspecified(host)
        patterns = [*map(host_pattern, (*_LOCAL, host)), *allowed_hosts]
        self._check_host = TrustedHostMiddleware(self._pass_on, allowed_hosts=patterns, www_redirect=False)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        with contextlib.suppress(_StalledError):
            await self._counted(scope, receive, _Sending(send, self._limits.seconds))

    async def _counted(self, scope: Scope, receive: Receive, sending: _Sending) -> None:
        most = self._limits.requests
        if self._under_way >= most:
            busy = RefusedError("busy", f"{most} requests are under way already", headers={"Retry-After": "1"})
            await refused(busy)(scope, receive, sending)
            return
        self._under_way += 1
        try:
            await self._checked(scope, receive, sending)
        finally:
            self._under_way -= 1

    async def _checked(self, scope: Scope, receive: Receive, sending: _Sending) -> None:
        try:
            host = _only_host(Headers(scope=scope))
            if self._any_address and _is_address(host):
                await self._pass_on(scope, receive, sending)
            else:
                await self._check_host(scope, receive, _HostRefusal(sending, host))
        except RefusedError as refusal:
            await refused(refusal)(scope, receive, sending)
        except _StalledError:
            raise
        except Exception:
            if not sending.has_begun:
                failed = RefusedError("internal", "the server failed at this request; what went wrong is in its log")
                await refused(failed)(scope, receive, sending)
            raise  # to the log

    async def _pass_on(self, scope: Scope, receive: Receive, send: Send) -> None:
        _check_origin(scope["method"], Headers(scope=scope))
        await self._app(scope, receive, send.sending if isinstance(send, _HostRefusal) else send)


class _StalledError(Exception):
    """The client does not take its answers: nobody else waits for it."""


class _Sending:
    """Adds the headers, bounds the time, and knows whether the answer has begun: there can be no other then."""

    def __init__(self, send: Send, seconds: float) -> None:
        self._send, self._seconds, self.has_begun = send, seconds, False

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.has_begun = True
            message["headers"] = [*message["headers"], *_ENCODED]
        try:
            async with asyncio.timeout(self._seconds):
                await self._send(message)
        except TimeoutError:
            raise _StalledError from None


class _HostRefusal:
    """The `send` of Starlette's host check. The check itself sends only to refuse, in plain text; here in JSON."""

    def __init__(self, sending: _Sending, host: str) -> None:
        self.sending, self._host = sending, host

    async def __call__(self, _: Message) -> None:
        message = f"this server does not answer for the host {self._host!r:.60}; name it with --allow-host"
        raise RefusedError("forbidden_host", message)


def _only_host(headers: Headers) -> str:
    """RefusedError for several: a proxy in between may have looked at another one. h11 refuses them before."""
    hosts = headers.getlist("host")
    if len(hosts) > 1:
        raise RefusedError("forbidden_host", f"a request has one Host header, got {len(hosts)}")
    return hosts[0] if hosts else ""


def _check_origin(method: str, headers: Headers) -> None:
    """RefusedError for a request that a page of another site has made, unless it only reads."""
    if method in _READING:
        return
    origin, host = headers.get("origin"), headers.get("host", "")
    if origin is not None and origin.lower() not in (f"http://{host}".lower(), f"https://{host}".lower()):
        raise RefusedError("forbidden_origin", f"pages of {origin!r:.60} may not use this server")
    if headers.get("sec-fetch-site", "none") not in ("none", "same-origin"):
        raise RefusedError("forbidden_origin", "pages of other sites may not use this server")


def host_pattern(name: str) -> str:
    """A host as Starlette compares it: '*' is any, '*.example.org' any name below; IPv6 addresses have brackets."""
    if "*" in name.removeprefix("*.") and name != "*":
        raise ValueError(f"a host is a name, an address, *.NAME or *, got {name!r}")
    bare = name.strip("[]")
    return f"[{bare}]" if ":" in bare else bare


def _is_unspecified(host: str) -> bool:
    try:
        return ipaddress.ip_address(host.strip("[]")).is_unspecified
    except ValueError:
        return host == ""


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(urlsplit(f"//{host}").hostname or "")
    except ValueError:
        return False
    return True


class Json(Response):
    """An answer."""

    media_type = "application/json"
    render = staticmethod(dump)  # type: ignore[assignment]


def refused(refusal: RefusedError) -> Json:
    return Json(refusal.as_dict(), status_code=refusal.status, headers=refusal.headers)
