"""`python -m tests.guard COUNT`: see `guard.py`."""

from __future__ import annotations

import argparse
import sys

from tests.guard.guard import guard
from tests.guard.machines import KINDS


def main() -> int:
    """Exit code 1 where a law is broken."""
    parser = argparse.ArgumentParser(prog="python -m tests.guard", description="Score random machines exactly, too.")
    parser.add_argument("count", type=int, help="machines of each kind")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="the number of the first machine")
    parser.add_argument("--kind", choices=list(KINDS), action="append", help="which; all unless given")
    given = parser.parse_args()
    found = guard(given.count, given.seed, tuple(given.kind or KINDS), given.first)
    print(found)
    return bool(found.broken)


if __name__ == "__main__":
    sys.exit(main())
