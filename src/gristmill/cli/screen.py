"""What people see: tables on standard output, a progress bar on standard error when it is a terminal."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from gristmill.display.numbers import result

if TYPE_CHECKING:
    from gristmill.apps.scores import MatchScore
    from gristmill.base.progress import Progress
    from gristmill.data.tables.overview import ColumnOverview


def table(
    title: str, columns: Sequence[str], rows: Iterable[Sequence[Any]], *, left: int = 1, to_stderr: bool = False
) -> None:
    """Print a table; the first `left` columns are words, the others numbers."""
    import click
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    drawn = Table(title=title, box=box.SIMPLE_HEAD, title_justify="left", title_style="bold", pad_edge=False)
    for number, name in enumerate(columns):
        drawn.add_column(name, justify="left" if number < left else "right", overflow="fold")
    for row in rows:
        drawn.add_row(*(Text(str(cell)) for cell in row))  # as it is: names may look like markup
    console = Console(file=sys.stderr if to_stderr else sys.stdout, highlight=False)
    if not console.is_terminal:
        console.width = 120
    with console.capture() as drawing:  # rich itself exits where a pipe was closed
        console.print(drawn)
    click.echo(drawing.get(), nl=False, err=to_stderr)


def overview_table(
    columns: Sequence[ColumnOverview], roles: Mapping[str, str] | None = None, *, to_stderr: bool = False
) -> None:
    """Print what was read of a table, with the role of some columns."""
    known = roles or {}
    cells = [
        (one.name, one.kind, known.get(one.name, ""), count(one.missing), count(one.distinct), _typical(one.typical))
        for one in columns
    ]
    heads = ["column", "kind", "", "missing", "distinct", "typical"]
    table("columns", heads, cells, left=3, to_stderr=to_stderr)


def _typical(value: float | str | None) -> str:
    return "" if value is None else value if isinstance(value, str) else f"{value:g}"


@contextlib.contextmanager
def progress_bar(title: str) -> Iterator[Progress | None]:
    """A callback that draws a bar, or None where nobody is looking."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress as Bar

    with Bar(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(title, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


@contextlib.contextmanager
def progress_line(title: str) -> Iterator[Callable[[int, int | None, str], None] | None]:
    """A callback (done, total or None, what to say) that draws a line, or None where nobody is looking."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn
    from rich.progress import Progress as Bar

    columns = (TextColumn("{task.description}"), BarColumn(bar_width=20), TextColumn("{task.fields[said]}"))
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(title, total=None, said="")
        yield lambda done, total, said: bar.update(task, completed=done, total=total, said=said)


@contextlib.contextmanager
def progress_count(title: str, unit: str) -> Iterator[Callable[[int], None]]:
    """A callback that draws how many were done, or nothing where nobody is looking."""
    with progress_line(title) as line:
        yield lambda done: None if line is None else line(done, None, f"{count(done)} {unit}")


def note(message: str) -> None:
    """Something people should know, on standard error."""
    import click

    click.echo(f"gristmill: {message}", err=True)


def count(number: float) -> str:
    """1,234 or 12.34."""
    return f"{number:,}" if isinstance(number, int) else f"{number:,.2f}"


def percent(share: float, of: int = 1) -> str:
    """12.34; a dash where there was nothing to take a share of."""
    return "-" if of == 0 else result(share)


def score_table(title: str, kind: str, scores: Iterable[tuple[str, MatchScore]]) -> None:
    """Print precision, recall and F1, and what they were counted from."""
    columns = [kind, "precision", "recall", "F1", "gold", "predicted", "correct"]
    table(title, columns, (_score_row(name, score) for name, score in scores))


def _score_row(name: str, score: MatchScore) -> list[str]:
    shares = (percent(share, score.gold + score.predicted) for share in (score.precision, score.recall, score.f1))
    return [name, *shares, *map(count, (score.gold, score.predicted, score.correct))]
