"""Semantic roles: examples of them, and a labeller that finds the arguments of predicates and names their roles."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from gristmill.apps.role_examples import (
    Marked,
    RoleCounts,
    RoleExamples,
    arguments_of,
    boundary_examples,
    candidates_of,
    role_examples,
)
from gristmill.apps.role_nodes import Candidates, RoleTrees, as_sentences, check_candidates
from gristmill.apps.role_scores import RoleScore, RoleScores, score_roles
from gristmill.apps.role_trees import (
    labelled_trees,
    marked_predicates,
    read_labelled,
    read_labelled_trees,
    write_labelled_trees,
)
from gristmill.collection import Machines, Scorers
from gristmill.errors import FormatError
from gristmill.files import PathLike, display_name
from gristmill.forest import Forest, Progress
from gristmill.formats import load
from gristmill.formats.propbank import (
    Argument,
    Proposition,
    Sentences,
    read_propbank,
    read_propositions,
    read_sentences,
    write_propositions,
    write_sentences,
)
from gristmill.kernels import Kernel, Normalized, ProductionTreeKernel
from gristmill.machine import Machine
from gristmill.relations import Form
from gristmill.relations.marking import mark_in

__all__ = [
    "DEFAULT_KERNEL",
    "Argument",
    "Proposition",
    "RoleCounts",
    "RoleExamples",
    "RoleLabeller",
    "RoleScore",
    "RoleScores",
    "Sentences",
    "boundary_examples",
    "labelled_trees",
    "marked_predicates",
    "read_labelled",
    "read_labelled_trees",
    "read_propbank",
    "read_propositions",
    "read_sentences",
    "role_examples",
    "score_roles",
    "write_labelled_trees",
    "write_propositions",
    "write_sentences",
]

DEFAULT_KERNEL = Normalized(ProductionTreeKernel(decay=0.4, marked=True))

_IDENTIFY, _CLASSIFY = "identify", "classify"  # machines in a file
_KEY = "roles"  # their settings, where the first machine came from
_BLOCK = 2000  # predicates that are labelled at once


class RoleLabeller:
    """Finds the arguments of predicates in trees and names their roles, in two steps.

    A machine says of each candidate node whether it is an argument; another one, with an output for each role, says
    which. Both are support vector machines on trees with two marks, of the predicate and of the candidate.

    Parameters
    ----------
    kernel : str or kernel
        Of trees. On paths the marked kernel of productions learns fastest, and no worse than others.
    C : float
        The price of an error.
    form : {'path', 'minimal', 'subtree', 'whole'}
        What the machines see of a sentence; see `gristmill.relations.mark`. Paths are small and quick.
    candidates : {'pruned', 'highest', 'all'}
        Which nodes; see `boundary_examples`. Arguments that are no candidates are never found.
    lowercase : bool
        Words in lower case.
    words : bool or None
        Whether leaves are words, below their tags, or tags. None: words, if no leaf of the sentences has a sister.
    max_examples : int or None
        At most about so many for each machine, of predicates drawn by `seed`; all examples of a predicate are drawn, so
        the share of arguments stays. Time grows with the square.
    min_count : int
        Roles of fewer examples are not learned.
    threshold : float
        Candidates that score more are arguments.
    overlap : bool
        Whether arguments of a predicate may share tokens. If not, the one with the highest score is taken first.
    seed : int
    n_jobs : int or None
        Threads; they never change a result.
    progress : callable or None
        Called with (done, total) of each part of the work.

    Attributes
    ----------
    machines_ : Machines
    roles_ : list of str
        Those that were learned.
    words_ : bool
        Whether leaves are words.
    counts_ : RoleCounts
        After `fit`: what became of predicates and arguments that the first machine has learned from.

    Examples
    --------
    >>> import gristmill as gm
    >>> from gristmill.apps.roles import Argument, Proposition, RoleLabeller
    >>> said = [("dogs", "see", "cats"), ("men", "like", "dogs"), ("cats", "eat", "mice")]
    >>> trees = gm.Forest.from_strings(f"(S (NP (N {a})) (VP (V {v}) (NP (N {b})) (ADVP so)))" for a, v, b in said)
    >>> both = (Argument(0, 0, "ARG0"), Argument(2, 2, "ARG1"))
    >>> propositions = [Proposition(("-", str(number)), 1, arguments=both) for number in range(3)]
    >>> labeller = RoleLabeller(min_count=1).fit(trees, propositions)
    >>> new = gm.Forest.from_strings(["(S (NP (N mice)) (VP (V fear) (NP (N cats)) (ADVP so)))"])
    >>> labeller.label(new, [Proposition(("-", "0"), 1)])[0].arguments
    (Argument(first=0, last=0, role='ARG0'), Argument(first=2, last=2, role='ARG1'))
    """

    def __init__(
        self,
        kernel: str | Kernel = DEFAULT_KERNEL,
        *,
        C: float = 10.0,
        form: Form = "path",
        candidates: Candidates = "pruned",
        lowercase: bool = True,
        words: bool | None = None,
        max_examples: int | None = 20_000,
        min_count: int = 5,
        threshold: float = 0.0,
        overlap: bool = False,
        seed: int = 0,
        n_jobs: int | None = None,
        progress: Progress | None = None,
    ) -> None:
        check_candidates(candidates)
        self.kernel, self.C = kernel, C
        self.form, self.candidates = form, candidates
        self.lowercase, self.words = lowercase, words
        self.max_examples, self.min_count = max_examples, min_count
        self.threshold, self.overlap = threshold, overlap
        self.seed, self.n_jobs, self.progress = seed, n_jobs, progress

    def fit(self, sentences: Sentences | Forest, propositions: Sequence[Proposition]) -> RoleLabeller:
        """Learn from sentences and what is known about their predicates; ValueError where there is nothing to learn."""
        trees = RoleTrees(as_sentences(sentences), lowercase=self.lowercase, words=self.words)
        self.words_, self.counts_ = trees.words, RoleCounts()
        drawn = np.random.default_rng(self.seed).permutation(len(propositions)).tolist()
        boundaries = self._drawn(drawn, lambda number: self._boundaries(trees, propositions[number]))
        named = self._drawn(drawn, lambda number: self._named(trees, propositions[number]))
        roles, times = np.unique([role for role, _ in named], return_counts=True)
        learned = set(roles[times >= self.min_count].tolist())
        self.roles_ = sorted(learned)
        if not learned:
            raise ValueError(f"no role has {self.min_count} examples or more among {len(propositions)} predicates")
        machines = {_IDENTIFY: self._machine(trees, boundaries)}
        if len(learned) > 1:
            machines[_CLASSIFY] = self._machine(trees, [pair for pair in named if pair[0] in learned])
        self._keep(Machines(machines))
        return self

    def label(self, sentences: Sentences | Forest, predicates: Iterable[Proposition]) -> list[Proposition]:
        """The predicates with the arguments that were found; what arguments they had does not matter."""
        self.scorers_  # noqa: B018 - says what is missing
        trees = RoleTrees(as_sentences(sentences), lowercase=self.lowercase, words=self.words_)
        listed, labelled = list(predicates), list[Proposition]()
        for begin in range(0, len(listed), _BLOCK):
            labelled += self._label(trees, listed[begin : begin + _BLOCK])
            if self.progress is not None:
                self.progress(len(labelled), len(listed))
        return labelled

    def score(self, sentences: Sentences | Forest, propositions: Sequence[Proposition]) -> RoleScores:
        """Label the predicates of propositions, and compare."""
        return score_roles(propositions, self.label(sentences, propositions))

    def save(self, path: PathLike) -> None:
        """Write everything that was learned to one safetensors file, whole or not at all."""
        machines = dict(self.machines_)
        machines[_IDENTIFY] = _with_provenance(machines[_IDENTIFY], {_KEY: self._settings()})
        Machines(machines).save(path)

    @classmethod
    def load(cls, path: PathLike, *, n_jobs: int | None = None, progress: Progress | None = None) -> RoleLabeller:
        """What was saved; FormatError for other files."""
        machines = load(path)
        known = machines.get(_IDENTIFY) if isinstance(machines, Machines) else None
        settings = known.provenance.get(_KEY) if known is not None else None
        if not isinstance(machines, Machines) or not isinstance(settings, dict):
            raise FormatError("a model, but not one of roles: those come from RoleLabeller.save", display_name(path))
        try:
            roles = settings.pop("roles")
            labeller = cls(machines[_IDENTIFY].kernel, **settings, n_jobs=n_jobs, progress=progress)
        except (KeyError, TypeError, ValueError) as error:
            raise FormatError(f"not a sound model of roles: {error}", display_name(path)) from error
        labeller.roles_, labeller.words_ = list(roles), bool(labeller.words)
        labeller._keep(machines)
        return labeller

    @property
    def scorers_(self) -> Scorers:
        """The machines, compiled."""
        if not hasattr(self, "_scorers"):
            raise ValueError("there is nothing learned yet: call fit, or load what was saved")
        return self._scorers

    # --- behind the door ----------------------------------------------------------------------------------------------

    def _keep(self, machines: Machines) -> None:
        self.machines_ = machines
        self._scorers = machines.compile()

    def _settings(self) -> dict[str, Any]:
        names = ("C", "form", "candidates", "lowercase", "max_examples", "min_count", "threshold", "overlap", "seed")
        return {name: getattr(self, name) for name in names} | {"words": self.words_, "roles": self.roles_}

    def _boundaries(self, trees: RoleTrees, proposition: Proposition) -> Iterator[tuple[str, Marked]]:
        spans = {(argument.first, argument.last) for argument in proposition.arguments}
        for span, marked in candidates_of(trees, proposition, self.candidates, self.counts_):
            yield ("yes" if span in spans else "no"), marked

    def _named(self, trees: RoleTrees, proposition: Proposition) -> Iterator[tuple[str, Marked]]:
        for argument, marked in arguments_of(trees, proposition, RoleCounts()):
            yield argument.role, marked

    def _drawn(
        self, numbers: list[int], examples: Callable[[int], Iterable[tuple[str, Marked]]]
    ) -> list[tuple[str, Marked]]:
        """Labels and marks of predicates as they were drawn, as many as are wanted, by tree."""
        found: list[tuple[str, Marked]] = []
        for number in numbers:
            if self.max_examples is not None and len(found) >= self.max_examples:
                break
            found += examples(number)
        return sorted(found, key=lambda pair: pair[1][0])

    def _machine(self, trees: RoleTrees, examples: list[tuple[str, Marked]]) -> Machine:
        from gristmill.estimators import KernelSVC

        svm = KernelSVC(self.kernel, C=self.C, scheme="ovr", n_jobs=self.n_jobs, progress=self.progress)
        labels = [label for label, _ in examples]
        if len(set(labels)) < 2:
            raise ValueError(f"all {len(labels)} candidates are {labels[:1]}: there is nothing to tell apart")
        machine: Machine = svm.fit(self._forest(trees, (marked for _, marked in examples)), labels).machine_
        return machine

    def _forest(self, trees: RoleTrees, examples: Iterable[Marked]) -> Forest:
        return trees.grove.forest(mark_in(trees.grove, examples, self.form))

    def _label(self, trees: RoleTrees, predicates: list[Proposition]) -> list[Proposition]:
        found = [
            (number, *span, marked)
            for number, predicate in enumerate(predicates)
            for span, marked in candidates_of(trees, predicate, self.candidates)
        ]
        forest = self._forest(trees, (marked for *_, marked in found))
        scores = self.scorers_[_IDENTIFY].trusted_scores(forest, self.n_jobs)[:, 0]
        chosen = np.flatnonzero(scores > self.threshold)
        chosen = chosen[np.argsort(-scores[chosen], kind="stable")]
        kept: list[dict[int, tuple[int, int]]] = [{} for _ in predicates]  # spans by example
        for example in chosen.tolist():
            number, first, last, _ = found[example]
            if self.overlap or all(last < begin or end < first for begin, end in kept[number].values()):
                kept[number][example] = first, last
        roles = self._roles_of(forest, sorted(example for spans in kept for example in spans))
        return [
            replace(predicate, arguments=tuple(sorted(Argument(*span, roles[at]) for at, span in spans.items())))
            for predicate, spans in zip(predicates, kept, strict=True)
        ]

    def _roles_of(self, forest: Forest, examples: list[int]) -> dict[int, str]:
        if _CLASSIFY not in self.scorers_:
            return dict.fromkeys(examples, self.roles_[0])
        roles = self.scorers_[_CLASSIFY].predict(forest[examples], self.n_jobs)
        return dict(zip(examples, roles.tolist(), strict=True))


def _with_provenance(machine: Machine, more: dict[str, Any]) -> Machine:
    return Machine(
        machine.kernel,
        machine.support,
        machine.coef,
        machine.intercept,
        machine.classes,
        machine.scheme,
        provenance=machine.provenance | more,
    )
