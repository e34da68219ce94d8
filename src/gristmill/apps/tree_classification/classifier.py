"""A classifier of trees: a support vector machine that compares their fragments and their words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from gristmill.apps.base import PARAMS, App, check_same
from gristmill.apps.provenance import without_provenance
from gristmill.apps.tree_classification.model import (
    WORDS,
    joined_kernel,
    load_model,
    save_model,
    settings_of,
    vocabulary_of,
    with_words,
)
from gristmill.apps.tree_classification.scores import TreeScores, score_labels
from gristmill.apps.tree_classification.words import WordBag
from gristmill.base.checks import check_choice, check_flag, check_positive, check_whole
from gristmill.base.errors import FormatError
from gristmill.base.files import PathLike, display_name
from gristmill.base.progress import Progress
from gristmill.data.examples import Examples
from gristmill.data.forest import Forest, as_forest
from gristmill.explanations.tree_explanation import Shares, TreeExplanations
from gristmill.explanations.tree_nodes import TreeExplainer
from gristmill.kernels import Kernel
from gristmill.kernels.named import as_kernel
from gristmill.machines.machine import Machine
from gristmill.scoring.scorer import Scorer

_SETTINGS = {"word_weight": float, "ngrams": int, "lowercase": bool, "C": float, "multiclass": str}
_MULTICLASS = ("ovr", "ovo")

Trees = Forest | Examples | Sequence[str]


class TreeClassifier(App):
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
    n_jobs : int or None
        Threads; they never change a result.
    progress : callable or None
        Called with (done, total).

    Attributes
    ----------
    machine_ : Machine
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

    kind = "tree classifier"
    former_names: ClassVar = {"words": "word_weight", "scheme": "multiclass"}
    _explainer: TreeExplainer | None = None

    def __init__(
        self,
        kernel: str | Kernel = "sst",
        *,
        word_weight: float = 0.5,
        ngrams: int = 1,
        lowercase: bool = True,
        C: float = 10.0,
        multiclass: str = "ovr",
        tree: str | None = None,
        engine: str = "auto",
        n_jobs: int | None = None,
        progress: Progress | None = None,
    ) -> None:
        self.kernel, self.word_weight, self.ngrams, self.lowercase = kernel, word_weight, ngrams, lowercase
        self.C, self.multiclass, self.tree = C, multiclass, tree
        self.engine, self.n_jobs, self.progress = engine, n_jobs, progress
        self.check_settings()

    def check_settings(self) -> None:
        """ValueError where one is not what it may be; called again by `fit`."""
        reads = as_kernel(self.kernel).reads
        if reads != "trees":
            raise ValueError(f"kernel must be one of trees, got one of {reads}, {self.kernel!r}")
        if (
            isinstance(self.word_weight, bool)
            or not isinstance(self.word_weight, Real)
            or not 0 <= self.word_weight <= 1
        ):
            raise ValueError(
                f"word_weight must be a share from 0 (trees alone) to 1 (words alone), got {self.word_weight!r}"
            )
        check_whole("ngrams", self.ngrams)
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

    def fit(self, trees: Trees, labels: Any) -> TreeClassifier:
        """Learn from trees, a Forest or bracketed strings, and the label of each.

        If it is interrupted, what was learned so far is kept, and KeyboardInterrupt raised again.
        """
        from gristmill.estimators import KernelSVC

        self.check_settings()
        forest, y = self._forest(trees), _checked_labels(labels)
        if len(forest) != len(y):
            raise ValueError(f"expected a label for each of {len(forest)} trees, got {len(y)}")
        if len(np.unique(y)) < 2:
            found = f"all {len(y)} trees have the label {y[0]!s}" if len(y) else "there are no trees"
            raise ValueError(f"{found}: a classifier needs at least two classes")
        bag = WordBag.of(forest, self.ngrams) if self.word_weight else None
        kernel = joined_kernel(as_kernel(self.kernel), float(self.word_weight))
        svm = KernelSVC(kernel, C=self.C, multiclass=self.multiclass, n_jobs=self.n_jobs, progress=self.progress)
        try:
            svm.fit(self._examples(forest, bag), y)
        finally:
            if hasattr(svm, "machine_"):
                self._keep(svm.machine_, bag)
        return self

    def predict(self, trees: Trees) -> NDArray[Any]:
        """The label of each tree."""
        return self.scorer_.predict(self.examples(trees), self.n_jobs, progress=self.progress)

    def decision_function(self, trees: Trees) -> NDArray[np.float64]:
        """Scores as the machine's outputs have them: for each class, for two classes above 0 for the second one."""
        return self.scorer_.decision_function(self.examples(trees), self.n_jobs, progress=self.progress)

    def examples(self, trees: Trees) -> Forest | Examples:
        """Trees as the machine sees them and, where words count, with their words."""
        self.scorer_  # noqa: B018 - says what is missing
        return self._examples(self._forest(trees), self._bag)

    def explain(self, trees: Trees, *, shares: Shares = "shared") -> TreeExplanations:
        """Why trees got their labels: what each node adds to the scores and, beside them, each word of the bag.

        Parameters
        ----------
        trees : Forest, Examples or list of bracketed strings
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
        machine, forest = self.scorer_.machine, self._forest(trees)
        explainer = self._explainer = self._explainer or TreeExplainer(machine)
        X = forest if self._bag is None else with_words(forest, self._bag)
        return explainer.explain(X, shares=shares, n_jobs=self.n_jobs, progress=self.progress)

    def score(self, trees: Trees, labels: Any) -> TreeScores:
        """Label trees, and compare: accuracy, and precision, recall and F1 of each class."""
        return score_labels(labels, self.predict(trees).tolist())

    def save(self, path: PathLike) -> None:
        """Write everything that was learned, and the parameters, to one safetensors file, whole or not at all."""
        self.scorer_  # noqa: B018 - says what is missing
        settings = {name: kind(getattr(self, name)) for name, kind in _SETTINGS.items()}
        save_model(path, self._remembered(self.machine_), as_kernel(self.kernel), {**settings, "tree": self.tree})

    @classmethod
    def load(
        cls, path: PathLike, *, engine: str = "auto", n_jobs: int | None = None, progress: Progress | None = None
    ) -> TreeClassifier:
        """What was saved; FormatError for other files. Parameters are those that it was saved with, but for these."""
        machine, kernel, settings = load_model(path)
        classifier = cls._restored({"": machine}, path, {"engine": engine, "n_jobs": n_jobs, "progress": progress})
        try:
            params = classifier.get_params() | {"kernel": as_kernel(classifier.kernel)}
            check_same(params, cls.renamed(settings) | {"kernel": kernel})
            bag = WordBag(vocabulary_of(machine), classifier.ngrams) if classifier.word_weight else None
        except (TypeError, ValueError) as error:
            raise FormatError(f"not a sound tree classifier: {error}", display_name(path)) from error
        classifier._keep(without_provenance(machine, PARAMS), bag)
        return classifier

    @classmethod
    def recovered_params(cls, machines: Mapping[str, Machine]) -> dict[str, Any]:
        """Parameters read off a machine, which are all."""
        (machine,) = machines.values()
        kernel, settings = settings_of(machine)
        return {"kernel": kernel, **cls.renamed(settings)}

    @property
    def scorer_(self) -> Scorer:
        """The machine, compiled."""
        if not hasattr(self, "_scorer"):
            raise ValueError("there is nothing learned yet: call fit, or load what was saved")
        return self._scorer

    # --- behind the door ----------------------------------------------------------------------------------------------

    def _keep(self, machine: Machine, bag: WordBag | None) -> None:
        self._scorer, self._bag = machine.compile(self.engine), bag
        self._explainer = None
        self.machine_, self.classes_ = machine, np.asarray(machine.classes)
        self.vocabulary_ = bag.vocabulary if bag is not None else ()

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
