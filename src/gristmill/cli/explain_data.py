"""What gristmill explain reads: a machine, and examples a block at a time, each with its label where it has one."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import click
import numpy as np

from gristmill.apps.loading import chosen, command_of, machines_of
from gristmill.apps.tree_classification.files import tree_blocks
from gristmill.apps.tree_classification.model import WordBag, vocabulary_of, with_words
from gristmill.base.files import display_name
from gristmill.base.warnings import DataConversionWarning
from gristmill.data.examples import Examples
from gristmill.data.rows import Binarize, Rows, as_rows
from gristmill.machines.collection import Machines
from gristmill.machines.data_files import first_id_for, read_blocks_for, read_for, read_rows_for, reads_marks, spelled
from gristmill.machines.machine import Machine

_BLOCK = 1 << 20  # bytes of text
_CLASSIFIER = "tree_classifier"


# --- the machine ------------------------------------------------------------------------------------------------------


def explained_machine(found: Machine | Machines, name: str | None, shown: str, *, with_data: bool) -> Machine:
    """The machine of a file, the only one or that of this name; an error that says what to do where there is none."""
    if command_of(found) == "roles" and with_data:
        raise click.UsageError(
            f"{shown} is a model of `gristmill roles`, which makes examples of trees and propositions by itself: leave "
            "DATA away, and name one of its machines by --machine, to see what it has learned"
        )
    machine = chosen(machines_of(found), name, shown)
    if _CLASSIFIER in machine.provenance and vocabulary_of(machine) and not with_data:
        raise ValueError(
            f"{shown} uses a bag of words besides the trees, whose weights are no fragments: name trees as DATA to "
            "see what nodes and words add, or learn trees alone by `gristmill classify-trees train --word-weight 0`"
        )
    return machine


def counting(machine: Machine, zero_based: bool | None) -> Machine:
    """The machine with features numbered as data files number them, from 1 where nothing is known."""
    if not machine.explains_features:
        if zero_based is not None:
            raise ValueError("--zero-based and --one-based are for rows; this machine is on trees")
        return machine
    first_id = first_id_for(machine, zero_based)
    return machine if first_id == machine.first_id else machine.replace(first_id=first_id)


# --- examples ---------------------------------------------------------------------------------------------------------


class RowFiles:
    """Reads rows as a machine counts them."""

    def __init__(self, machine: Machine, zero_based: bool | None) -> None:
        self.machine = machine
        self._zero_based = zero_based

    def blocks(self, path: str, binarize: Binarize) -> Iterator[tuple[Rows, list[Any]]]:
        """Rows and their labels; values that are turned into 0 and 1 are warned of once."""
        warned = False
        for found in read_blocks_for(self.machine, path, _BLOCK, zero_based=self._zero_based):
            with warnings.catch_warnings():
                if warned:
                    warnings.simplefilter("ignore", DataConversionWarning)
                warned |= bool(((found.rows.values != 0) & (found.rows.values != 1)).any())
                rows = as_rows(found.rows, binarize=binarize)
            yield rows, [spelled(label, self.machine) for label in found.labels.tolist()]

    def whole(self, path: str) -> Rows:
        """All rows of a file."""
        rows, _ = read_rows_for(self.machine, path, zero_based=self._zero_based)
        if not len(rows):
            raise ValueError(f"{display_name(path)} has no row to compare with")
        return rows

    def first(self, path: str) -> Rows:
        """The first row of a file."""
        for found in read_blocks_for(self.machine, path, _BLOCK, zero_based=self._zero_based):
            if len(found.rows):
                return found.rows.one(0)
        raise ValueError(f"{display_name(path)} has no row to compare with")


def tree_examples(machine: Machine, path: str, tree: str | None) -> Iterator[tuple[Any, list[Any]]]:
    """Trees as the machine takes them, and their labels."""
    support, settings = machine.support, machine.provenance.get(_CLASSIFIER, {})
    fields = list(support.fields) if isinstance(support, Examples) else []
    vocabulary = vocabulary_of(machine) if settings else ()
    bag = WordBag(vocabulary, settings["ngrams"]) if vocabulary else None
    if len(fields) > 1 and bag is None:
        if tree is not None:
            raise ValueError(f"--tree is for machines on one tree; examples of this one have {', '.join(fields)}")
        X, labels = read_for(machine, path)
        yield X, [spelled(label, machine) for label in labels.tolist()]
        return
    for block in tree_blocks(path, marks=reads_marks(machine), tree=tree, usual=settings.get("tree")):
        forest = block.forest.relabelled(leaves=str.lower) if settings.get("lowercase") else block.forest
        known = [None] * len(forest) if block.labels is None else block.labels
        X = with_words(forest, bag) if bag else Examples(**{fields[0]: forest}) if fields else forest
        yield X, [spelled(label, machine) for label in known]


# --- a range of them --------------------------------------------------------------------------------------------------


class Part(NamedTuple):
    """Examples that are explained together."""

    number: int  # of the first, counted from 1
    X: Any
    labels: list[Any]


class ExampleRange:
    """Examples `first` to `last` (None: the end) of blocks, some at a time; reads no further than it must.

    Afterwards `seen` counts what was read, and `others` says whether more was there.
    """

    def __init__(self, blocks: Iterable[tuple[Any, list[Any]]], first: int, last: int | None) -> None:
        self.seen = 0
        self.others = False
        self._blocks = blocks
        self._first, self._last = first, last

    def parts(self, size: Callable[[Any], int]) -> Iterator[Part]:
        """The examples, as many at a time as size(block) says."""
        for X, labels in self._blocks:
            begin = max(self._first - 1 - self.seen, 0)
            end = len(X) if self._last is None else min(self._last - self.seen, len(X))
            step = size(X)
            for at in range(begin, end, step):
                stop = min(at + step, end)
                yield Part(self.seen + at + 1, _slice(X, at, stop), labels[at:stop])
            self.seen += len(X)
            self.others = end < len(X)
            if self.others:
                return


def _slice(X: Any, begin: int, end: int) -> Any:
    return X.take(np.arange(begin, end)) if isinstance(X, Rows) else X[begin:end]
