"""How many examples properties are tried on: few in `make test`, many in `make check` (HYPOTHESIS_PROFILE=long)."""

from __future__ import annotations

import os
from pathlib import Path

from hypothesis import settings

QUICK = 16
LONG = 150
LONG_WHERE_NUMBERS_ARE_MADE = 500
NUMBERS_ARE_MADE = {"kernels", "scoring", "solvers"}
LEAST = 5

TESTS = Path(__file__).parent


def load_profile(module: Path) -> None:
    """Set how many examples each property of a test module gets; @given keeps what holds when it is imported."""
    room = module.relative_to(TESTS).parts[0]
    long = LONG_WHERE_NUMBERS_ARE_MADE if room in NUMBERS_ARE_MADE else LONG
    # make test tries the same examples each time, so that it fails for a change; make check tries others each time
    settings.register_profile("quick", max_examples=QUICK, deadline=None, derandomize=True)
    settings.register_profile("long", max_examples=long, deadline=None)
    settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "quick"))


def share(part: float) -> settings:
    """Settings for a property whose examples take long: this part of what others get."""
    return settings(max_examples=max(LEAST, round(part * settings.default.max_examples)))
