"""Claim: a tagger better than a single YamCha as published, hundreds of times as fast as its own definition.

Chunks of CoNLL-2000, and those that are noun phrases only (BaseNP). Learned by `Tagger` with the templates that
`gristmill tag train` has by itself. Engines go from file to file, and what they write is asserted to be the same, byte
by byte, before anything is timed.
"""

from __future__ import annotations

import resource
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from itertools import islice
from pathlib import Path
from typing import Any

from benchmarks.corpus import Token, chunked
from benchmarks.launch import call
from benchmarks.measure import Table, Timing, alternate, in_turn, record
from gristmill.apps.tagging.scores import ChunkScores
from gristmill.apps.tagging.tagger import Tagger
from gristmill.display.charts import Plot

CHUNKS, BASE_NP = "chunks", "BaseNP"
WANTED = {CHUNKS: 93.7, BASE_NP: 94.0}
YAMCHA = {"YamCha, published": 93.5, "YamCha, several that vote, published": 93.9}
SLOW, FAST = ("direct", "inverted"), ("split", "expanded", "auto")  # engines that are run once, and often
SIZES = (500, 1000, 2000, 4000, 8936)
ROUNDS, THREADS = 7, (1, 2)
COLUMNS = [
    *("task", "machine", "F1, %", "precision, %", "recall, %", "tokens, %"),
    *("support rows", "model, MB", "training, s"),
]


@dataclass(frozen=True)
class Setting:
    """What is compared, and whether its engines are."""

    name: str
    options: dict[str, Any] = field(default_factory=dict)
    timed: bool = True


DEFAULT = Setting("online (default)")
SETTINGS = (
    DEFAULT,
    Setting("support vectors, tag against rest", {"solver": "dual-cd"}),
    Setting("support vectors, tag against tag", {"solver": "dual-cd", "multiclass": "ovo"}, timed=False),
)


@dataclass(frozen=True)
class Engines:
    """Of a machine: CPU seconds from file to file, those of the command, and memory."""

    slow: dict[str, float]
    fast: dict[str, Timing]
    first: dict[str, float]
    command: dict[str, float]
    nbytes: dict[str, int]


@dataclass(frozen=True)
class Sizes:
    """Sentences: those of the curve, and of the whole training part and test part; None: all."""

    curve: Sequence[int]
    train: int | None = None
    test: int | None = None


FULL = Sizes(SIZES)


def main(settings: Sequence[Setting] = SETTINGS, sizes: Sizes = FULL, rounds: int = ROUNDS) -> None:
    rows, tables, raw = list[list[Any]](), list[Table](), dict[str, Any]()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for task in (CHUNKS, BASE_NP):
            for setting in settings:
                model = folder / f"{task}, {setting.name}"
                row, scores = learned(task, setting, folder, model, sizes)
                rows.append(row)
                if task == CHUNKS and setting is DEFAULT:
                    tables.append(_type_table(scores))
        rows[len(settings) : len(settings)] = [_published(name, f1) for name, f1 in YAMCHA.items()]
        tokens = write_part(folder / "text", "test", CHUNKS, sizes.test)
        for setting in (setting for setting in settings if setting.timed):
            raw[setting.name] = engines_of(folder / f"{CHUNKS}, {setting.name}", folder / "text", rounds)
            tables.append(_engine_table(setting, raw[setting.name], tokens))
        raw["threads"] = threads_of(folder / f"{CHUNKS}, {DEFAULT.name}", folder / "text", rounds)
        tables.append(_thread_table(raw["threads"], tokens))
        curve = {task: learning_curve(task, sizes, folder) for task in (CHUNKS, BASE_NP)}
    record(
        "chunking",
        "Chunks of English text",
        COLUMNS,
        rows,
        [
            f"CoNLL-2000: {len(sentences('train', CHUNKS)[: sizes.train]):,} sentences to learn from, "
            f"{len(sentences('test', CHUNKS)[: sizes.test]):,} with {tokens:,} tokens to test with. Wanted: an F1 of "
            f"{WANTED[CHUNKS]:g}, and {WANTED[BASE_NP]:g} for noun phrases, with the settings that `gristmill tag` has "
            "by itself. *tokens*: those with the right tag.",
            f"Engines: CPU seconds of one thread, loaded before, from file to file; medians of {rounds} rounds in "
            f"turn, {' and '.join(SLOW)} once. *first*: of the first round, whose words are new to the tagger. "
            "*command*: `gristmill tag run`, Python, loading and compiling included, once. What they all write is the "
            "same, by any number of threads, which was asserted.",
            "Threads are measured by the wall clock.",
            "YamCha's figures are from its authors and not measured here; it has words, parts of speech and tags for "
            "features, and our templates have beginnings, ends and shapes of words besides.",
        ],
        raw | {"curve": curve},
        more=[*tables, _curve_table(curve)],
        plots=[_curve_plot(curve)],
    )


