"""Claim: chunks and names as good as those of conditional random fields with the same features.

Chunks of CoNLL-2000, and names of WNUT-17 (Derczynski et al. 2017) where `--data DIR` has the files of its authors'
repository: wnut17train.conll, emerging.dev.conll, emerging.test.annotated. CRFsuite gets the very features that our
templates make, by their names, and for transitions its own; once more with neighbours together, since it knows no
other conjunctions.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks import measure
from benchmarks.corpus import Token, chunked
from benchmarks.measure import cpu_seconds_of, record
from benchmarks.tagging_peers import (
    EXAMPLE,
    CrfTags,
    Features,
    program,
    tags_of,
    token_count,
    window_features,
    with_pairs,
)
from gristmill.apps.choosing import choose, learning_choices
from gristmill.apps.tagging.scores import ChunkScores, score_chunks
from gristmill.apps.tagging.tagger import DEFAULT_TEMPLATES, Tagger

CRF_SETTINGS: tuple[dict[str, float], ...] = (
    EXAMPLE,
    {"max_iterations": 100, "c1": 0.1, "c2": 0.1},
    {},
)  # the last: its defaults
NAMES = ("wnut17train.conll", "emerging.dev.conll", "emerging.test.annotated")
COLUMNS = ["task", "program", "F1, %", "precision, %", "recall, %", "learning, CPU s", "tokens a second"]

Sentences = Sequence[list[Token]]


@dataclass(frozen=True)
class Task:
    name: str
    train: Sentences
    test: Sentences
    dev: Sentences | None = None

    @property
    def parts(self) -> list[Sentences]:
        return [self.train, self.test] if self.dev is None else [self.train, self.test, self.dev]


class _Features(NamedTuple):
    """Of all tokens of each part."""

    train: Features
    test: Features
    dev: Features = ()


def main(most: int | None = None) -> None:
    """With so many sentences of each part, or all."""
    program()
    rows = list[list[Any]]()
    for task in tasks(most):
        rows += _rows(task)
        _record(rows)  # so far: the second task takes long


def _record(rows: list[list[Any]]) -> None:
    record(
        "labelling",
        "Chunks and names beside conditional random fields",
        COLUMNS,
        rows,
        [
            "Chunks: CoNLL-2000, words and parts of speech. Names: WNUT-17, words alone; hardly any name of its test "
            "part was seen before, so that F1 moves by a point with anything that is changed.",
            "CRFsuite has the features of our templates, by their names; *with pairs*: and neighbouring cells as one. "
            f"Its settings are those of python-crfsuite's example: {_spelled(EXAMPLE)}.",
            "*constraints*: `--constraints chunks`. *with dev*: what is best on the development part, of cost, degree "
            f"and epochs by `--dev`, and for CRFsuite of {'; '.join(map(_spelled, CRF_SETTINGS[:-1]))}; its defaults.",
            "CPU seconds of one thread; those of CRFsuite are without making its features, which was done before.",
        ],
        {},
    )


def quick() -> None:
    """A look in a minute or so."""
    main(300)


def tasks(most: int | None) -> Iterator[Task]:
    folder = measure.TABLES
    if folder is not None and all((folder / name).exists() for name in NAMES):
        train, dev, test = (names_of(folder / name)[:most] for name in NAMES)
        yield Task("names", train, test, dev)
    train, test = (list(chunked(part))[:most] for part in ("train", "test"))
    yield Task("chunks", train, test)


def names_of(path: Path) -> list[list[Token]]:
    """Sentences of WNUT-17: a word and its tag, a tab between them; some words are white space."""
    sentences: list[list[Token]] = [[]]
    for line in path.read_text(encoding="utf-8").split("\n"):
        if line.strip():
            word, tag = line.rsplit("\t", 1)
            sentences[-1].append([word.strip() or "_", tag.strip()])
        elif sentences[-1]:
            sentences.append([])
    return [sentence for sentence in sentences if sentence]


# --- rows -------------------------------------------------------------------------------------------------------------


def _rows(task: Task) -> Iterator[list[Any]]:
    row = partial(_row, task)
    tagger = Tagger(n_jobs=1)
    learning = cpu_seconds_of(lambda: tagger.fit(task.train))
    for label, constraints in (("gristmill", "none"), ("gristmill, constraints", "chunks")):
        tagger.constraints = constraints
        yield row(label, *_tagged(tagger, task.test), learning)
    if task.dev is not None:
        chosen, learning = _chosen(task.train, task.dev)
        yield row("gristmill, with dev", *_tagged(chosen, task.test), learning)
    alone = _Features(*(window_features(part, DEFAULT_TEMPLATES) for part in task.parts))
    paired = _Features(*(with_pairs(made, part) for made, part in zip(alone, task.parts, strict=False)))
    for label, features in (("CRFsuite", alone), ("CRFsuite, with pairs", paired)):
        yield row(label, *_of_crf(task, features, EXAMPLE))
    if task.dev is not None:
        yield row("CRFsuite, with dev", *_chosen_crf(task, alone))


def _of_crf(task: Task, features: _Features, settings: Mapping[str, float]) -> tuple[ChunkScores, float, float]:
    found = CrfTags(features.train, tags_of(task.train), features.test, settings)
    return score_chunks(tags_of(task.test), found.tags), found.tagging, found.learning


def _chosen_crf(task: Task, features: _Features) -> tuple[ChunkScores, float, float]:
    """With the settings that are best on the development part; all trials count."""
    assert task.dev is not None
    scores, seconds = list[float](), 0.0
    for settings in CRF_SETTINGS:
        found = CrfTags(features.train, tags_of(task.train), features.dev, settings)
        scores.append(score_chunks(tags_of(task.dev), found.tags).main)
        seconds += found.learning
    result, tagging, learning = _of_crf(task, features, CRF_SETTINGS[scores.index(max(scores))])
    return result, tagging, seconds + learning


def _tagged(tagger: Tagger, test: Sentences) -> tuple[ChunkScores, float]:
    """Scores, and the seconds of tagging, with the machine compiled before."""
    tagger.tag([test[0][0][:-1]])
    text, found = [[token[:-1] for token in sentence] for sentence in test], list[list[str]]()
    seconds = cpu_seconds_of(lambda: found.extend(tagger.tag(text)))
    return score_chunks(tags_of(test), found), seconds


def _chosen(train: Sentences, dev: Sentences) -> tuple[Tagger, float]:
    """With parameters that are best on the development part; all trials count."""
    tagger = Tagger(n_jobs=1)

    def score() -> float:
        return tagger.fit(train).score(dev)

    seconds = cpu_seconds_of(lambda: (choose(tagger, learning_choices(tagger), score), tagger.fit(train)))
    return tagger, seconds


def _row(task: Task, label: str, scores: ChunkScores, tagging: float, learning: float) -> list[Any]:
    total = scores.total
    shares = [f"{100 * share:.2f}" for share in (total.f1, total.precision, total.recall)]
    return [task.name, label, *shares, f"{learning:.1f}", f"{token_count(task.test) / tagging:,.0f}"]


def _spelled(settings: dict[str, float]) -> str:
    return ", ".join(f"{name} {value:g}" for name, value in settings.items())


if __name__ == "__main__":
    main()
