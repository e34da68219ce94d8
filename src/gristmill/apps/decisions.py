"""Why a sentence got its tags, words or tree: the decisions that led there, one after the other."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, overload

import numpy as np

from gristmill.apps.parsing.tree import DependencyTree
from gristmill.base.arrays import Floats
from gristmill.base.progress import Progress
from gristmill.display.bars import printable
from gristmill.explanations.ablation import ablated_rows
from gristmill.explanations.explanation import RowExplanation
from gristmill.scoring.deciding import classes_among, trusted_scores
from gristmill.scoring.scorer import Scorer

_STEPS = 60  # decisions that are drawn


@dataclass(frozen=True, eq=False)
class Decision(RowExplanation):
    """One decision about a sentence, and what each feature that was looked at adds to the scores.

    All of `RowExplanation`, and these:

    Attributes
    ----------
    token : int
        Which of the sentence's tokens it is about. A segmenter decides behind it; of a parser it is the top of the
        stack, or where that is empty the next word.
    what : str
        The same in words: `eats`, `海|を`, or top of the stack and next words, `the mill | turns`.
    label : str
        What was decided: a tag; `end` or `inside` of a word; an action, `LEFT:nsubj`. Its output is the one that is
        explained where none is named.
    machine_name : str
        Which machine of several has decided.
    best : str or None
        What the machine itself finds best, where a beam went another way.
    impossible : str or None
        What the machine scores highest, where that cannot be done there.
    stack, buffer : tuple of str or None
        Of a parser, before it decides: words, or chunks of words; the top of the stack is last, the next word first.
    possible : tuple of str or None
        Of a parser: the classes of its machine that can be done there. None: all.
    """

    token: int
    what: str
    label: str
    machine_name: str = ""
    best: str | None = None
    impossible: str | None = None
    stack: tuple[str, ...] | None = None
    buffer: tuple[str, ...] | None = None
    possible: tuple[str, ...] | None = None

    @classmethod
    def of(cls, row: RowExplanation, token: int, what: str, label: str, **more: Any) -> Decision:
        """A row that was explained, and what was decided on it."""
        return cls(row.machine, row.ids, row.data, row.values, row.base, row.interactions, token, what, label, **more)

    def _class(self) -> int:
        """That of the label, unless it was a last resort that the machine does not know."""
        classes = [] if self.machine.classes is None else self.machine.classes.tolist()
        return classes.index(self.label) if self.label in classes else super()._class()

    @property
    def heading(self) -> str:
        """What was decided on what, and where it is not what the machine finds best."""
        found = f"{self.what} -> {self.label}"
        found += f" (machine {self.machine_name})" if self.machine_name else ""
        found += f"; {self.impossible} scores highest, but cannot be done here" if self.impossible else ""
        found += f"; {self.best} is best here, but not for the whole sentence" if self.best else ""
        return printable(found)

    def draw(self, output: int | str | None = None, top: int = 10) -> str:
        """Text: what was decided, and a bar for each of the features that add most, '#' up, '-' down."""
        return f"{self.heading}\n{super().draw(output, top)}"

    __str__ = draw

    def _repr_html_(self) -> str:
        from gristmill.display.page import notebook

        return notebook(_decision_picture(self))

    def as_dict(self, output: int | str | None = None) -> dict[str, Any]:
        """The decision, as JSON can hold it; features that add most to the one output come first."""
        lists = {"stack": self.stack, "buffer": self.buffer}
        words = {"machine": self.machine_name or None, "best": self.best, "impossible": self.impossible}
        return {
            "token": self.token,
            "what": self.what,
            "label": self.label,
            **{name: word for name, word in words.items() if word is not None},
            **{name: list(found) for name, found in lists.items() if found is not None},
            "scores": dict(zip(self.output_names, self.score.tolist(), strict=True)),
            **super().as_dict(output),
        }


@dataclass(frozen=True, eq=False)
class SentenceExplanation(Sequence[Decision]):
    """The decisions about one sentence, in their order; they can be counted, iterated and printed.

    Attributes
    ----------
    tokens : tuple of str
        Words; for a segmenter the characters that are no white space.
    steps : tuple of Decision
    tags, words : tuple of str or None
        What a tagger predicts, or a segmenter.
    tree : DependencyTree or None
        What a parser predicts.
    """

    tokens: tuple[str, ...]
    steps: tuple[Decision, ...]
    tags: tuple[str, ...] | None = None
    words: tuple[str, ...] | None = None
    tree: DependencyTree | None = None

    def __len__(self) -> int:
        return len(self.steps)

    @overload
    def __getitem__(self, at: int) -> Decision: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[Decision, ...]: ...
    def __getitem__(self, at: int | slice) -> Decision | tuple[Decision, ...]:
        return self.steps[at]

    @property
    def answer(self) -> str:
        """What was predicted, for people."""
        if self.tree is not None:
            return self.tree.draw().rstrip("\n") if len(self.tree) else ""
        if self.tags is not None:
            return printable(" ".join(f"{token}/{tag}" for token, tag in zip(self.tokens, self.tags, strict=True)))
        return printable(" ".join(self.words or ()))

    def draw(self, top: int = 5) -> str:
        """What was predicted, and all decisions."""
        return "\n\n".join(part for part in (self.answer, *(step.draw(None, top) for step in self)) if part)

    __str__ = draw

    def _repr_html_(self) -> str:
        from gristmill.display.page import notebook

        return notebook(_sentence_picture(self))

    def __repr__(self) -> str:
        return f"SentenceExplanation({len(self.tokens)} tokens, {len(self)} decisions)"

    def as_dict(self) -> dict[str, Any]:
        """All of it, as JSON can hold it."""
        return {"tokens": list(self.tokens), **self._predicted(), "steps": [step.as_dict() for step in self]}

    def _predicted(self) -> dict[str, Any]:
        if self.tree is not None:
            return {"heads": self.tree.heads, "relations": self.tree.relations}
        lists = {"tags": self.tags, "words": self.words}
        return {name: list(found) for name, found in lists.items() if found is not None}

    def to_json(self) -> str:
        return json.dumps(self.as_dict(), allow_nan=False)


# --- without a feature ------------------------------------------------------------------------------------------------


class Ablation(NamedTuple):
    """What would have been decided without each of a decision's features, in their order; decisions before it stay."""

    scores: Floats  # features x outputs
    labels: tuple[str, ...]  # what the machine finds best of what can be done


