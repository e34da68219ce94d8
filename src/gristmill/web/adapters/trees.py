"""Machines on trees, and the classifier of trees."""

from __future__ import annotations

import abc
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from gristmill.apps import TreeClassifier
from gristmill.base.arrays import Floats
from gristmill.base.errors import FormatError
from gristmill.data.examples import Examples
from gristmill.data.forest import Forest
from gristmill.display.trees import svg_tree
from gristmill.explanations.tree_explanation import TreeExplanation
from gristmill.explanations.tree_nodes import TreeExplainer
from gristmill.kernels import FieldKernel, Kernel, ScaledKernel
from gristmill.machines.data_files import reads_marks
from gristmill.scoring.deciding import trusted_scores
from gristmill.scoring.scorer import Scorer
from gristmill.web import openapi
from gristmill.web.adapters.base import Answer, ExplainOptions, MachineAdapter, Schema
from gristmill.web.limits import Limits, RefusedError, Watch, bad_input, check_most
from gristmill.web.requests import number

_FEW = 3  # examples
_LOOKED_AT = 200  # support trees, to choose them from
_SHORTEST, _LONGEST = 20, 300  # characters of an example


class TreesAdapter(MachineAdapter, abc.ABC):
    """Scores and explains bracketed trees."""

    kind = inputs = "trees"

    @abc.abstractmethod
    def _examples(self, trees: list[str]) -> Any:
        """Examples for the scorer; FormatError where one is no tree."""

    @abc.abstractmethod
    def _explanations(self, trees: Sequence[str], watch: Watch) -> Iterator[TreeExplanation]: ...

    def read(self, given: Any, where: str) -> str:
        if not isinstance(given, str):
            raise bad_input("a tree is a bracketed text, as (S (NP dogs) (VP bark))", given, where)
        try:
            forest = Forest.from_strings([given])
        except FormatError as error:
            message = error.message.removeprefix("tree 0: ")
            raise RefusedError("bad_input", f"{message}, line {error.line}, column {error.column}", where) from None
        check_most("nodes in a tree", int(forest.sizes()[0][0]), self.limits.nodes, where)
        return given

    def score(self, inputs: Sequence[str], watch: Watch) -> list[Answer]:
        return self._answers.of(self._scores(inputs, watch))

    def _scores(self, trees: Sequence[str], watch: Watch) -> Floats:
        check_most("scores", len(trees) * len(self.outputs), self.limits.numbers)
        if not trees:
            return np.empty((0, self.machine.n_outputs))
        return trusted_scores(self.scorer, self._examples(list(trees)), progress=watch)

    def explain(self, inputs: Sequence[str], options: ExplainOptions, watch: Watch) -> list[Answer]:
        scores = self._scores(inputs, watch)
        answers, winners = self._answers.of(scores), self._answers.winners(scores)
        numbers = [
            self._answers.explained_output(row, winner, options.output)
            for row, winner in zip(scores, winners, strict=True)
        ]
        explanations, outputs = self._explanations(inputs, watch), self._answers.outputs
        return [
            {**answer, **_explained(tree, output, float(outputs.column(row, output)))}
            for answer, tree, output, row in zip(answers, explanations, numbers, scores, strict=True)
        ]

    def examples(self) -> list[Any]:
        """Support trees that are neither tiny nor huge."""
        forest = _forest_of(self.machine.support)
        trees = dict.fromkeys([] if forest is None else forest[:_LOOKED_AT])
        return [tree for tree in trees if _SHORTEST <= len(tree) <= _LONGEST][:_FEW] or list(trees)[:_FEW]

    @property
    def input_schema(self) -> Schema:
        return {"type": "string", "examples": self.examples()}

    @property
    def scored_schema(self) -> Schema:
        return openapi.scored({})

    @property
    def explained_schema(self) -> Schema:
        return openapi.scored(openapi.EXPLAINED | openapi.NODES, optional=["words"])


class TreeMachineAdapter(TreesAdapter):
    """A machine on trees."""

    def __init__(self, scorer: Scorer, limits: Limits) -> None:
        super().__init__(scorer, limits)
        self._field = tree_field(self.machine.kernel)
        self._marked = reads_marks(self.machine)
        self._explainer = TreeExplainer(self.machine)

    def _examples(self, trees: list[str]) -> Any:
        forest = Forest.from_strings(trees, marks=self._marked)
        return forest if self._field is None else Examples(**{self._field: forest})

    def _explanations(self, trees: Sequence[str], watch: Watch) -> Iterator[TreeExplanation]:
        for tree in trees:
            watch()
            yield from self._explainer.explain(self._examples([tree]), progress=watch)


class TreeClassifierAdapter(TreesAdapter):
    """What `gristmill classify-trees` has learned: trees, and the words in them."""

    def __init__(self, classifier: TreeClassifier, limits: Limits) -> None:
        super().__init__(classifier.scorer_, limits)
        self._classifier = classifier

    def _examples(self, trees: list[str]) -> Any:
        return self._classifier.examples(trees)

    def _explanations(self, trees: Sequence[str], watch: Watch) -> Iterator[TreeExplanation]:
        for tree in trees:
            watch()
            yield from self._classifier.explain([tree])


def tree_field(kernel: Kernel) -> str | None:
    """The field of trees that a kernel looks at; None if it looks at trees without a name. ValueError for others."""
    inner = kernel
    while isinstance(inner, ScaledKernel):
        inner = inner.kernel
    if isinstance(inner, FieldKernel) and inner.kernel.reads == "trees":
        return inner.field
    if kernel.reads != "trees":
        raise ValueError(
            f"the playground takes rows of features, or trees; the kernel {kernel!r} compares other things"
        )
    return None


def _forest_of(support: Any) -> Forest | None:
    fields = support.fields.values() if isinstance(support, Examples) else [support]
    return next((field for field in fields if isinstance(field, Forest)), None)


def _explained(explanation: TreeExplanation, output: int, score: float) -> Answer:
    shares = explanation.shares(output).tolist()
    nodes = [
        {"label": label, "parent": parent, "value": number(share)}
        for label, parent, share in zip(explanation.labels, explanation.parents.tolist(), shares, strict=True)
    ]
    words = [{"name": one.name, "value": number(one.value)} for one in explanation.top_vector_features(output=output)]
    found: Answer = {
        "output": explanation.outputs.name(output),
        "baseline": number(float(explanation.outputs.column(explanation.base, output))),
        "score": number(score),
        "tree": explanation.tree,
        "nodes": nodes,
        "svg": str(svg_tree(explanation.labels, explanation.parents.tolist(), shares)),
    }
    return {**found, "words": words} if explanation.vector_features else found
