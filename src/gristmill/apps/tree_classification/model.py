"""What a tree classifier works with: its machine, kernel and settings, the words of trees, scores of labels."""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from gristmill.data.examples import Examples
from gristmill.data.forest import Forest
from gristmill.data.rows import Rows
from gristmill.evaluation.metrics import ClassScores, accuracy, class_scores
from gristmill.explanations.tree_nodes import TreeExplainer
from gristmill.kernels import Kernel, Normalized, PolynomialKernel, from_spec
from gristmill.machines.machine import Machine

TREES, WORDS = "trees", "words"  # the fields of an example

KEY, VERSION = "tree_classifier", 1  # of the settings in a file
_BAG = Normalized(PolynomialKernel(1, 1.0, 0.0))
_LABEL = r"(?:[^ ()\\]|\\.)+"  # as the core writes it
_LEAF = re.compile(rf"\({_LABEL}|({_LABEL})", re.DOTALL)  # inner nodes follow a bracket
_LARGEST = 50_000_000  # characters: the header of a model file, which holds them, has its limits


def joined_kernel(trees: Kernel, words: float) -> Kernel:
    """The kernel of trees and that of their words, with shares that add up to 1."""
    if words in (0, 1):
        return _BAG.on(WORDS) if words else trees
    return (1 - words) * trees.on(TREES) + words * _BAG.on(WORDS)


def with_words(forest: Forest, bag: WordBag) -> Examples:
    """Trees and their words."""
    return Examples(**{TREES: forest, WORDS: bag.rows(forest)})


def settings_of(machine: Machine) -> tuple[Kernel, dict[str, Any]]:
    """The kernel of trees and the settings that the machine of a tree classifier remembers; an error if unsound."""
    known = dict(machine.provenance[KEY])
    version = known.pop("version", None)
    if version != VERSION:
        raise ValueError(f"it is of version {version!r}; this release reads {VERSION}: upgrade gristmill")
    kernel = from_spec(known.pop("kernel"))
    _check(machine, joined_kernel(kernel, known["word_weight" if "word_weight" in known else "words"]))
    return kernel, known


def vocabulary_of(machine: Machine) -> tuple[str, ...]:
    """The names of the columns; empty where words do not count."""
    rows = machine.support[WORDS] if isinstance(machine.support, Examples) else None
    return rows.feature_names or () if isinstance(rows, Rows) else ()


def _check(machine: Machine, kernel: Kernel) -> None:
    if machine.kernel != kernel:
        raise ValueError(f"expected the kernel {kernel!r}, got {machine.kernel!r}")
    if machine.classes is None:
        raise ValueError("the machine has no classes")
    if not isinstance(machine.support, Forest) and not vocabulary_of(machine):
        raise ValueError("there is no vocabulary")


class TreeEngine:
    """The machine, compiled, and the columns of words."""

    def __init__(self, machine: Machine, engine: str, bag: WordBag | None) -> None:
        self.scorer, self.bag = machine.compile(engine), bag

    @functools.cached_property
    def explainer(self) -> TreeExplainer:
        return TreeExplainer(self.scorer.machine)


# --- words ------------------------------------------------------------------------------------------------------------


def leaf_words(forest: Forest) -> list[list[str]]:
    """The leaves of each tree in order; brackets and white space within keep their backslashes."""
    return [_leaves(tree) or [tree[1:-1]] for tree in forest]


def _leaves(tree: str) -> list[str]:
    """Empty for a tree of one node, which is written as inner nodes are."""
    if "\\" in tree:
        return [word for word in _LEAF.findall(tree) if word]
    return [part.rstrip(")") for part in tree.split(" ") if part[0] != "("]  # the same, three times as fast


class WordBag:
    """Columns for words and n-grams; what it does not know gets columns behind them, which no known tree has.

    Parameters
    ----------
    vocabulary : sequence of str
        The word, or the words of an n-gram with spaces between, of each column. Before the first word and behind the
        last one of a tree is the empty word.
    ngrams : int
        The longest that are looked at; 1: words alone.
    """

    def __init__(self, vocabulary: Sequence[str], ngrams: int = 1) -> None:
        self.vocabulary, self.ngrams = tuple(vocabulary), ngrams
        self._columns = {name: column for column, name in enumerate(self.vocabulary)}
        if len(self._columns) != len(self.vocabulary):
            raise ValueError("the vocabulary has a word twice")

    @classmethod
    def of(cls, forest: Forest, ngrams: int = 1) -> WordBag:
        """All that occur in these trees, in sorted order."""
        found = set[str]().union(*(_features(words, ngrams) for words in leaf_words(forest)))
        size = sum(map(len, found)) + 3 * len(found)
        if size > _LARGEST:
            raise ValueError(
                f"{len(found)} different words and n-grams are more than a model file can name: take a smaller ngrams "
                f"(it is {ngrams}), or word_weight=0 for trees alone"
            )
        return cls(sorted(found), ngrams)

    def rows(self, forest: Forest) -> Rows:
        """A row for each tree, with names if all columns have one."""
        rows = [self._ids(_features(words, self.ngrams)) for words in leaf_words(forest)]
        offsets = np.cumsum([0, *map(len, rows)], dtype=np.int64)
        ids = np.fromiter(itertools.chain.from_iterable(rows), dtype=np.int32, count=int(offsets[-1]))
        known = len(self.vocabulary)
        size = max(known, int(ids.max(initial=-1)) + 1)
        return Rows(offsets, ids, n_features=size, feature_names=self.vocabulary if size == known else None)

    def _ids(self, features: set[str]) -> list[int]:
        columns = self._columns
        ids = sorted([columns[name] for name in features if name in columns])
        behind = len(self.vocabulary)
        return [*ids, *range(behind, behind + len(features) - len(ids))]  # they count in the length of the row


def _features(words: list[str], ngrams: int) -> set[str]:
    found = set(words)
    padded = ["", *words, ""]
    for size in range(2, ngrams + 1):
        found.update(" ".join(padded[at : at + size]) for at in range(len(padded) - size + 1))
    return found


# --- scores -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class TreeScores:
    """The share of labels that are right; precision, recall and F1 of every class that occurs."""

    examples: int
    accuracy: float  # nan without examples
    classes: tuple[ClassScores, ...]

    @property
    def macro_f1(self) -> float:
        """Mean F1 of the classes; nan without any."""
        return float(np.mean([one.f1 for one in self.classes])) if self.classes else float("nan")

    @property
    def main(self) -> float:
        """What `TreeClassifier.score` gives."""
        return self.accuracy

    def as_dict(self) -> dict[str, Any]:
        """Something JSON can hold; None where there is nothing to divide by."""
        shares = {"accuracy": self.accuracy, "macro_f1": self.macro_f1}
        known = {name: None if np.isnan(share) else share for name, share in shares.items()}
        return {"examples": self.examples, **known, "classes": [asdict(one) for one in self.classes]}


def score_labels(gold: Sequence[Any], predicted: Sequence[Any]) -> TreeScores:
    """Compare labels, as scikit-learn does; those that no machine has learned are wrong."""
    truth, answers = np.asarray(gold), np.asarray(predicted)
    if truth.shape != answers.shape or truth.ndim != 1:
        raise ValueError(f"expected a label for each of {len(answers)} answers, got shape {truth.shape}")
    if len(truth) and truth.dtype.kind != answers.dtype.kind and "U" in (truth.dtype.kind, answers.dtype.kind):
        raise ValueError(f"labels are of {truth.dtype}, answers of {answers.dtype}: they cannot be compared")
    return TreeScores(len(truth), accuracy(truth, answers), tuple(class_scores(truth, answers)))
