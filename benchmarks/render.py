"""docs/results/*.md, *.svg and data/*.csv of the plots, from docs/results/data/*.json: no figure is ever typed."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

from benchmarks import measure
from gristmill.display.charts import Plot, draw


def main() -> None:
    pages = measure.RESULTS.parent
    pages.mkdir(parents=True, exist_ok=True)  # nothing may have been recorded yet
    names = [_page(path, pages) for path in sorted(measure.RESULTS.glob("*.json"))]
    toc = "\n".join(names)
    (pages / "index.md").write_text(
        f"# Results\n\nMeasured by `make bench`; every page is written by it.\n\n```{{toctree}}\n{toc}\n```\n",
        encoding="utf-8",
    )


def _page(path: Path, pages: Path) -> str:
    result = json.loads(path.read_text(encoding="utf-8"))
    lines = [
        f"# {result['title']}",
        "",
        *_table(result),
        *_plots(result.get("plots", []), path.stem, pages),
        *(line for table in result.get("more", []) for line in (f"## {table['title']}", "", *_table(table))),
        *(f"- {note}" for note in result["notes"]),
        f"- `python -m benchmarks {path.stem}`, commit {result['commit']}, {result['date']}, {result['processor']}, "
        f"Python {result['python']}.",
        "",
    ]
    (pages / f"{path.stem}.md").write_text("\n".join(lines), encoding="utf-8")
    return path.stem


def _table(table: dict[str, Any]) -> list[str]:
    lines = [table["columns"], ["---"] * len(table["columns"]), *table["rows"]]
    return [*map(_line, lines), ""]


def _plots(descriptions: list[dict[str, Any]], page: str, pages: Path) -> list[str]:
    for old in (*pages.glob(f"{page}-*.svg"), *measure.RESULTS.glob(f"{page}-*.csv")):
        old.unlink()
    lines = []
    for description in descriptions:
        plot = Plot(**description)
        draw(plot, pages / f"{page}-{plot.name}.svg")
        _write_points(plot, measure.RESULTS / f"{page}-{plot.name}.csv")
        lines += [f"![{plot.alt}]({page}-{plot.name}.svg)", ""]
    return lines


def _write_points(plot: Plot, path: Path) -> None:
    """The numbers of a plot, a point a line."""
    with path.open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(["series", plot.x, plot.y])
        table.writerows([name, *point] for name, points in plot.series.items() for point in points)


def _line(cells: list[Any]) -> str:
    return f"| {' | '.join(map(str, cells))} |"


if __name__ == "__main__":
    main()
