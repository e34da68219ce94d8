"""Claim: Japanese words are found with an F1 of 97 and more, at millions of characters a second, whatever the engine.

`Segmenter` learned from UD Japanese GSD, whose words are found again in its text: with the features of Kudo and
Matsumoto 2003, section 5.2, and with the dictionary of the training text beside them. Spaces of the text are given.
Settings were chosen by the part of the corpus called dev. Engines go from file to file, and what they write is asserted
to be the same, byte by byte, and to give the text again; so is what two threads and the command write.

`auto` are tables of what stands around a boundary; the other engines score rows of features, as all did before.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path
from typing import Any

from benchmarks.measure import Table, Timing, alternate, corpora, record, seconds_of
from gristmill import _core
from gristmill.apps.segmentation.files import join_file, segmented_blocks
from gristmill.apps.segmentation.segmenter import Segmenter
from gristmill.display.charts import Plot

WANTED, ROUNDS = 97.0, 5
SIZES = (250, 500, 1000, 2000, 4000, 7050)
ENGINES = ("direct", "inverted", "split", "expanded", "auto")
THREADS = "auto, 2 threads"
LARGE = 13  # how many times the training text is the large file: 10 MB
PARTS = ("dev", "test")


@dataclass(frozen=True)
class Setting:
    """What is compared."""

    name: str
    options: dict[str, Any] = field(default_factory=dict)


DEFAULT = Setting("characters, types and dictionary (default)")
PAPER = Setting("characters and types, as in the paper", {"dictionary": False, "degree": 3, "C": 0.001})
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
            tables, raw["times"] = measured(segmenter, rounds, large)
    curve = learning_curve(sizes)
    record(
        "word_segmentation",
        "Words of Japanese text",
        ["features", "dev F1, %", "test F1, %", "test boundaries, %", "words known", "support rows", "training, s"],
        rows,
        [
            f"UD Japanese GSD: {max(sizes):,} sentences to learn from. Wanted: an F1 of {WANTED:g} on the test part, "
            "with the settings that `gristmill segment` has by itself.",
            f"One thread where nothing else is said. One training; medians of {rounds} runs from file to file. *ms a "
            "sentence*: of the text of the test part, by all engines in turn. *a second*: of the training text "
            f"{large} times over, in turn; for direct and inverted of the test part.",
            "What all engines, two threads and the command write is the same, and joined again it is the text, which "
            "was asserted.",
            "Published, not measured here: Vaporetto (linear machines as pattern-matching automata) some 2 million "
            "characters a second (its wiki: the novel I Am a Cat in 166 ms on an i7-8086K); Jagger (patterns learned "
            "from a dictionary and a corpus) over 1,000,000 sentences a second, with parts of speech (Yoshinaga 2023).",
        ],
        raw | {"curve": curve},
        more=[*tables, _curve_table(curve)],
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


def measured(segmenter: Segmenter, rounds: int, large: int) -> tuple[list[Table], dict[str, Any]]:
    """Tables of engines from file to file, of the command, and of where the time goes; and all timings."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        segmenter.save(folder / "model")
        sides = {engine: Segmenter.load(folder / "model", engine=engine, n_jobs=1) for engine in ENGINES}
        sides[THREADS] = Segmenter.load(folder / "model", n_jobs=2)
        (folder / "text").write_text(_text("test"), encoding="utf-8")
        (folder / "large").write_text(_text("train") * large, encoding="utf-8")
        assert_same(sides, folder)
        times = alternate({engine: _run(side, folder, "text") for engine, side in sides.items()}, rounds)
        fast = {engine: side for engine, side in sides.items() if engine not in ("direct", "inverted")}
        again = max(1, rounds // 2)
        more = alternate({engine: _run(side, folder, "large") for engine, side in fast.items()}, again)
        command = alternate({f"--jobs {jobs}": partial(_command, folder, jobs) for jobs in (1, 2)}, again)
        parts = alternate(parts_of(sides["auto"], (folder / "large").read_bytes()[: 1 << 20]), rounds)
        sizes = _size(folder / "text"), _size(folder / "large")
        tables = [_engine_table(sides, times, more, sizes), _command_table(command, folder / "large")]
    raw = {"engines": times, "large": more, "command": command, "parts": parts}
    return [*tables, _part_table(parts)], raw


def parts_of(segmenter: Segmenter, block: bytes) -> dict[str, Callable[[], object]]:
    """What is done to a block of text, one after the other."""
    whole = block[: block.rindex(b"\n") + 1]
    engine, lines = segmenter.engine_, _core.CharacterLines(whole)
    classes = engine.classes(lines, 1)
    return {
        "text to characters": lambda: _core.CharacterLines(whole),
        "boundaries": lambda: engine.classes(lines, 1),
        "characters to text": lambda: lines.segmented(classes),
    }


def _engine_table(sides: dict[str, Segmenter], times: dict[str, Timing], more: dict[str, Timing], sizes: Any) -> Table:
    (lines, characters), (large_lines, large_characters) = sizes
    rows = []
    for engine, time in times.items():
        seconds = more[engine].median / large_lines if engine in more else time.median / lines  # a sentence
        width = large_characters / large_lines if engine in more else characters / lines
        rows.append(
            [
                *(engine, f"{1e3 * time.median / lines:.3f}", f"{times['direct'].median / time.median:.0f}x"),
                *(f"{width / seconds:,.0f}", f"{1 / seconds:,.0f}"),
                f"{sides[engine].engine_.nbytes / 1e6:.1f}",
            ]
        )
    columns = ["engine", "ms a sentence", "beside direct", "characters a second", "sentences a second", "memory, MB"]
    return Table("Engines, from file to file", columns, rows)


def _command_table(times: dict[str, Timing], path: Path) -> Table:
    _, characters = _size(path)
    rows = [[name, f"{time.median:.2f}", f"{characters / time.median:,.0f}"] for name, time in times.items()]
    title = f"The command, from start to end, on {path.stat().st_size / 1e6:.1f} MB"
    return Table(title, ["gristmill segment run", "s", "characters a second"], rows)


def _part_table(times: dict[str, Timing]) -> Table:
    block = _text("train").encode()[: 1 << 20]
    characters = sum(not one.isspace() for one in block[: block.rindex(b"\n") + 1].decode())
    rows = [[name, f"{1e9 * time.median / characters:.0f}"] for name, time in times.items()]
    return Table("Where the time of auto goes", ["part", "ns a character"], rows)


def assert_same(sides: dict[str, Segmenter], folder: Path) -> None:
    """AssertionError where engines write other words, or text is lost."""
    written = set()
    for side in sides.values():
        _run(side, folder, "text")()
        written.add((folder / "words").read_bytes())
    _command(folder, 1, "text")
    written.add((folder / "words").read_bytes())
    assert len(written) == 1
    join_file(folder / "words", folder / "again")
    assert (folder / "again").read_bytes() == (folder / "text").read_bytes()


def _run(segmenter: Segmenter, folder: Path, name: str) -> Any:
    return partial(segmenter.segment_file, folder / name, folder / "words")


def _command(folder: Path, jobs: int, name: str = "large") -> None:
    """`gristmill segment run` in a process of its own."""
    call = [sys.executable, "-m", "gristmill", "segment", "run", "model", name, "-o", "words", "--jobs", str(jobs)]
    subprocess.run(call, check=True, cwd=folder)


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
