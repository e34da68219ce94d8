"""Who decided it: what each support example adds to the scores of an example, a_i k(s_i, x). Exact.

With the intercept these add up to the score. Of a machine that is weights of conjunctions, they are the weights of the
conjunctions that hold.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, overload

import numpy as np

from gristmill.base.arrays import Floats, Indices
from gristmill.base.progress import Progress
from gristmill.data.rows import Binarize, Rows
from gristmill.display.bars import aligned, first_few, signed_bars
from gristmill.display.markup import Html, element, joined, shortened
from gristmill.display.numbers import number as shown
from gristmill.display.numbers import signed
from gristmill.display.page import notebook
from gristmill.display.tables import table
from gristmill.display.words import counted
from gristmill.explanations.kept_examples import KeptExamples, Source, kept_examples
from gristmill.explanations.models import AsTheModel, Outputs, class_names, largest, model_of
from gristmill.explanations.pictures import FEW, first_pictures
from gristmill.explanations.shared_parts import Part, parts_of
from gristmill.machines.machine import Machine
from gristmill.machines.schemes import Scheme, pairs

Side = Literal["for", "against"]

_TOP = 5  # for, and against
_LONGEST = 80  # characters of a name in a picture


@dataclass(frozen=True)
class Influencer:
    """A support example, and what it adds to one output.

    Parameters
    ----------
    number : int
        Of the support example, from 0.
    example : int or None
        Of the training example, from 0, where the model knows it.
    label : str or None
        The class that it speaks for.
    value : float
        coef * kernel.
    coef, kernel : float
    parts : tuple of Part
        The support example, with what it shares with the one that is explained.
    source : Source or None
        The training sentence that it was made from, where the model keeps it.
    """

    number: int
    example: int | None
    label: str | None
    value: float
    coef: float
    kernel: float
    parts: tuple[Part, ...]
    source: Source | None = None

    @property
    def name(self) -> str:
        """example 17 (yes), or support 3 where the training example is not known."""
        known = f"support {self.number}" if self.example is None else f"example {self.example}"
        return known if self.label is None else f"{known} ({self.label})"

    @property
    def text(self) -> str:
        """The support example, for people; its sentence comes first."""
        said = " | ".join(part.text for part in self.parts)
        return said if self.source is None else f"{self.source.text}; {said}"

    def as_dict(self) -> dict[str, Any]:
        """As plain data for JSON."""
        known = {"support": self.number, "example": self.example, "label": self.label}
        numbers = {"value": self.value, "coef": self.coef, "kernel": self.kernel}
        source = {} if self.source is None else {"source": self.source.as_dict()}
        return known | numbers | {"parts": [part.as_dict() for part in self.parts]} | source


@dataclass(frozen=True, eq=False)
class Influence:
    """Who decided about one example.

    Parameters
    ----------
    machine : Machine
    x : Rows, Forest or Examples
        The example.
    kernel : float array
        k(s_i, x) for each support example.
    examples : int array or None
        The training example of each support example, where the model knows it.
    kept : KeptExamples or None
        The training sentences of support examples, where the model keeps them.
    heading : str or None
        What was decided, where that is one decision about a sentence.
    """

    machine: Machine
    x: Any
    kernel: Floats
    examples: Indices | None = None
    kept: KeptExamples | None = None
    heading: str | None = None

    @cached_property
    def values(self) -> Floats:
        """What each support example adds, support examples x outputs."""
        return np.asarray(self.machine.dense_coef() * self.kernel[:, None])

    @cached_property
    def score(self) -> Floats:
        """One number per output: the intercept and all values."""
        return np.asarray(self.machine.intercept + self.values.sum(axis=0))

    @cached_property
    def outputs(self) -> Outputs:
        """What can be explained: outputs, and classes of one-vs-one machines."""
        return Outputs.of(self.machine)

    @cached_property
    def predicted(self) -> int:
        """The output or class that is explained by default: that of the predicted class."""
        scheme = self.machine.scheme
        winner = 0
        if scheme.has_labels and self.machine.classes is not None:
            answer = self.machine.compile("direct", binarize=False).predict(self.x)
            winner = int(np.flatnonzero(self.machine.classes == answer[0])[0])
        return self.outputs.predicted(self.score, winner, scheme)

    def output(self, output: int | str | None) -> int:
        """The number of an output or class, given by number or name; None: `predicted`."""
        return self.predicted if output is None else self.outputs.number(output)

    def column(self, output: int | str | None = None) -> Floats:
        """What each support example adds to an output, or to a class of pairs."""
        return self.outputs.column(self.values, self.output(output))

    def top(self, k: int | None = _TOP, output: int | str | None = None, side: Side | None = None) -> list[Influencer]:
        """Support examples that add most: up ('for'), down ('against'), or either."""
        if side not in (None, "for", "against"):
            raise ValueError(f"side must be 'for', 'against' or None, got {side!r}")
        at, column = self.output(output), self.column(output)
        if side is not None:
            column = np.maximum(column, 0.0) if side == "for" else np.minimum(column, 0.0)
        return [self._influencer(one, at) for one in largest(column, k) if column[one]]

    def total(self, output: int | str | None = None, side: Side | None = None) -> float:
        """What all of a side add."""
        column = self.column(output)
        chosen = column if side is None else column[column > 0] if side == "for" else column[column < 0]
        return float(chosen.sum())

    def _influencer(self, number: int, output: int) -> Influencer:
        coef = self.outputs.column(self.machine.dense_coef(), output)[number]
        return Influencer(
            number,
            None if self.examples is None else int(self.examples[number]),
            self._label(number),
            float(self.column(output)[number]),
            float(coef),
            float(self.kernel[number]),
            parts_of(self.machine, self.x, number),
            None if self.kept is None else self.kept.source(number),
        )

    def _label(self, number: int) -> str | None:
        """The class that a support example speaks for."""
        machine, names = self.machine, class_names(self.machine)
        if not names or machine.kernel.support_noun or machine.scheme in (Scheme.REGRESSION, Scheme.ONE_CLASS):
            return None
        own = machine.dense_coef()[number]
        if machine.scheme is Scheme.BINARY:
            return names[int(own[0] > 0)]
        if machine.scheme is Scheme.ONE_VS_REST:
            return names[int(own.argmax())]
        gains = np.zeros(len(names))
        for value, (first, second) in zip(own, pairs(len(names)), strict=True):
            gains[first if value > 0 else second] += abs(value)
        return names[int(gains.argmax())]

    def draw(self, output: int | str | None = None, top: int = _TOP) -> str:
        """Text with a bar for each of those that add most, for and against: '#' up, '-' down."""
        at = self.output(output)
        lines = [("intercept", _plain(self._of(self.machine.intercept, at)), "", "")]
        sides: tuple[Side, Side] = ("for", "against")
        found = {side: self.top(top, at, side) for side in sides}
        bars = iter(signed_bars(one.value for side in sides for one in found[side]))
        for side in sides:
            lines += [(f"  {one.name}", f"{one.value:+.4g}", next(bars), one.text) for one in found[side]]
            column = self.column(at)
            others = int((column > 0).sum() if side == "for" else (column < 0).sum()) - len(found[side])
            rest = self.total(at, side) - sum(one.value for one in found[side])
            if others:
                lines.append((f"  {counted(others, 'other')} {side}", f"{rest:+.4g}", "", ""))
        lines.append((f"score ({self.outputs.name(at)})", _plain(self._of(self.score, at)), "", ""))
        heading = [] if self.heading is None else [self.heading]
        return "\n".join([*heading, *aligned(lines, right=(1,))])

    __str__ = draw

    def _of(self, numbers: Floats, output: int) -> float:
        return float(self.outputs.column(numbers, output))

    def as_dict(self, output: int | str | None = None, top: int | None = None) -> dict[str, Any]:
        """One output as plain data for JSON; those that add most come first."""
        at = self.output(output)
        return {
            **({} if self.heading is None else {"decision": self.heading}),
            "output": self.outputs.name(at),
            "intercept": self._of(self.machine.intercept, at),
            "score": self._of(self.score, at),
            "for": self.total(at, "for"),
            "against": self.total(at, "against"),
            "influence": [one.as_dict() for one in self.top(top, at)],
        }

    def to_json(self, output: int | str | None = None, top: int | None = None) -> str:
        return json.dumps(self.as_dict(output, top), allow_nan=False)

    def _repr_html_(self) -> str:
        return notebook(influence_picture(self))


def influence_picture(found: Influence, top: int = _TOP) -> Html:
    """Two tables: for and against, with what each shares marked."""
    at = found.output(None)
    name, noun = shortened(found.outputs.name(at), _LONGEST), found.machine.support_noun
    facts = f"{name}: {shown(found._of(found.score, at))} = intercept {signed(found._of(found.machine.intercept, at))}"
    said = f"{facts}, for it {signed(found.total(at, 'for'))}, against it {signed(found.total(at, 'against'))}"
    sides: tuple[tuple[Side, str], ...] = (("for", f"For {name}"), ("against", f"Against {name}"))
    heading = None if found.heading is None else element("p", found.heading)
    tables = [_side(caption, noun, found.top(top, at, side)) for side, caption in sides]
    return joined(heading, element("p", said), tables)


def _side(caption: str, noun: str, found: list[Influencer]) -> Html | None:
    if not found:
        return None
    rows = [
        [shortened(one.name, _LONGEST), signed(one.value), signed(one.coef), shown(one.kernel), _marked(one)]
        for one in found
    ]
    return table(caption, [noun, "adds", "coefficient", "kernel", "what it shares"], rows, numeric=[1, 2, 3])


def _marked(one: Influencer) -> Html:
    sentence = () if one.source is None else (element("p", one.source.picture),)
    return joined(*sentence, *(element("span", part.picture) for part in one.parts))


def _plain(value: float) -> str:
    return f"{value + 0.0:.4g}"


@dataclass(frozen=True, eq=False)
class Influences(Sequence[Influence]):
    """Who decided about each of some examples; made by `gristmill.influence`."""

    found: tuple[Influence, ...]

    def __len__(self) -> int:
        return len(self.found)

    @overload
    def __getitem__(self, at: int) -> Influence: ...
    @overload
    def __getitem__(self, at: slice) -> list[Influence]: ...
    def __getitem__(self, at: int | slice) -> Influence | list[Influence]:
        return self.found[at] if isinstance(at, int) else list(self.found[at])

    def __iter__(self) -> Iterator[Influence]:
        return iter(self.found)

    def as_dict(self, output: int | str | None = None, top: int | None = None) -> dict[str, Any]:
        """Example by example, one output each, as plain data for JSON."""
        return {"examples": [one.as_dict(output, top) for one in self]}

    def to_json(self, output: int | str | None = None, top: int | None = None) -> str:
        return json.dumps(self.as_dict(output, top), allow_nan=False)

    def __str__(self) -> str:
        return first_few(self, "example")

    def __repr__(self) -> str:
        support = self.found[0].machine.n_support if self.found else 0
        return f"Influences({counted(len(self), 'example')}, {counted(support, 'support example')})"

    def _repr_html_(self) -> str:
        return notebook(first_pictures([influence_picture(one) for one in self[:FEW]], "example", len(self)))


_BLOCK = 256  # examples whose kernels are computed at once


def influence(
    model: Any,
    X: Any,
    *,
    binarize: Binarize | AsTheModel = "auto",
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> Influences:
    """Who decided it: what each support example adds to the scores of examples, exactly.

    f(x) = b + sum_i a_i k(s_i, x): a score is a sum over support examples, for every kernel. Of a machine that is
    weights of conjunctions, such as a logistic one, these are the conjunctions that hold.

    Parameters
    ----------
    model : Machine, or what has one
        A Scorer, a fitted estimator, a fitted scikit-learn SVC and its like, a Pipeline or search that ends in one.
        An estimator of ours also knows the numbers of the training examples. A Tagger, Segmenter or DependencyParser:
        it shows the training sentences if it was made with `keep_examples=True`.
    X : rows, trees or Examples; a sentence, or several
        As the model itself reads them.
    binarize : float, None, False or 'auto'
        What becomes of values other than 0 and 1, as for `Machine.compile`; 'auto': what the model does.
    n_jobs : int or None
        Threads.
    progress : callable or None

    Returns
    -------
    Influences
        An `Influence` for each example, of a sentence for each decision about it. It can be printed, shown in a
        notebook and written as JSON.

    Examples
    --------
    >>> import gristmill as gm
    >>> names = ["money", "bank", "river"]
    >>> support, classes = gm.ids([[0, 1], [1, 2]]), ["water", "finance"]
    >>> machine = gm.Machine(gm.PolynomialKernel(2), support, [1.0, -0.5], 0.0, classes, feature_names=names)
    >>> print(gm.influence(machine, gm.ids([[0, 1]]))[0])
    intercept               0
      support 0 (finance)  +9  ########################################  money, bank
      support 1 (water)    -2  ---------                                 bank; not shared: river
    score (finance)         7
    """
    if hasattr(model, "influence") and not isinstance(X, Rows):  # an app reads sentences
        asked: Influences = model.influence(X, n_jobs=n_jobs, progress=progress)
        return asked
    found = model_of(model, binarize)
    data = found.examples(X)
    machine = found.named_by(X).machine
    rows = machine.kernel.rows(machine.support)
    numbers, kept = _training_numbers(model, machine), kept_examples(machine)
    made: list[Influence] = []
    for begin in range(0, len(data), _BLOCK):
        some = np.arange(begin, min(begin + _BLOCK, len(data)))
        part = data.take(some)
        kernels = rows.against(part, n_jobs=n_jobs)
        made += [Influence(machine, part.take(np.array([at])), own, numbers, kept) for at, own in enumerate(kernels)]
        if progress is not None:
            progress(len(made), len(data))
    return Influences(tuple(made))


def _training_numbers(model: Any, machine: Machine) -> Indices | None:
    """Which training example each support example is, of an estimator that knows."""
    known = getattr(model, "support_", None)
    if known is None or machine.kernel.support_noun or len(known) != machine.n_support:
        return None
    return np.asarray(known, dtype=np.intp)
