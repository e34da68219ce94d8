"""Claim: from raw text, trees as good as UDPipe 1's, learned ten times as fast and found five times as fast.

Treebanks are folders of `--data DIR` that hold `*-train.conllu`, `*-test.conllu` and, if there is one, `*-dev.conllu`.
UDPipe (PyPI's `ufal.udpipe`) learns from the same files with its defaults, unless NAME.udpipe in DIR/udpipe is a model
that was learned from them. What it learns is kept there, with the CPU seconds it took in NAME.seconds: it may be long.
"""

from __future__ import annotations

import importlib.util
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks import measure
from benchmarks.launch import launch
from benchmarks.measure import Missing, Table, record
from gristmill.apps.parsing.scores import ParseScores, score_files
from gristmill.apps.parsing.surface import read_surface
from gristmill.apps.parsing.treebank import read_conllu
from gristmill.apps.tokenization.gold import raw_text

HERE = Path(__file__).parents[1]
OURS, THEIRS = "gristmill", "UDPipe 1"
SHOWN = {"words": "words", "upos": "UPOS", "ufeats": "features", "lemmas": "lemmas", "las": "LAS"}
SCORES = ("tokens", "sentences", "words", "upos", "xpos", "ufeats", "all_tags", "lemmas", "uas", "las", "mlas", "blex")
ROUNDS = 3  # of running, the fastest of which counts
FEW = 3  # words of a text that takes hardly more than starting and loading
TICK = 0.01  # seconds that the system's clock can tell
COLUMNS = [
    *("treebank", "program", *(f"{title}, F1" for title in SHOWN.values())),
    *("learning, CPU s", "words a second", "faster", "model, MB"),
]


@dataclass(frozen=True)
class Treebank:
    """Files to learn from and to test with."""

    name: str
    train: Path
    test: Path
    dev: Path | None
    udpipe: Path  # a model of UDPipe that was, or will be, learned from `train`

    @property
    def texts(self) -> list[Path]:
        return [path for path in (self.train, self.dev, self.test) if path is not None]


@dataclass(frozen=True)
class Result:
    """Of a program on a treebank."""

    scores: ParseScores = field(repr=False)
    words: int  # of the text that was timed
    learning: float | None  # CPU seconds; None for a model that was there
    running: float  # CPU seconds for all of the text, beyond starting and loading
    bytes: int  # of the model

    def as_dict(self) -> dict[str, Any]:
        figures = {name: getattr(self.scores, name).f1 for name in SCORES}
        return figures | {name: getattr(self, name) for name in ("words", "learning", "running", "bytes")}


def main(most: int | None = None) -> None:
    """All treebanks, or so many of them."""
    if measure.TABLES is None:
        raise Missing("no treebanks: name their folder by --data")
    if importlib.util.find_spec("ufal") is None:
        raise Missing("no ufal.udpipe, which PyPI has")
    results = {}
    for treebank in treebanks(measure.TABLES)[:most]:
        results[treebank.name] = _measured(treebank)
        _record(results)  # so far: a treebank may take long


def quick() -> None:
    """A look at one treebank."""
    main(1)


def treebanks(folder: Path) -> list[Treebank]:
    found = []
    for own in sorted(path for path in folder.iterdir() if path.is_dir()):
        parts = {part: next(iter(sorted(own.glob(f"*-{part}.conllu"))), None) for part in ("train", "dev", "test")}
        model = folder / "udpipe" / f"{own.name}.udpipe"
        if parts["train"] is not None and parts["test"] is not None:
            files = parts["train"], parts["test"], parts["dev"]
            found.append(Treebank(own.name, *files, model))
    return found


# --- running ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Program:
    """Commands, without the text to run on; a kept model is not learned again."""

    train: list[str]
    run: list[str]
    model: Path

    def learning(self) -> float | None:
        """Learn where there is no model yet. The CPU seconds of that, now or then, as far as they are known."""
        seconds = self.model.with_suffix(".seconds")
        if not self.model.exists():
            self.model.parent.mkdir(exist_ok=True)
            seconds.write_text(f"{launch(self.train, HERE).cpu}\n", encoding="utf-8")
        return float(seconds.read_text(encoding="utf-8")) if seconds.exists() else None


