"""docs/results/*.md from docs/results/data/*.json, so that no figure is ever typed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from benchmarks.measure import RESULTS


def main() -> None:
    pages = RESULTS.parent
    names = [_page(path, pages) for path in sorted(RESULTS.glob("*.json"))]
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
        _line(result["columns"]),
        _line(["---"] * len(result["columns"])),
        *(_line(row) for row in result["rows"]),
        "",
        *(f"- {note}" for note in result["notes"]),
        f"- `python -m benchmarks {path.stem}`, commit {result['commit']}, {result['date']}, {result['processor']}, "
        f"Python {result['python']}.",
        "",
    ]
    (pages / f"{path.stem}.md").write_text("\n".join(lines), encoding="utf-8")
    return path.stem


def _line(cells: list[Any]) -> str:
    return f"| {' | '.join(map(str, cells))} |"


if __name__ == "__main__":
    main()
