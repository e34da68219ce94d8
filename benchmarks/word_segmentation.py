"""Claim: Japanese words are found with an F1 of 97 and more, from one command, and every engine finds the same ones.

`Segmenter` learned from UD Japanese GSD, whose words are found again in its text: with the features of Kudo and
Matsumoto 2003, section 5.2, and with the dictionary of the training text beside them. Spaces of the text are given.
Settings were chosen by the part of the corpus called dev. Engines go from file to file, and what they write is asserted
to be the same, byte by byte, and to give the text again.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path
from typing import Any

from benchmarks.measure import Table, Timing, alternate, corpora, record, seconds_of
from gristmill.apps.segmentation.files import join_file, segmented_blocks
from gristmill.apps.segmentation.segmenter import Segmenter
from gristmill.display.charts import Plot

WANTED, ROUNDS = 97.0, 5
SIZES = (250, 500, 1000, 2000, 4000, 7050)
ENGINES = ("direct", "inverted", "split", "expanded")
LARGE = 3  # how many times the training text is the large file
PARTS = ("dev", "test")


@dataclass(frozen=True)
class Setting:
    """What is compared."""

    name: str
    options: dict[str, Any] = field(default_factory=dict)


DEFAULT = Setting("characters, types and dictionary (default)")
PAPER = Setting("characters and types, as in the paper", {"dictionary": False})
SETTINGS = (
    PAPER,
    DEFAULT,
    Setting("default, degree 3", {"degree": 3}),
    Setting("default, support vector machine", {"solver": "dual-cd"}),
)


def main(
    settings: Sequence[Setting] = SETTINGS,
    sizes: Sequence[int] = SIZES,
    rounds: int = ROUNDS,
    large: int = LARGE,
) -> None:
    rows, raw = [], dict[str, Any]()
    for setting in settings:
        segmenter, seconds = learned(setting, None)
        rows.append(_score_row(setting.name, segmenter, seconds))
        if setting is DEFAULT:
            engines, raw["engines"], raw["large"] = measured(segmenter, rounds, large)
    curve = learning_curve(sizes)
    record(
        "word_segmentation",
        "Words of Japanese text",
        ["features", "dev F1, %", "test F1, %", "test boundaries, %", "words known", "support rows", "training, s"],
        rows,
        [
            f"UD Japanese GSD: {max(sizes):,} sentences to learn from. Wanted: an F1 of {WANTED:g} on the test part, "
            "with the settings that `gristmill segment` has by itself.",
            f"One thread. One training; medians of {rounds} runs from file to file. *ms a sentence*: of the text of "
            f"the test part, by all engines in turn. *a second*: of the training text {large} times over; for direct "
            "of the test part.",
            "What all engines write is the same, and joined again it is the text, which was asserted.",
        ],
        raw | {"curve": curve},
        more=[engines, _curve_table(curve)],
        plots=[_curve_plot(curve)],
    )


def quick() -> None:
    """A look in a minute or so."""
    main((PAPER, DEFAULT), (250, 1000), 1, 1)


@cache
def sentences(part: str) -> list[str]:
    """Segmented text, line by line."""
    text = b"".join(segmented_blocks(corpora() / f"dep/ja_gsd-megagon-{part}.conllu.gz")).decode()
    return text.removesuffix("\n").split("\n")


def learned(setting: Setting, size: int | None) -> tuple[Segmenter, float]:
    """From the first sentences, and in how many seconds."""
    segmenter, known = Segmenter(**setting.options, n_jobs=1), sentences("train")[:size]
    return segmenter, seconds_of(lambda: segmenter.fit(known))


def _score_row(name: str, segmenter: Segmenter, seconds: float) -> list[Any]:
    dev, test = (segmenter.evaluate(sentences(part)) for part in PARTS)
    return [
        *(name, f"{100 * dev.f1:.2f}", f"**{100 * test.f1:.2f}**", f"{100 * test.accuracy:.2f}"),
        *(f"{len(segmenter.words_):,}", f"{segmenter.machine_.n_support:,}", f"{seconds:.1f}"),
    ]


# --- engines ----------------------------------------------------------------------------------------------------------


def measured(segmenter: Segmenter, rounds: int, large: int) -> tuple[Table, dict[str, Timing], dict[str, Timing]]:
    """A table of engines, from file to file; and timings of the test part and of a large file."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        segmenter.save(folder / "model")
        sides = {engine: Segmenter.load(folder / "model", engine=engine, n_jobs=1) for engine in ENGINES}
        (folder / "text").write_text(_text("test"), encoding="utf-8")
        (folder / "large").write_text(_text("train") * large, encoding="utf-8")
        assert_same(sides, folder)
        times = alternate({engine: _run(side, folder, "text") for engine, side in sides.items()}, rounds)
        fast = {engine: sides[engine] for engine in ENGINES if engine != "direct"}
        more = alternate({engine: _run(side, folder, "large") for engine, side in fast.items()}, max(1, rounds // 2))
        lines, characters = _size(folder / "text")
        large_lines, large_characters = _size(folder / "large")
    rows = []
    for engine, time in times.items():
        seconds = more[engine].median / large_lines if engine in more else time.median / lines  # a sentence
        width = large_characters / large_lines if engine in more else characters / lines
        rows.append(
            [
                *(engine, f"{1e3 * time.median / lines:.3f}", f"{times['direct'].median / time.median:.0f}x"),
                *(f"{width / seconds:,.0f}", f"{1 / seconds:,.0f}"),
                f"{sides[engine].engine_.scorer.nbytes / 1e6:.1f}",
            ]
        )
    columns = ["engine", "ms a sentence", "beside direct", "characters a second", "sentences a second", "memory, MB"]
    return Table("Engines, from file to file", columns, rows), times, more


def assert_same(sides: dict[str, Segmenter], folder: Path) -> None:
    """AssertionError where engines write other words, or text is lost."""
    written = set()
    for side in sides.values():
        _run(side, folder, "text")()
        written.add((folder / "words").read_bytes())
    assert len(written) == 1
    join_file(folder / "words", folder / "again")
    assert (folder / "again").read_bytes() == (folder / "text").read_bytes()


def _run(segmenter: Segmenter, folder: Path, name: str) -> Any:
    return partial(segmenter.segment_file, folder / name, folder / "words")


def _text(part: str) -> str:
    return "".join(f"{Segmenter.joined(line)}\n" for line in sentences(part))


def _size(path: Path) -> tuple[int, int]:
    text = path.read_text(encoding="utf-8")
    return text.count("\n"), sum(not character.isspace() for character in text)


# --- how much text it takes -------------------------------------------------------------------------------------------


def learning_curve(sizes: Sequence[int]) -> dict[str, list[tuple[int, float, float]]]:
    """Of features: how many sentences, and F1 of both parts in percent."""
    found: dict[str, list[tuple[int, float, float]]] = {PAPER.name: [], DEFAULT.name: []}
    for setting in (PAPER, DEFAULT):
        for size in sizes:
            segmenter, _ = learned(setting, size)
            dev, test = (100 * segmenter.evaluate(sentences(part)).f1 for part in PARTS)
            found[setting.name].append((size, dev, test))
    return found


def _curve_table(curve: dict[str, list[tuple[int, float, float]]]) -> Table:
    sizes = [f"{size:,}" for size, *_ in curve[DEFAULT.name]]
    rows = [[name, *(f"{dev:.2f} / {test:.2f}" for _, dev, test in points)] for name, points in curve.items()]
    return Table("F1 of dev / test by sentences to learn from", ["features", *sizes], rows)


def _curve_plot(curve: dict[str, list[tuple[int, float, float]]]) -> Plot:
    lines = {name: [(float(size), test) for size, _, test in points] for name, points in curve.items()}
    return Plot("curve", "How much text it takes", "sentences to learn from", "test F1, %", lines, log_x=True)


if __name__ == "__main__":
    main()