def _measured(treebank: Treebank) -> dict[str, Result]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_texts(treebank, folder)
        programs = {OURS: _ours(treebank, folder), THEIRS: _theirs(treebank)}
        return {name: _result(program, treebank, folder) for name, program in programs.items()}


def write_texts(treebank: Treebank, folder: Path) -> None:
    """Raw text: of the test part, of all parts, and of its beginning."""
    texts = [raw_text(read_surface(path)) for path in treebank.texts]
    beginning = " ".join(texts[-1].split()[:FEW])
    for name, text in {"test": texts[-1], "all": "\n\n".join(texts), "few": beginning}.items():
        (folder / name).write_text(f"{text}\n", encoding="utf-8")


def _ours(treebank: Treebank, folder: Path) -> Program:
    command, model = [sys.executable, "-m", "gristmill", "pipeline"], folder / "ours"
    train = [*command, "train", str(treebank.train), str(model), "-q", "-j", "1"]
    return Program(train, [*command, "run", "-j", "1", str(model)], model)


def _theirs(treebank: Treebank) -> Program:
    command, model = [sys.executable, "-m", "benchmarks.udpipe"], treebank.udpipe
    train = [*command, "train", str(treebank.train), str(treebank.dev or "-"), str(model)]
    return Program(train, [*command, "run", str(model)], model)


def _result(program: Program, treebank: Treebank, folder: Path) -> Result:
    learning = program.learning()
    seconds = {part: _seconds(program, folder / part) for part in ("few", "test", "all")}
    return Result(
        score_files(treebank.test, folder / "test.conllu"),
        read_conllu(folder / "all.conllu").columns.tokens,
        learning,
        max(seconds["all"] - seconds["few"], TICK),
        program.model.stat().st_size,
    )


def _seconds(program: Program, text: Path) -> float:
    command = [*program.run, str(text), "-o", f"{text}.conllu"]
    return min(launch(command, HERE).cpu for _ in range(ROUNDS))


# --- the record -------------------------------------------------------------------------------------------------------


def _record(results: dict[str, dict[str, Result]]) -> None:
    ahead = {
        name: sum(_f1(found[OURS], name) >= _f1(found[THEIRS], name) for found in results.values()) for name in SHOWN
    }
    listed = ", ".join(f"{SHOWN[name]} {count}" for name, count in ahead.items())
    record(
        "pipelines",
        "Raw text to trees beside UDPipe 1",
        COLUMNS,
        [row for name, found in results.items() for row in _rows(name, found)],
        [
            "Raw text of the test part, scores of the CoNLL 2018 shared task in percent. At or above UDPipe on so many "
            f"of {len(results)} treebanks: {listed}.",
            "*learning*: CPU seconds of whole processes on one thread, each with its defaults, from the training part; "
            "UDPipe stops early by the dev part, where there is one. None is shown where UDPipe's model was there "
            "already: one that its authors learned from the same release of the treebank, by options that they chose.",
            "*words a second*: CPU seconds for the raw text of all parts, beyond those for a few words, which are "
            f"starting and loading; one thread, the fastest of {ROUNDS} rounds.",
        ],
        {name: {program: one.as_dict() for program, one in found.items()} for name, found in results.items()},
        more=[Table("All scores, F1", ["treebank", "program", *SCORES], _all_scores(results))],
    )


def _f1(result: Result, name: str) -> float:
    score: float = getattr(result.scores, name).f1
    return score


def _rows(treebank: str, found: dict[str, Result]) -> list[list[Any]]:
    return [_row(treebank, program, one, found[THEIRS]) for program, one in found.items()]


def _row(treebank: str, program: str, one: Result, theirs: Result) -> list[Any]:
    return [
        *(treebank, program),
        *(f"{100 * _f1(one, name):.2f}" for name in SHOWN),
        "" if one.learning is None else f"{one.learning:.1f}",
        f"{one.words / one.running:,.0f}",
        f"{one.words / one.running / (theirs.words / theirs.running):.1f}x",
        f"{one.bytes / 1e6:.1f}",
    ]


def _all_scores(results: dict[str, dict[str, Result]]) -> list[list[Any]]:
    return [
        [treebank, program, *(f"{100 * _f1(one, name):.2f}" for name in SCORES)]
        for treebank, found in results.items()
        for program, one in found.items()
    ]


if __name__ == "__main__":
    main()
