"""How taggers, segmenters, labellers and classifiers show themselves."""

from __future__ import annotations

import inspect


def shown(one: object) -> str:
    """The class, and settings that are not as they would be anyway; those that change no result are left out."""
    known = inspect.signature(type(one)).parameters
    given = ((name, getattr(one, name)) for name in known if name not in ("n_jobs", "progress"))
    settings = ", ".join(f"{name}={value!r}" for name, value in given if value != known[name].default)
    return f"{type(one).__name__}({settings})"