def ablate(decision: Decision, scorer: Scorer, progress: Progress | None = None) -> Ablation:
    """By the scorer of the machine that has decided."""
    machine = scorer.machine
    rows = ablated_rows(decision.ids, decision.data, machine.n_features)
    scores = trusted_scores(scorer, rows, progress=progress)
    classes = np.asarray(machine.classes)
    possible = np.ones(len(classes), dtype=bool) if decision.possible is None else np.isin(classes, decision.possible)
    if not possible.any():  # a last resort, whatever the features
        return Ablation(scores, (decision.label,) * len(rows))
    return Ablation(scores, tuple(classes[classes_among(scorer, rows, scores, possible)].tolist()))


# --- pictures ---------------------------------------------------------------------------------------------------------


def _sentence_picture(sentence: SentenceExplanation, top: int = 5) -> Any:
    """What was predicted, and the decisions that led there; behind each of them what its features add."""
    from gristmill.display.markup import Html, element, joined
    from gristmill.display.page import fold, note, scroll
    from gristmill.explanations.pictures import row_picture

    if sentence.tree is not None:
        answer = scroll("A dependency tree", Html(sentence.tree.svg()))
    else:
        answer = element("p", sentence.answer)
    steps = [fold(step.heading, row_picture(step, top=top)) for step in sentence[:_STEPS]]
    rest = note(f"{len(sentence) - _STEPS:,} more decisions") if len(sentence) > _STEPS else None
    return joined(answer, steps, rest)


def _decision_picture(step: Decision) -> Any:
    """One decision, and what its features add."""
    from gristmill.display.markup import element, joined
    from gristmill.explanations.pictures import row_picture

    return joined(element("p", step.heading), row_picture(step))
