"""The items of the five papers: what each is, where it lives, which test proves it and which benchmark measures it.

The tables are docs/papers/*.toml; docs/papers.md is written from them and from docs/results/data. No figure of ours is
typed: a table names the page, the row and the column where it stands.
"""

from __future__ import annotations

import json
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks import measure
from gristmill.display.charts import Plot

TABLES = Path(__file__).parents[1] / "docs" / "papers"
ORDER = ("kernel-slicing", "tree-kernels", "splitsvm", "pki-pke", "cutting-planes", "cross-cutting")
STATUSES = ("proven", "partly", "impossible")


@dataclass(frozen=True)
class Place:
    """A cell of a page of results: the row is found by its first cells, the column by its title or its number."""

    page: str
    row: list[str]
    column: str | int
    table: str | None = None

    def look_up(self) -> str:
        """The cell as it was recorded; LookupError says what was not found."""
        tables = _tables(self.page)
        if self.table not in tables:
            raise LookupError(f"{self.page} has no table {self.table!r}; there are {list(tables)}")
        columns, rows = tables[self.table]
        found = [row for row in rows if list(map(str, row[: len(self.row)])) == self.row]
        if len(found) != 1:
            raise LookupError(f"{self.page}, {self.table or 'first table'}: {len(found)} rows begin with {self.row}")
        if isinstance(self.column, int):
            return str(found[0][self.column])
        if columns.count(self.column) != 1:
            raise LookupError(f"{self.page}: {columns.count(self.column)} columns are named {self.column!r}: {columns}")
        return str(found[0][columns.index(self.column)])


@dataclass(frozen=True)
class Figure:
    """What a paper reports, and where ours stands."""

    what: str
    paper: str
    ours: Place
    unit: str = ""
    remark: str = ""


@dataclass(frozen=True)
class Picture:
    """A plot of a page of results, beside a figure of the paper."""

    what: str
    page: str
    plot: str

    def look_up(self) -> str:
        """Its description in words; LookupError says what was not found."""
        plots = {plot["name"]: Plot(**plot) for plot in _result(self.page).get("plots", ())}
        if self.plot not in plots:
            raise LookupError(f"{self.page} has no plot {self.plot!r}; there are {list(plots)}")
        return plots[self.plot].alt


@dataclass(frozen=True)
class Item:
    """An algorithm, a structure, an option, an experiment or a remark of a paper."""

    id: str
    kind: str
    words: str
    rooms: list[str]
    tests: list[str]
    use: list[str]
    status: str
    benchmarks: tuple[str, ...] = ()
    figures: tuple[Figure, ...] = ()
    pictures: tuple[Picture, ...] = ()
    note: str = ""


@dataclass(frozen=True)
class Paper:
    """All items of a paper."""

    name: str
    title: str
    citation: str
    items: tuple[Item, ...]


def papers() -> list[Paper]:
    """From the tables, in the order of the page."""
    return [_read(TABLES / f"{name}.toml") for name in ORDER]


def benchmarks_of(all_papers: Iterable[Paper]) -> list[str]:
    """The benchmarks that measure an item, each once, in order of first mention."""
    return list(dict.fromkeys(name for paper in all_papers for item in paper.items for name in item.benchmarks))


def page_path() -> Path:
    """docs/papers.md; with --quick the page beside the quick results."""
    return measure.RESULTS.parents[1] / "papers.md"


def write_page() -> None:
    """With the figures that are there; those that were not measured yet are left open."""
    page_path().write_text(page(papers()), encoding="utf-8")


def page(all_papers: list[Paper]) -> str:
    """The text of docs/papers.md."""
    items = [item for paper in all_papers for item in paper.items]
    lines = [
        "# The papers, item by item",
        "",
        "gristmill unites five published systems. This page lists everything they contain: each item in our words, how",
        "to use it, where it lives, the tests that fail when it breaks, and the benchmark that measures it. Below the",
        "items of a paper stand its figures beside ours. The papers' machines are 16 to 23 years older: compare ratios",
        "and shapes, not seconds.",
        "",
        f"{len(items)} items: {_counted(items)}. Written from `docs/papers/*.toml` and `docs/results/data`.",
        "`python -m benchmarks papers` makes all figures anew, in hours; with `--quick` small ones, for a look.",
        "",
    ]
    return "\n".join([*lines, *(line for paper in all_papers for line in _section(paper))])


