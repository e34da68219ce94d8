"""Who may ask: this machine by its own names, unless others are named. Against pages of other sites."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable

from starlette.datastructures import Headers

from gristmill.web.refusals import RefusedError

LOCAL = ("localhost", "127.0.0.1", "::1")
ANY = "*"
_READING = ("GET", "HEAD", "OPTIONS")


class Hosts:
    """Names and addresses that requests may be addressed to.

    A page of another site can make a browser send requests here, and can give its own name the address of this machine;
    it can change neither the Host nor the Origin header. Addresses in digits are nobody's name.

    Parameters
    ----------
    bound : str
        The address that the server listens on.
    allowed : iterable of str
        More names; '*' allows all.
    """

    def __init__(self, bound: str, allowed: Iterable[str] = ()) -> None:
        self._known = {name.lower().strip("[]") for name in (*LOCAL, bound, *allowed)}
        self._is_everywhere = _is_unspecified(bound)

    def check(self, method: str, headers: Headers) -> None:
        """RefusedError for a request that another site may have made."""
        host = headers.get("host", "")
        if not self._is_known(host):
            message = f"this server does not answer for the host {host!r:.60}; name it with --allow-host"
            raise RefusedError("forbidden_host", message)
        if method in _READING:
            return
        origin = headers.get("origin")
        if origin is not None and origin.lower() not in (f"http://{host}".lower(), f"https://{host}".lower()):
            raise RefusedError("forbidden_origin", f"pages of {origin!r:.60} may not ask this server")
        if headers.get("sec-fetch-site", "none") not in ("none", "same-origin"):
            raise RefusedError("forbidden_origin", "pages of other sites may not ask this server")

    def _is_known(self, host: str) -> bool:
        name = host_name(host).lower()
        return ANY in self._known or name in self._known or (self._is_everywhere and _is_address(name))


def is_local(host: str) -> bool:
    """Whether only this machine can reach a server there."""
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def host_name(host: str) -> str:
    """Without the port and the brackets."""
    if host.startswith("["):
        return host[1:].partition("]")[0]
    return host.rpartition(":")[0] if ":" in host else host


def _is_unspecified(host: str) -> bool:
    try:
        return ipaddress.ip_address(host.strip("[]")).is_unspecified
    except ValueError:
        return host == ""


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True
