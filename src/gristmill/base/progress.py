"""Progress of long work: a callable that is given (done, total), and may raise to stop it."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[int, int], None]


def halves(progress: Progress | None) -> tuple[Progress | None, Progress | None]:
    """For work in two parts, each about half of all."""
    if progress is None:
        return None, None

    def half(second: int) -> Progress:
        return lambda done, total: progress(second * total + done, 2 * total)

    return half(0), half(1)


def part_progress(progress: Progress | None, number: int, parts: int) -> Progress | None:
    """Progress of one part of several that take alike."""
    if progress is None:
        return None

    def part(done: int, total: int) -> None:
        done, total = (done, total) if total else (1, 1)  # nothing to do is done
        progress(number * total + done, parts * total)

    return part
