"""What the server does not do, said in one shape: {"error": {"code", "message", "where"}}."""

from __future__ import annotations

from collections.abc import Mapping

STATUSES = {
    "bad_input": 400,
    "bad_json": 400,
    "forbidden_host": 403,
    "forbidden_origin": 403,
    "not_found": 404,
    "method": 405,
    "slow_body": 408,
    "too_large": 413,
    "media_type": 415,
    "too_many": 422,
    "internal": 500,
    "busy": 503,
    "stopping": 503,
    "timeout": 503,
}


class RefusedError(Exception):
    """A request that is not answered.

    Parameters
    ----------
    code : str
        For programs: one of `STATUSES`.
    message : str
        For people: what was got, what is wanted.
    where : str or None
        In which part of the request, as in ``rows[3][1]``.
    headers : mapping or None
        That the answer has beside.
    """

    def __init__(
        self, code: str, message: str, where: str | None = None, headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(message)
        self.code, self.message, self.where = code, message, where
        self.headers = dict(headers or {})

    @property
    def status(self) -> int:
        return STATUSES[self.code]

    def as_dict(self) -> dict[str, dict[str, str | None]]:
        return {"error": {"code": self.code, "message": self.message, "where": self.where}}


def check_most(what: str, number: int, most: int, where: str | None = None) -> None:
    """Refuse more than the most."""
    if number > most:
        raise RefusedError("too_many", f"at most {most:,} {what} at once, got {number:,}", where)
