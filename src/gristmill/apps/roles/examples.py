"""Examples of semantic roles, as marked trees: mark 1 is the predicate, mark 2 what may be its argument.

Roles: given the arguments of predicates, which play a certain role (Kazama and Torisawa 2005, section 5.1)?
Boundaries: of all nodes of a sentence, which are arguments of a predicate?
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from gristmill.apps.roles.nodes import Candidates, PredicateNode, RoleTrees, as_sentences
from gristmill.base.checks import check_choice, is_whole
from gristmill.data.forest import Forest
from gristmill.data.formats.propbank import Argument, Proposition, Sentences
from gristmill.data.relations import FORMS, Form
from gristmill.data.relations.marking import mark_in
from gristmill.data.relations.tree_view import TreeView

PREDICATE_MARK, ARGUMENT_MARK = 1, 2

Marked = tuple[int, dict[int, int]]


@dataclass
class RoleCounts:
    """What became of predicates and arguments.

    Parameters
    ----------
    predicates, arguments : int
        All that there were.
    predicates_without_node : int
        Predicates that no node stands for; all their arguments are without one, too.
    arguments_without_node : int
        No node has exactly these tokens.
    arguments_at_predicate : int
        The node is the predicate's own, which has a mark already.
    arguments_not_candidates : int
        There is a node, but it was pruned or is above the predicate.
    """

    predicates: int = 0
    arguments: int = 0
    predicates_without_node: int = 0
    arguments_without_node: int = 0
    arguments_at_predicate: int = 0
    arguments_not_candidates: int = 0

    @property
    def lost(self) -> int:
        """Arguments that make no example."""
        return self.arguments_without_node + self.arguments_at_predicate + self.arguments_not_candidates

    @property
    def share_lost(self) -> float:
        """Of all arguments; 0 if there are none."""
        return self.lost / self.arguments if self.arguments else 0.0

    def __str__(self) -> str:
        said = f"{_number(self.predicates, 'predicate')} with {_number(self.arguments, 'argument')}"
        if self.predicates_without_node:
            said += f", {_number(self.predicates_without_node, 'predicate')} without a node"
        reasons = [
            (self.arguments_without_node, "without a node"),
            (self.arguments_at_predicate, "at the node of the predicate"),
            (self.arguments_not_candidates, "not among the candidates"),
        ]
        why = ", ".join(f"{count:,} {reason}" for count, reason in reasons if count)
        return f"{said}; {self.share_lost:.1%} of the arguments lost ({why})" if why else f"{said}; none lost"


@dataclass(frozen=True)
class RoleExamples:
    """Marked trees, what each is an example of, and what became of the arguments.

    Parameters
    ----------
    trees : Forest
    labels : array
        1 or -1 for each tree; or, where all roles are labels, their names.
    counts : RoleCounts
    """

    trees: Forest
    labels: NDArray[Any]
    counts: RoleCounts

    def __len__(self) -> int:
        return len(self.labels)


def role_examples(
    sentences: Sentences | Forest,
    propositions: Iterable[Proposition],
    role: str | None,
    *,
    form: Form = "whole",
    predicate: PredicateNode = "highest",
    lowercase: bool = True,
    words: bool | None = None,
    all_predicates: bool = False,
    max_positives: int | None = None,
) -> RoleExamples:
    """Arguments that play a role, 1, and the other arguments of the same predicates, -1; or all with their roles.

    Parameters
    ----------
    sentences : Sentences or Forest
    propositions : iterable of Proposition
    role : str or None
        As ARG2. Continued and referring ones, C-ARG2 and R-ARG2, are other roles. None: labels are names of roles, of
        all predicates, for machines that tell all of them apart.
    form : str
        What is kept of the sentence; see `gristmill.data.relations.mark`.
    predicate : {'tag', 'highest', 'span'}
        The node of a predicate: that of the token itself, the tag of a word; the highest one that covers the token and
        nothing else, as in the paper, and the default here alone; or the highest one that covers all tokens of the
        predicate, which there may not be.
    lowercase : bool
        Words in lower case.
    words : bool or None
        Whether leaves are words, below their tags, or tags. None: words, if more than half of them have no sister.
    all_predicates : bool
        Also predicates that do not have the role. Without them the task is slightly easier (the paper's footnote 5).
    max_positives : int or None
        Stop behind the predicate that has the last of so many examples of the role.

    Examples
    --------
    >>> import gristmill as gm
    >>> from gristmill.apps.roles import Argument, Proposition, role_examples
    >>> trees = gm.Forest.from_strings(["(S (NP (PRP She)) (VP (VBD gave) (NP (PRP him)) (NP (NNS books))))"])
    >>> gave = Proposition(("-", "0"), 1, "give.01", (Argument(0, 0, "ARG0"), Argument(2, 2, "ARG2")))
    >>> for tree, label in zip((made := role_examples(trees, [gave], "ARG2")).trees, made.labels):
    ...     print(label, tree)
    -1 (S (NP*2 (PRP she)) (VP (VBD*1 gave) (NP (PRP him)) (NP (NNS books))))
    1 (S (NP (PRP she)) (VP (VBD*1 gave) (NP*2 (PRP him)) (NP (NNS books))))
    >>> role_examples(trees, [gave], None).labels.tolist()
    ['ARG0', 'ARG2']
    """
    check_choice("form", form, FORMS)
    check_count("max_positives", max_positives)
    if role is None and max_positives is not None:
        raise ValueError("max_positives are those of one role: name it, or leave max_positives out")
    trees = RoleTrees(as_sentences(sentences), lowercase=lowercase, words=words, predicate=predicate)
    counts, roles = RoleCounts(), list[str]()

    def examples() -> Iterator[Marked]:
        n_positives = 0
        for proposition in propositions:
            has_role = any(argument.role == role for argument in proposition.arguments)
            if not (has_role or all_predicates or role is None):
                continue
            if max_positives is not None and n_positives >= max_positives:
                return
            for argument, marked in arguments_of(trees, proposition, counts):
                roles.append(argument.role)
                n_positives += argument.role == role
                yield marked

    made = trees.subtree_pool.forest(mark_in(trees.subtree_pool, examples(), form))
    named = np.array(roles, dtype=str)
    return RoleExamples(made, named if role is None else np.where(named == role, 1, -1).astype(np.int8), counts)


def boundary_examples(
    sentences: Sentences | Forest,
    propositions: Iterable[Proposition],
    *,
    form: Form = "path",
    candidates: Candidates = "highest",
    predicate: PredicateNode = "tag",
    lowercase: bool = True,
    words: bool | None = None,
    lowest_above: bool = False,
    limit: int | None = None,
) -> RoleExamples:
    """Nodes of sentences that are arguments of a predicate, 1, and others, -1, by predicate and in post-order.

    Parameters
    ----------
    candidates : {'highest', 'all', 'pruned'}
        The nodes: the highest one of those that cover the same tokens; or all of them, each an example; or the sisters
        of the predicate and of all nodes above it, but for what is coordinated with these, and the children of
        sisters that are PP (Xue and Palmer 2004). No punctuation, words, or what is above the predicate.
    lowest_above : bool
        What becomes of an argument that no node has exactly, as happens in automatic trees. True: the lowest node above
        all its tokens stands for it (Severyn and Moschitti 2010, footnote 2). False: nothing does, and it is counted.
    limit : int or None
        So many examples at most.
    sentences, propositions, form, predicate, lowercase, words
        As in `role_examples`, but for the defaults: paths, and the tag of the predicate, as in `RoleLabeller`.
    """
    check_choice("candidates", candidates, get_args(Candidates))
    check_choice("form", form, FORMS)
    check_count("limit", limit)
    trees = RoleTrees(as_sentences(sentences), lowercase=lowercase, words=words, predicate=predicate)
    counts, labels = RoleCounts(), list[int]()

    def examples() -> Iterator[Marked]:
        for given in propositions:
            proposition = _on_nodes(trees, given) if lowest_above else given
            spans = {(argument.first, argument.last) for argument in proposition.arguments}
            for span, marked in candidates_of(trees, proposition, candidates, counts):
                labels.append(1 if span in spans else -1)
                yield marked

    made = trees.subtree_pool.forest(mark_in(trees.subtree_pool, islice(examples(), limit), form))
    return RoleExamples(made, np.array(labels, dtype=np.int8), counts)


def _on_nodes(trees: RoleTrees, proposition: Proposition) -> Proposition:
    """Each argument with the tokens of the lowest node above it."""
    outline = trees.subtree_pool.view(trees.tree_of(proposition))
    nodes = (outline.lowest_above(argument.first, argument.last) for argument in proposition.arguments)
    spans = (outline.spans[node] for node in nodes)
    arguments = (Argument(*span, argument.role) for span, argument in zip(spans, proposition.arguments, strict=True))
    return replace(proposition, arguments=tuple(arguments))


def arguments_of(trees: RoleTrees, proposition: Proposition, counts: RoleCounts) -> Iterator[tuple[Argument, Marked]]:
    """Arguments that have a node, and how the tree is marked for each."""
    tree = trees.tree_of(proposition)
    outline = trees.subtree_pool.view(tree)
    counts.predicates += 1
    counts.arguments += len(proposition.arguments)
    predicate = trees.predicate_node(outline, proposition)
    if predicate is None:
        counts.predicates_without_node += 1
        counts.arguments_without_node += len(proposition.arguments)
        return
    for argument in proposition.arguments:
        node = outline.covering(argument.first, argument.last)
        if node is None:
            counts.arguments_without_node += 1
        elif node == predicate:
            counts.arguments_at_predicate += 1
        else:
            yield argument, (tree, {predicate: PREDICATE_MARK, node: ARGUMENT_MARK})


def candidates_of(
    trees: RoleTrees, proposition: Proposition, which: Candidates, counts: RoleCounts | None = None
) -> Iterator[tuple[tuple[int, int], Marked]]:
    """The tokens of each candidate of a predicate, and how the tree is marked for it."""
    tree = trees.tree_of(proposition)
    outline = trees.subtree_pool.view(tree)
    predicate = trees.predicate_node(outline, proposition)
    nodes = [] if predicate is None else trees.candidates(outline, predicate, which)
    if counts is not None:
        _count(counts, outline, predicate, proposition, nodes)
    for node in nodes:
        yield outline.spans[node], (tree, {predicate: PREDICATE_MARK, node: ARGUMENT_MARK})  # type: ignore[dict-item]


def counts_of(trees: RoleTrees, propositions: Iterable[Proposition], which: Candidates) -> RoleCounts:
    """What becomes of arguments if all candidates are taken."""
    counts = RoleCounts()
    for proposition in propositions:
        for _ in candidates_of(trees, proposition, which, counts):
            break  # they are counted once the first one is drawn
    return counts


def check_count(name: str, value: int | None, least: int = 0) -> None:
    if value is not None and not (is_whole(value) and value >= least):
        raise ValueError(f"{name} must be a whole number from {least} on, or None, got {value!r}")


def _count(
    counts: RoleCounts, outline: TreeView, predicate: int | None, proposition: Proposition, nodes: list[int]
) -> None:
    reached = {outline.spans[node] for node in nodes}
    counts.predicates += 1
    counts.arguments += len(proposition.arguments)
    counts.predicates_without_node += predicate is None
    for first, last, _ in proposition.arguments:
        if predicate is None or outline.covering(first, last) is None:
            counts.arguments_without_node += 1
        elif outline.spans[predicate] == (first, last):
            counts.arguments_at_predicate += 1
        elif (first, last) not in reached:
            counts.arguments_not_candidates += 1


def _number(count: int, noun: str) -> str:
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"
