"""A labeller that finds the arguments of predicates and names their roles: two machines on marked trees."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from typing import Any, ClassVar, NamedTuple

import numpy as np

from gristmill.apps.base import RUNTIME, App, check_same, is_one, params_as_json, with_provenance
from gristmill.apps.learning import LearningInterrupted, keep_learned, learn_trees
from gristmill.apps.roles.decisions import RoleDecision, role_decisions
from gristmill.apps.roles.examples import Marked, RoleCounts, arguments_of, candidates_of, counts_of
from gristmill.apps.roles.model import (
    CLASSIFY,
    IDENTIFY,
    KEY,
    NO,
    YES,
    RoleEngine,
    RoleModel,
    check_model,
    check_settings,
)
from gristmill.apps.roles.nodes import Candidates, Leaves, PredicateNode, RoleTrees, as_sentences, only
from gristmill.apps.roles.scores import RoleScores, score_roles
from gristmill.apps.roles.trees import marked_predicates
from gristmill.base.arrays import Floats
from gristmill.base.checks import check_flag
from gristmill.base.progress import Progress
from gristmill.data.forest import Forest
from gristmill.data.formats.propbank import Argument, Proposition, Sentences, Tokens, holds_token
from gristmill.data.relations import Form
from gristmill.data.relations.marking import mark_in
from gristmill.display.words import listed_labels
from gristmill.kernels import Kernel, Normalized, ProductionTreeKernel, as_kernel
from gristmill.machines.collection import Machines
from gristmill.machines.machine import Machine
from gristmill.scoring.deciding import trusted_scores

DEFAULT_KERNEL = Normalized(ProductionTreeKernel(decay=0.4, marked=True))

_BLOCK = 2000  # predicates that are labelled at once
_FEW = 30  # leaves: in a few short trees of tags, most may well have no sister

_Labelled = tuple[str, Marked]
Trees = str | Sequence[str] | Sentences | Forest


class LabelledBlock(NamedTuple):
    """Some predicates with the arguments that were found, and what these were chosen from."""

    predicates: list[Proposition]
    places: list[list[int]]  # of candidates: the number of the predicate here, first and last token
    forest: Forest  # candidates as marked trees
    scores: Floats  # of the machine that says whether they are arguments


@dataclass(eq=False, repr=False)
class RoleLabeller(App[RoleEngine]):
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
        What the machines see of a sentence; see `gristmill.data.relations.mark`. Paths are small and quick.
    candidates : {'pruned', 'highest', 'all'}
        Which nodes; see `boundary_examples`. Arguments that are no candidates are never found.
    predicate : {'tag', 'highest', 'span'}
        Which node is the predicate; see `role_examples`, where the default is another.
    lowercase : bool
        Words in lower case.
    words : bool or None
        Whether leaves are words, below their tags, or tags. None: words, if more than half of them have no sister.
    max_examples : int or None
        At most about so many for each machine, of predicates drawn by `random_state`. All examples of a predicate are
        drawn, so the share of arguments stays. Time grows with the square.
    min_count : int
        Roles of fewer examples are not learned.
    threshold : float
        Candidates that score more are arguments.
    overlap : bool
        Whether arguments of a predicate may share tokens, with each other and with the predicate. If not, the one with
        the highest score is taken first.
    random_state : int
        0 or more.
    n_jobs, progress
        As in `Tagger`.

    Attributes
    ----------
    machine_, scorer_ : Machines, Scorers
        What was learned, and the same, compiled.
    roles_ : list of str
        Those that were learned.
    words_ : bool
        Whether leaves are words.
    leaves_ : Leaves
        After `fit`: how many leaves there were, and how many without a sister.
    counts_ : RoleCounts
        After `fit`: what becomes of all predicates and arguments, drawn or not.
    n_drawn_ : int
        After `fit`: predicates that the first machine has learned from.

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

    kind, key = "role labeller", KEY
    machine_: Machines = field(init=False)
    _reads_tokens = False
    _compiled_by = ()
    former_names: ClassVar = {"seed": "random_state"}

    kernel: str | Kernel = DEFAULT_KERNEL
    _: KW_ONLY
    C: float = 10.0
    form: Form = "path"
    candidates: Candidates = "pruned"
    predicate: PredicateNode = "tag"
    lowercase: bool = True
    words: bool | None = None
    max_examples: int | None = 20_000
    min_count: int = 5
    threshold: float = 0.0
    overlap: bool = False
    random_state: int = 0
    n_jobs: int | None = None
    progress: Progress | None = None

    def check_settings(self) -> None:
        check_settings(vars(self))

    def _learn(self, X: Trees, y: Sequence[Proposition] | None) -> None:
        sentences, y = self._given(X, y or ())
        trees = self._trees(sentences, self.words)
        counts = counts_of(trees, y, self.candidates)
        drawn = np.random.default_rng(self.random_state).permutation(len(y)).tolist()
        boundaries, n_drawn = self._drawn(drawn, lambda number: self._boundaries(trees, y[number]))
        named, _ = self._drawn(drawn, lambda number: self._named(trees, y[number]))
        roles, times = np.unique([role for role, _ in named], return_counts=True)
        learned: list[str] = sorted(roles[times >= self.min_count].tolist())
        if not learned:
            raise ValueError(f"no role has {self.min_count} examples or more among {len(y)} predicates")

        def keep(machines: dict[str, Machine]) -> None:
            known = learned if CLASSIFY in machines else [str(roles[times.argmax()])]
            self._keep(Machines(machines), RoleModel(known, trees.words, {}))
            self.leaves_, self.counts_, self.n_drawn_ = trees.leaves, counts, n_drawn

        tasks = {IDENTIFY: boundaries}
        if len(learned) > 1:
            tasks[CLASSIFY] = [pair for pair in named if pair[0] in learned]
        keep_learned(lambda: self._machines(trees, tasks), keep)

    def label(self, X: Trees, predicates: Iterable[Proposition] | None = None) -> list[Proposition]:
        """The predicates of sentences with their arguments; what arguments they had before does not matter.

        Sentences are one tree or many: bracketed text, a Forest, or `Sentences`. Without `predicates`, they are the
        nodes that have a mark, as (VBD*1 saw). Warns where leaves do not look like those it has learned from.
        """
        return [one for block in self.labelled_blocks(X, predicates) for one in block.predicates]

    def predict(self, X: Trees, predicates: Iterable[Proposition] | None = None) -> list[Proposition]:
        """The same as `label`. A sentence may have several predicates, so there is always a list of them."""
        return self.label(X, predicates)

    def labelled_blocks(self, X: Trees, predicates: Iterable[Proposition] | None = None) -> Iterator[LabelledBlock]:
        """The same, some predicates at a time, with the candidates that their arguments were chosen from."""
        engine = self.engine_
        self.check_settings()
        (known, listed), leaves = self._given(X, predicates), Leaves()
        for predicate in listed:
            known.check(predicate)
        for begin in range(0, len(listed), _BLOCK):
            block = listed[begin : begin + _BLOCK]
            # Trees of their own for each block: a pool grows with every example that is made in it.
            trees = self._trees(only(known, block), engine.model.words)
            yield self._label(trees, block)
            leaves = Leaves(leaves.alone + trees.leaves.alone, leaves.all + trees.leaves.all)
            if self.progress is not None:
                self.progress(begin + len(block), len(listed))
        self._warn_of(leaves)

    def explain(self, X: Trees, predicates: Proposition | Iterable[Proposition] | None = None) -> Any:
        """Why candidates are arguments of a predicate, or are not, and why they have their roles.

        A list of `RoleDecision` for one predicate; of many, or of those that have a mark, a list of such lists.

        Examples
        --------
        >>> import gristmill as gm
        >>> from gristmill.apps.roles import Argument, Proposition, RoleLabeller
        >>> said = [("dogs", "see", "cats"), ("men", "like", "dogs"), ("cats", "eat", "mice")]
        >>> trees = gm.Forest.from_strings(f"(S (NP (N {a})) (VP (V {v}) (NP (N {b})) (ADVP so)))" for a, v, b in said)
        >>> both = (Argument(0, 0, "ARG0"), Argument(2, 2, "ARG1"))
        >>> propositions = [Proposition(("-", str(number)), 1, arguments=both) for number in range(3)]
        >>> labeller = RoleLabeller(min_count=1).fit(trees, propositions)
        >>> decisions = labeller.explain(trees, propositions[0])
        >>> [decision.heading for decision in decisions]
        ['token 0: ARG0', 'token 2: ARG1', 'token 3: no argument']
        >>> print(decisions[1].naming)
        ARG1: 1 = 0.08263 + 0.9174
        VP               +0.2396  ###################################
        ├─ V*1           +0.2508  #####################################
        │  └─ see        +0.0363  ######
        └─ NP*2          +0.2784  ########################################
           └─ N          +0.1002  ###############
              └─ cats    +0.0120  ##
        """
        if isinstance(predicates, Proposition):
            return self._decisions(X, predicates)
        sentences, listed = self._given(X, predicates)
        return [self._decisions(sentences, one) for one in listed]

    def _decisions(self, X: Trees, predicate: Proposition) -> list[RoleDecision]:
        (block,) = self.labelled_blocks(X, [predicate])
        places = [(first, last) for _, first, last in block.places]
        parts = (places, block.forest, block.scores[:, 0], block.predicates[0].arguments)
        return role_decisions(self.engine_.explainers, *parts, self.n_jobs)

    def evaluate(self, X: Trees, y: Sequence[Proposition] | None = None) -> RoleScores:
        """Label the predicates of propositions, and compare. `score` is the F1 of arguments with their roles."""
        if y is None:
            raise ValueError("the propositions of the sentences, y, are needed to compare with")
        return score_roles(y, self.label(X, y))

    # --- what was learned ---------------------------------------------------------------------------------------------

    @property
    def roles_(self) -> list[str]:
        return self.engine_.model.roles

    @property
    def words_(self) -> bool:
        return self.engine_.model.words

    def _compile(self, machine: Machines) -> RoleEngine:
        return RoleEngine(machine, self._state)

    def _to_save(self) -> Machine | Machines:
        unset = ("kernel", "words", *RUNTIME)
        settings = params_as_json({name: value for name, value in self.get_params().items() if name not in unset})
        known = settings | {"words": self.words_, "roles": self.roles_}
        return with_provenance(super()._to_save(), {KEY: known})

    @classmethod
    def _read_state(cls, machines: Mapping[str, Machine]) -> RoleModel:
        settings = machines[IDENTIFY].provenance.get(KEY) if IDENTIFY in machines else None
        if not isinstance(settings, dict):
            raise ValueError(f"the machine {IDENTIFY!r} keeps no settings")
        return RoleModel(settings.get("roles", []), settings.get("words", False), settings)

    def _check_state(self, machines: Mapping[str, Machine], state: RoleModel) -> None:
        check_model(machines, state.settings.get("roles"))
        check_flag("words", state.settings.get("words"))
        check_same({**self.get_params(), "words": state.words}, self.renamed(state.settings))
        check_same({"kernel": as_kernel(self.kernel)}, {"kernel": machines[IDENTIFY].kernel})

    @classmethod
    def recovered_params(cls, machines: Mapping[str, Machine]) -> dict[str, Any]:
        """Parameters read off machines; `words` is whether leaves are words, also where None was given."""
        known = dict(machines[IDENTIFY].provenance[KEY])
        known.pop("roles", None)
        return {"kernel": machines[IDENTIFY].kernel, **cls.renamed(known)}

    # --- examples and answers -----------------------------------------------------------------------------------------

    def _given(self, X: Trees, predicates: Iterable[Proposition] | None) -> tuple[Sentences, list[Proposition]]:
        """Sentences, and their predicates; by default the nodes that have a mark."""
        trees: Any = [X] if is_one(X, self._reads_tokens) else X
        if not isinstance(trees, Sentences | Forest):
            trees = Forest.from_strings(trees, marks=predicates is None)
        sentences = as_sentences(trees)
        return marked_predicates(sentences) if predicates is None else (sentences, list(predicates))

    def _trees(self, sentences: Sentences, words: bool | None) -> RoleTrees:
        return RoleTrees(sentences, lowercase=self.lowercase, words=words, predicate=self.predicate)

    def _warn_of(self, leaves: Leaves) -> None:
        if leaves.are_words != self.words_ and (self.words_ or leaves.all >= _FEW):
            kind = "words, below their tags" if self.words_ else "tags"
            warnings.warn(f"leaves of the model were {kind}, but here {leaves}", UserWarning, stacklevel=4)

    def _boundaries(self, trees: RoleTrees, proposition: Proposition) -> Iterator[_Labelled]:
        spans = {(argument.first, argument.last) for argument in proposition.arguments}
        for span, marked in candidates_of(trees, proposition, self.candidates):
            yield (YES if span in spans else NO), marked

    def _named(self, trees: RoleTrees, proposition: Proposition) -> Iterator[_Labelled]:
        for argument, marked in arguments_of(trees, proposition, RoleCounts()):
            yield argument.role, marked

    def _drawn(self, numbers: list[int], examples: Callable[[int], Iterable[_Labelled]]) -> tuple[list[_Labelled], int]:
        """Labels and marks of predicates as they were drawn, at most `max_examples`, by tree; how many predicates."""
        found, n_drawn = list[_Labelled](), 0
        for number in numbers:
            if self.max_examples is not None and len(found) >= self.max_examples:
                break
            found += examples(number)
            n_drawn += 1
        return sorted(found, key=lambda pair: pair[1][0]), n_drawn

    def _machines(self, trees: RoleTrees, tasks: Mapping[str, list[_Labelled]]) -> dict[str, Machine]:
        """The machine of each task. Interrupted, it keeps those that there are: arguments can be found by the first."""
        machines = dict[str, Machine]()
        for name, examples in tasks.items():
            try:
                machines[name] = self._machine(trees, examples)
            except KeyboardInterrupt as stop:
                if isinstance(stop, LearningInterrupted):
                    machines[name] = stop.learned
                if not machines:
                    raise
                raise LearningInterrupted(machines) from stop
        return machines

    def _machine(self, trees: RoleTrees, examples: list[_Labelled]) -> Machine:
        labels = [label for label, _ in examples]
        if len(set(labels)) < 2:
            raise ValueError(
                f"all {len(labels)} candidates are {listed_labels(labels[:1])}: there is nothing to tell apart"
            )
        forest = self._forest(trees, (marked for _, marked in examples))
        return learn_trees(self.kernel, forest, labels, C=self.C, n_jobs=self.n_jobs, progress=self.progress)

    def _forest(self, trees: RoleTrees, examples: Iterable[Marked]) -> Forest:
        return trees.subtree_pool.forest(mark_in(trees.subtree_pool, examples, self.form))

    def _label(self, trees: RoleTrees, predicates: list[Proposition]) -> LabelledBlock:
        found = [
            (number, *span, marked)
            for number, predicate in enumerate(predicates)
            for span, marked in candidates_of(trees, predicate, self.candidates)
        ]
        forest = self._forest(trees, (marked for *_, marked in found))
        all_scores = trusted_scores(self.scorer_[IDENTIFY], forest, self.n_jobs)
        scores = all_scores[:, 0]
        chosen = np.flatnonzero(scores > self.threshold)
        chosen = chosen[np.argsort(-scores[chosen], kind="stable")]
        kept: list[dict[int, Tokens]] = [{} for _ in predicates]  # by example
        for example in chosen.tolist():
            number, first, last, _ = found[example]
            if self._has_room((first, last), predicates[number], kept[number].values()):
                kept[number][example] = first, last
        roles = self._roles_of(forest, sorted(example for spans in kept for example in spans))
        labelled = [
            _with_arguments(predicate, (Argument(*span, roles[at]) for at, span in spans.items()))
            for predicate, spans in zip(predicates, kept, strict=True)
        ]
        return LabelledBlock(labelled, [place for *place, _ in found], forest, all_scores)

    def _has_room(self, span: Tokens, predicate: Proposition, taken: Iterable[Tokens]) -> bool:
        """Whether a span may be an argument, given others that scored more."""
        if self.overlap:
            return span not in taken
        return all(span[1] < begin or end < span[0] for begin, end in (*predicate.own, *taken))

    def _roles_of(self, forest: Forest, examples: list[int]) -> dict[int, str]:
        if CLASSIFY not in self.scorer_:
            return dict.fromkeys(examples, self.roles_[0])
        roles = self.scorer_[CLASSIFY].predict(forest[examples], self.n_jobs)
        return dict(zip(examples, roles.tolist(), strict=True))


def _with_arguments(predicate: Proposition, arguments: Iterable[Argument]) -> Proposition:
    """A span without the token was for an argument C-V, which may not be among these."""
    found = replace(predicate, arguments=tuple(sorted(arguments)))
    return found if holds_token(found) else replace(found, predicate=None)
