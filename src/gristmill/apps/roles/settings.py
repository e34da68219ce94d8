"""Settings of the role labeller, checked at the door."""

from __future__ import annotations

import math
from collections.abc import Mapping
from numbers import Real
from typing import Any

from gristmill.apps.roles.examples import check_count
from gristmill.apps.roles.nodes import check_candidates, check_form, check_predicate
from gristmill.kernels.named import as_kernel


def check_settings(settings: Mapping[str, Any]) -> None:
    """ValueError where one is not what it may be."""
    check_form(settings["form"])
    check_candidates(settings["candidates"])
    check_predicate(settings["predicate"])
    check_count("max_examples", settings["max_examples"], 1)
    for name, least in (("min_count", 1), ("random_state", 0)):
        if settings[name] is None:
            raise ValueError(f"{name} must be a whole number from {least} on, got None")
        check_count(name, settings[name], least)
    _check_number("threshold", settings["threshold"], "a number", -math.inf)
    _check_number("C", settings["C"], "a number above 0", 0.0)
    for name in ("lowercase", "overlap", "words"):
        if not isinstance(settings[name], bool) and not (name == "words" and settings[name] is None):
            raise ValueError(f"{name} must be True or False, got {settings[name]!r}")
    _check_kernel(settings["kernel"])


def _check_number(name: str, value: Any, wanted: str, above: float) -> None:
    is_number = isinstance(value, Real) and not isinstance(value, bool)
    if not is_number or not above < value < math.inf:
        raise ValueError(f"{name} must be {wanted}, got {value!r}")


def _check_kernel(kernel: Any) -> None:
    reads = as_kernel(kernel).reads
    if reads != "trees":
        raise ValueError(f"roles need a kernel of trees, got one of {reads}, {kernel!r}")
