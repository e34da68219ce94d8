"""Claim: predicted probabilities of tags come true, within a point or so on average, on text that was not learned from.

Chunks of CoNLL-2000 and parts of speech of UD English EWT, by `Tagger` as it is. Probabilities are fitted to folds of
the training part (`tag train --probability`), or to other sentences (`--dev`), where there are such.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Any

import numpy as np

from benchmarks.corpus import Token, chunked, treebank
from benchmarks.measure import Table, cpu_seconds_of, record
from gristmill.apps.cross_prediction import FOLDS
from gristmill.apps.tagging.tagger import Tagger
from gristmill.display.charts import Plot
from gristmill.evaluation.calibration import Group, calibration_error, equal_width
from gristmill.machines.probability import ScaledSoftmax

COLUMNS = ["task", "fitted to", "slope", "right tags, %", "mean probability, %", "calibration error", "fitting, CPU s"]


@dataclass(frozen=True)
class Task:
    name: str
    train: list[list[Token]]
    test: list[list[Token]]
    dev: list[list[Token]] | None = None


def main(most: int | None = None) -> None:
    """With so many sentences of each part, or all."""
    rows, groups = list[list[Any]](), dict[str, tuple[Group, ...]]()
    for task in _tasks(most):
        tagger = Tagger(n_jobs=1).fit(task.train)
        for label, sentences, folds in (("folds of the training part", task.train, FOLDS), ("dev part", task.dev, 0)):
            if sentences is None:
                continue
            seconds = cpu_seconds_of(partial(tagger.calibrate, sentences, folds=folds))
            sure, right = _judged(tagger, task.test)
            found = groups[f"{task.name}, {label}"] = equal_width(sure, right)
            slope = f"{_slope(tagger):.3f}"
            shares = (f"{100 * right.mean():.2f}", f"{100 * sure.mean():.2f}", f"{calibration_error(found):.4f}")
            rows.append([task.name, label, slope, *shares, f"{seconds:.1f}"])
    record(
        "tag_probabilities",
        "Probabilities of tags",
        COLUMNS,
        rows,
        [
            "Tokens of test parts in ten groups by the probability of their tag. *calibration error*: the distance of "
            "the mean probability of a group from the share of right tags in it, averaged over tokens.",
            f"*folds*: each of {FOLDS} is judged by a tagger that has learned from the others.",
        ],
        {name: [vars(group) for group in found] for name, found in groups.items()},
        more=[_table(name, found) for name, found in groups.items()],
        plots=[_plot(groups)],
    )


def quick() -> None:
    """A look in a minute or so."""
    main(500)


def _tasks(most: int | None) -> Iterator[Task]:
    train, test = (list(islice(chunked(part), most)) for part in ("train", "test"))
    yield Task("chunks", train, test)
    parts = (
        [[[word[1], word[3]] for word in one] for one in treebank(f"en_ewt-ud-{part}")]
        for part in ("train", "test", "dev")
    )
    yield Task("UPOS", *(part[:most] for part in parts))


def _slope(tagger: Tagger) -> float:
    probability = tagger.machine_.probability
    assert isinstance(probability, ScaledSoftmax)
    return float(probability.slope[0])


def _judged(tagger: Tagger, test: list[list[Token]]) -> tuple[Any, Any]:
    """The probability of each tag that was found, and whether it is right."""
    text = [[tuple(token[:-1]) for token in sentence] for sentence in test]
    sure = np.array([share for sentence in tagger.confidences(text) for share in sentence])
    tags = [tag for sentence in tagger.tag(text) for tag in sentence]
    gold = [token[-1] for sentence in test for token in sentence]
    return sure, np.array([tag == own for tag, own in zip(tags, gold, strict=True)])


def _table(name: str, groups: tuple[Group, ...]) -> Table:
    rows = [
        [f"{group.low:.1f} to {group.high:.1f}", f"{group.examples:,}", f"{group.mean:.3f}", f"{group.share:.3f}"]
        for group in groups
    ]
    return Table(name, ["probability", "tokens", "on average", "right"], rows)


def _plot(groups: dict[str, tuple[Group, ...]]) -> Plot:
    lines = {name: [(group.mean, group.share) for group in found] for name, found in groups.items()}
    return Plot("reliability", "Predicted and true", "mean probability", "share of right tags", lines)


if __name__ == "__main__":
    main()