# --- reading ---------------------------------------------------------------------------------------------------------


def _read(path: Path) -> Paper:
    table = tomllib.loads(path.read_text(encoding="utf-8"))
    items = tuple(map(_item, table["items"]))
    return Paper(path.stem, table["title"], table["citation"], items)


def _item(entry: dict[str, Any]) -> Item:
    figures = tuple(Figure(**figure | {"ours": Place(**figure["ours"])}) for figure in entry.pop("figures", ()))
    pictures = tuple(Picture(**picture) for picture in entry.pop("pictures", ()))
    lists = {"figures": figures, "pictures": pictures, "benchmarks": tuple(entry.pop("benchmarks", ()))}
    return Item(**entry | lists)


def _result(page: str) -> dict[str, Any]:
    path = measure.RESULTS / f"{page}.json"
    if not path.is_file():
        raise LookupError(f"no results {page}: run python -m benchmarks {page}")
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


def _tables(page: str) -> dict[str | None, tuple[list[str], list[list[Any]]]]:
    result = _result(page)
    more = {table["title"]: (table["columns"], table["rows"]) for table in result.get("more", ())}
    return {None: (result["columns"], result["rows"]), **more}


# --- writing ---------------------------------------------------------------------------------------------------------


def _section(paper: Paper) -> Iterator[str]:
    yield f"## {paper.title}"
    yield ""
    yield f"{paper.citation}: {len(paper.items)} items, {_counted(paper.items)}."
    yield ""
    yield from _table(["item", "what", "use", "where", "tests", "measured", "status"], map(_cells, paper.items))
    figures = [(item, figure) for item in paper.items for figure in item.figures]
    if figures:
        yield f"### {paper.title}: the paper's figures and ours"
        yield ""
        columns = ["item", "figure", "paper", "gristmill", "page", "remark"]
        yield from _table(columns, (_beside(item, figure) for item, figure in figures))
    for item in paper.items:
        for picture in item.pictures:
            yield from _shown(item, picture)
    notes = [item for item in paper.items if item.note]
    if notes:
        yield f"### {paper.title}: notes"
        yield ""
        yield from (f"- {item.id}{_mark(item)}: {item.note}" for item in notes)
        yield ""


def _cells(item: Item) -> list[str]:
    return [
        item.id,
        f"{item.words} ({item.kind})",
        _code(item.use),
        _code(item.rooms),
        _code(item.tests),
        ", ".join(map(_link, item.benchmarks)),
        item.status,
    ]


def _beside(item: Item, figure: Figure) -> list[str]:
    try:
        ours = f"{figure.ours.look_up()} {figure.unit}".strip()
    except LookupError:
        ours = "not measured"
    return [item.id, figure.what, figure.paper, ours, _link(figure.ours.page), figure.remark]


def _shown(item: Item, picture: Picture) -> Iterator[str]:
    try:
        alt = picture.look_up()
    except LookupError:
        return
    yield f"{item.id}, {picture.what} ({_link(picture.page)}):"
    yield ""
    yield f"![{alt}](results/{picture.page}-{picture.plot}.svg)"
    yield ""


def _table(columns: list[str], rows: Iterable[list[str]]) -> Iterator[str]:
    for cells in (columns, ["---"] * len(columns), *rows):
        yield f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"
    yield ""


def _code(names: Iterable[str]) -> str:
    return "<br>".join(f"`{name}`" for name in names)


def _link(page: str) -> str:
    return f"[{page}](results/{page}.md)" if (measure.RESULTS / f"{page}.json").is_file() else page


def _counted(items: Iterable[Item]) -> str:
    found = Counter(item.status for item in items)
    return ", ".join(f"{found[status]} {status}" for status in STATUSES if found[status])


def _mark(item: Item) -> str:
    return "" if item.status == "proven" else f" ({item.status})"


if __name__ == "__main__":
    write_page()
