"""A classifier of trees: a support vector machine that compares their fragments and their words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from gristmill.apps.base import App, check_same, with_provenance
from gristmill.apps.learning import keep_learned, learn_trees
from gristmill.apps.tree_classification.model import (
    KEY,
    VERSION,
    WORDS,
    TreeEngine,
    TreeScores,
    WordBag,
    joined_kernel,
    score_labels,
    settings_of,
    vocabulary_of,
    with_words,
)
from gristmill.base.arrays import Floats
from gristmill.base.checks import check_choice, check_flag, check_positive, check_positive_int
from gristmill.base.progress import Progress
from gristmill.data.examples import Examples
from gristmill.data.forest import Forest, as_forest
from gristmill.explanations.tree_explanation import Shares
from gristmill.kernels import Kernel, as_kernel, to_spec
from gristmill.machines.collection import Machines
from gristmill.machines.machine import Machine

_SETTINGS = {"word_weight": float, "ngrams": int, "lowercase": bool, "C": float, "multiclass": str}
_MULTICLASS = ("ovr", "ovo")

Trees = Forest | Examples | Sequence[str]


@dataclass(eq=False, repr=False)
class TreeClassifier(App[TreeEngine]):
    """Learns the labels of trees, such as what kind of answer a question wants, and labels others.

    Two trees are as similar as the fragments they share, by a tree kernel, and the words they share, which are their
    leaves. Both count the same unless `word_weight` says otherwise.

    Parameters
    ----------
    kernel : str or kernel
        Of trees: 'sst' for constituents, 'ptk' for dependencies; see `KernelSVC`.
    word_weight : float
        The share of the bag of words, from 0 (trees alone) to 1 (words alone).
    ngrams : int
        The longest n-grams of words in the bag.
    lowercase : bool
        Leaves in lower case, in trees and words.
    C : float
        The price of an error.
    multiclass : {'ovr', 'ovo'}
        An output for each class against the rest, or for each pair of classes.
    tree : str or None
        Which tree of examples that have several. None: the first.
    engine : {'auto', 'forest', 'direct'}
        How trees are scored; labels are the same.
    n_jobs, progress
        As in `Tagger`.

    Attributes
    ----------
    machine_, scorer_ : Machine, Scorer
        What was learned, and the same, compiled.
    classes_ : array
        The labels that were learned, in sorted order.
    vocabulary_ : tuple of str
        The words, and n-grams, of the trees that were learned from; empty if `word_weight` is 0.

    Examples
    --------
    >>> from gristmill.apps import TreeClassifier
    >>> trees = ["(Q (W who) (V sang))", "(Q (W who) (V ran))", "(Q (W where) (V was) (N it))", "(Q (W where) (V ran))"]
    >>> classifier = TreeClassifier().fit(trees, ["person", "person", "place", "place"])
    >>> classifier.predict(["(Q (W where) (V sang))", "(Q (W who) (V was) (N it))"])
    array(['place', 'person'], dtype='<U6')
    """

    kind, key = "tree classifier", KEY
    machine_: Machine = field(init=False)
    _reads_tokens = False
    former_names: ClassVar = {"words": "word_weight", "scheme": "multiclass"}

    kernel: str | Kernel = "sst"
    _: KW_ONLY
    word_weight: float = 0.5
    ngrams: int = 1
    lowercase: bool = True
    C: float = 10.0
    multiclass: str = "ovr"
    tree: str | None = None
    engine: str = "auto"
    n_jobs: int | None = None
    progress: Progress | None = None

    def check_settings(self) -> None:
        reads = as_kernel(self.kernel).reads
        if reads != "trees":
            raise ValueError(f"kernel must be one of trees, got one of {reads}, {self.kernel!r}")
        weight = self.word_weight
        if isinstance(weight, bool) or not isinstance(weight, Real) or not 0 <= weight <= 1:
            raise ValueError(f"word_weight must be a share from 0 (trees alone) to 1 (words alone), got {weight!r}")
        check_positive_int("ngrams", self.ngrams)
        check_flag("lowercase", self.lowercase)
        check_positive("C", self.C)
        check_choice("multiclass", self.multiclass, _MULTICLASS)
        check_choice("engine", self.engine, ("auto", "forest", "direct"))
        if self.tree is not None and (not isinstance(self.tree, str) or not self.tree):
            raise ValueError(f"tree must be a name, or None for the first, got {self.tree!r}")

    @property
    def marked(self) -> bool:
        """Whether the kernel looks at marks, as in (NP*1 dogs)."""
        return bool(as_kernel(self.kernel).marked)

    def _learn(self, X: Trees, y: Any) -> None:
        forest, labels = self._forest(X), _checked_labels(y)
        if len(forest) != len(labels):
            raise ValueError(f"expected a label for each of {len(forest)} trees, got {len(labels)}")
        if len(np.unique(labels)) < 2:
            found = f"all {len(labels)} trees have the label {labels[0]!s}" if len(labels) else "there are no trees"
            raise ValueError(f"{found}: a classifier needs at least two classes")
        bag = WordBag.of(forest, self.ngrams) if self.word_weight else None
        kernel = joined_kernel(as_kernel(self.kernel), float(self.word_weight))
        examples, how = self._examples(forest, bag), (self.C, self.multiclass, self.n_jobs, self.progress)
        keep_learned(lambda: learn_trees(kernel, examples, labels, *how), lambda machine: self._keep(machine, None))

    def _predict_many(self, X: Trees) -> NDArray[Any]:
        return self.engine_.scorer.predict(self.examples(X), self.n_jobs, progress=self.progress)

    def decision_function(self, trees: Trees) -> Floats:
        """Scores as the machine's outputs have them: for each class, for two classes above 0 for the second one."""
        return self.engine_.scorer.decision_function(self.examples(trees), self.n_jobs, progress=self.progress)

    def examples(self, trees: Trees) -> Forest | Examples:
        """Trees as the machine sees them and, where words count, with their words."""
        return self._examples(self._forest(trees), self.engine_.bag)

    def explain(self, X: str | Trees, *, shares: Shares = "shared") -> Any:
        """Why trees got their labels: what each node adds to the scores and what each word of the bag adds.

        Parameters
        ----------
        X : a bracketed string, or Forest, Examples or list of bracketed strings
            One tree gives a `TreeExplanation`, many give `TreeExplanations`.
        shares : {'shared', 'rooted'}
            What a node gets; see `gristmill.explanations.tree_nodes.TreeExplainer`.

        Examples
        --------
        >>> from gristmill.apps import TreeClassifier
        >>> trees = ["(Q (W who) (V sang))", "(Q (W who) (V ran))", "(Q (W where) (V was))", "(Q (W where) (V ran))"]
        >>> classifier = TreeClassifier().fit(trees, ["person", "person", "place", "place"])
        >>> print(classifier.explain(["(Q (W where) (V sang))"])[0])
        place: 0.9149 = 0 + 0.9149
        Q              +0.0271  ##
        ├─ W           +0.1686  #############
        │  └─ where    +0.1698  #############
        └─ V           +0.0209  ##
           └─ sang     -0.0074  -
        words
           where       +0.5603  ########################################
           sang        -0.0244  --
        """
        if isinstance(X, str):
            return self.explain([X], shares=shares)[0]
        engine, forest = self.engine_, self._forest(X)
        examples = forest if engine.bag is None else with_words(forest, engine.bag)
        return engine.explainer.explain(examples, shares=shares, n_jobs=self.n_jobs, progress=self.progress)

    def evaluate(self, X: Trees, y: Any = None) -> TreeScores:
        """Label trees, and compare: accuracy, which is the `score`; precision, recall and F1 of each class."""
        return score_labels(y, self._predict_many(X).tolist())

    # --- what was learned ---------------------------------------------------------------------------------------------

    @property
    def classes_(self) -> NDArray[Any]:
        return np.asarray(self.machine_.classes)

    @property
    def vocabulary_(self) -> tuple[str, ...]:
        return vocabulary_of(self.machine_)

    def _compile(self, machine: Machine) -> TreeEngine:
        return TreeEngine(machine, self.engine, self._bag(machine))

    def _bag(self, machine: Machine) -> WordBag | None:
        return WordBag(vocabulary_of(machine), self.ngrams) if self.word_weight else None

    def _to_save(self) -> Machine | Machines:
        settings = {name: kind(getattr(self, name)) for name, kind in _SETTINGS.items()}
        known = {**settings, "tree": self.tree, "version": VERSION, "kernel": to_spec(as_kernel(self.kernel))}
        return with_provenance(super()._to_save(), {KEY: known})

    @classmethod
    def _read_state(cls, machines: Mapping[str, Machine]) -> tuple[Kernel, dict[str, Any]]:
        return settings_of(*machines.values())

    def _check_state(self, machines: Mapping[str, Machine], state: tuple[Kernel, dict[str, Any]]) -> None:
        kernel, settings = state
        params = self.get_params() | {"kernel": as_kernel(self.kernel)}
        check_same(params, self.renamed(settings) | {"kernel": kernel})
        self._bag(machines[""])

    @classmethod
    def recovered_params(cls, machines: Mapping[str, Machine]) -> dict[str, Any]:
        """Parameters read off a machine, which are all."""
        (machine,) = machines.values()
        kernel, settings = settings_of(machine)
        return {"kernel": kernel, **cls.renamed(settings)}

    # --- trees as the machine sees them -------------------------------------------------------------------------------

    def _forest(self, trees: Trees) -> Forest:
        forest = _field(trees, self.tree) if isinstance(trees, Examples) else as_forest(trees, marks=self.marked)
        return forest.relabelled(leaves=str.lower) if self.lowercase else forest

    def _examples(self, forest: Forest, bag: WordBag | None) -> Forest | Examples:
        if bag is None:
            return forest
        return with_words(forest, bag) if self.word_weight < 1 else Examples(**{WORDS: bag.rows(forest)})


def _checked_labels(labels: Any) -> NDArray[Any]:
    y = np.asarray(labels)
    if y.ndim != 1:
        raise ValueError(f"expected one label for each tree, got shape {y.shape}")
    return y


def _field(examples: Examples, name: str | None) -> Forest:
    forests = {name: field for name, field in examples.fields.items() if isinstance(field, Forest)}
    if name is None and forests:
        return next(iter(forests.values()))
    if name not in forests:
        known = ", ".join(map(repr, forests)) or "none"
        raise ValueError(f"the examples have no tree {'at all' if name is None else repr(name)}; trees are {known}")
    return forests[name]