def quick() -> None:
    """A look in a minute or so."""
    main([DEFAULT], Sizes((100, 200), 500, 50), 1)


# --- text -------------------------------------------------------------------------------------------------------------


@cache
def sentences(part: str, task: str) -> list[list[Token]]:
    """Of a part of the corpus; chunks other than noun phrases are none for BaseNP."""
    whole = list(chunked(part))
    return whole if task == CHUNKS else [[_noun_phrase(token) for token in sentence] for sentence in whole]


def _noun_phrase(token: Token) -> Token:
    return token if token[-1].endswith("-NP") else [*token[:-1], "O"]


def write_part(path: Path, part: str, task: str, size: int | None = None) -> int:
    """The first sentences as a file of columns; how many tokens they have."""
    chosen = list(islice(sentences(part, task), size))
    lines = (f"{' '.join(token)}\n" for sentence in chosen for token in (*sentence, []))
    path.write_text("".join(lines), encoding="utf-8")
    return sum(map(len, chosen))


# --- how good ---------------------------------------------------------------------------------------------------------


def learned(task: str, setting: Setting, folder: Path, model: Path, sizes: Sizes) -> tuple[list[Any], ChunkScores]:
    """A row and scores of the test part; the tagger is saved."""
    write_part(folder / "train", "train", task, sizes.train)
    tagger = Tagger(**setting.options, n_jobs=1)
    seconds = cpu_seconds(lambda: tagger.fit_file(folder / "train"))
    tagger.save(model)
    scores = tagger.evaluate(sentences("test", task)[: sizes.test])
    shares = (scores.total.precision, scores.total.recall, scores.accuracy)
    row = [
        *(task, setting.name, f"**{100 * scores.total.f1:.2f}**", *(f"{100 * share:.2f}" for share in shares)),
        *(f"{tagger.machine_.n_support:,}", f"{model.stat().st_size / 1e6:.1f}", f"{seconds:.1f}"),
    ]
    return row, scores


def _published(name: str, f1: float) -> list[Any]:
    return [CHUNKS, name, f"{f1:g}", *[""] * (len(COLUMNS) - 3)]


def _type_table(scores: ChunkScores) -> Table:
    rows = [
        [one.type, *(f"{100 * share:.2f}" for share in (one.precision, one.recall, one.f1)), f"{one.gold:,}"]
        for one in (*scores.types, scores.total)
    ]
    columns = ["type", "precision, %", "recall, %", "F1, %", "chunks"]
    return Table(f"Each type of chunks, {DEFAULT.name}", columns, rows)


# --- how fast ---------------------------------------------------------------------------------------------------------


def cpu_seconds(work: Callable[[], Any]) -> float:
    """Of this process, whatever else the machine has to do."""
    start = time.process_time()
    work()
    return time.process_time() - start


def engines_of(model: Path, text: Path, rounds: int) -> Engines:
    """AssertionError where engines write other tags."""
    sides = {engine: Tagger.load(model, engine=engine, n_jobs=1) for engine in (*SLOW, *FAST)}
    for side in sides.values():
        side.tag([("compiled", "VBN")])
    run = {engine: partial(side.tag_file, text, text.with_name(engine)) for engine, side in sides.items()}
    once = {engine: cpu_seconds(tag) for engine, tag in run.items()}
    command = {engine: _command_seconds(engine, model, text) for engine in FAST}
    _assert_same([text.with_name(name) for name in (*sides, *map(_commanded, FAST))])
    fast = in_turn({engine: partial(cpu_seconds, run[engine]) for engine in FAST}, rounds)
    nbytes = {engine: side.engine_.scorer.nbytes for engine, side in sides.items()}
    return Engines({engine: once[engine] for engine in SLOW}, fast, once, command, nbytes)


def threads_of(model: Path, text: Path, rounds: int) -> dict[str, Timing]:
    """By the wall clock; AssertionError where threads change a tag."""
    sides = {str(count): Tagger.load(model, n_jobs=count) for count in THREADS}
    run = {count: partial(side.tag_file, text, text.with_name(count)) for count, side in sides.items()}
    for tag in run.values():
        tag()
    _assert_same([text.with_name(count) for count in sides])
    return alternate(run, rounds)


def _command_seconds(engine: str, model: Path, text: Path) -> float:
    arguments = ["tag", "run", str(model), str(text), "-o", _commanded(engine), "--engine", engine]
    start = resource.getrusage(resource.RUSAGE_CHILDREN)
    call([sys.executable, "-m", "gristmill", *arguments], text.parent)
    end = resource.getrusage(resource.RUSAGE_CHILDREN)
    return end.ru_utime + end.ru_stime - start.ru_utime - start.ru_stime


def _commanded(engine: str) -> str:
    return f"{engine}.command"


def _assert_same(paths: Sequence[Path]) -> None:
    assert len({path.read_bytes() for path in paths}) == 1


def _engine_table(setting: Setting, found: Engines, tokens: int) -> Table:
    seconds = found.slow | {engine: timing.median for engine, timing in found.fast.items()}
    rows = [
        [
            *(engine, f"{each:.3f}", f"{tokens / each:,.0f}", f"{seconds['direct'] / each:,.1f}x"),
            f"{found.first[engine]:.3f}",
            f"{found.command[engine]:.2f}" if engine in found.command else "",
            f"{found.nbytes[engine] / 1e6:.1f}",
        ]
        for engine, each in seconds.items()
    ]
    columns = ["engine", "CPU s", "tokens a second", "over direct", "first, CPU s", "command, CPU s", "memory, MB"]
    return Table(f"Engines from file to file: {setting.name}", columns, rows)


def _thread_table(found: dict[str, Timing], tokens: int) -> Table:
    one = found[str(THREADS[0])].median
    rows = [
        [count, f"{timing.median:.3f}", f"{tokens / timing.median:,.0f}", f"{one / timing.median:.2f}x"]
        for count, timing in found.items()
    ]
    return Table(f"Threads: {DEFAULT.name}, auto", ["threads", "seconds", "tokens a second", "over one"], rows)


# --- how much text it takes -------------------------------------------------------------------------------------------


def learning_curve(task: str, sizes: Sizes, folder: Path) -> list[tuple[int, float]]:
    """How many sentences to learn from, and F1 in percent."""
    found = []
    for size in sizes.curve:
        write_part(folder / "some", "train", task, size)
        tagger = Tagger(n_jobs=1).fit_file(folder / "some")
        found.append((size, 100 * tagger.evaluate(sentences("test", task)[: sizes.test]).total.f1))
    return found


def _curve_table(curve: dict[str, list[tuple[int, float]]]) -> Table:
    sizes = [f"{size:,}" for size, _ in curve[CHUNKS]]
    rows = [[task, *(f"{f1:.2f}" for _, f1 in points)] for task, points in curve.items()]
    return Table(f"F1 by sentences to learn from, {DEFAULT.name}", ["task", *sizes], rows)


def _curve_plot(curve: dict[str, list[tuple[int, float]]]) -> Plot:
    lines = {task: [(float(size), f1) for size, f1 in points] for task, points in curve.items()}
    return Plot("curve", "How much text it takes", "sentences to learn from", "test F1, %", lines, log_x=True)


if __name__ == "__main__":
    main()
