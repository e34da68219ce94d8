"""Where predicates and arguments stand in trees, and which nodes could be arguments."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Literal, NamedTuple, get_args

from gristmill.base.checks import check_choice
from gristmill.data.forest import Forest
from gristmill.data.formats.propbank import Proposition, Sentences
from gristmill.data.relations.subtree_pool import SubtreePool
from gristmill.data.relations.tree_view import TreeView

PUNCTUATION = frozenset([",", ".", ":", "``", "''", "-LRB-", "-RRB-", "HYPH"])  # labels that are no candidates
CONJUNCTIONS = frozenset(["CC", "CONJP"])

Candidates = Literal["all", "highest", "pruned"]
PredicateNode = Literal["tag", "highest", "span"]


class Leaves(NamedTuple):
    """How many leaves there are, and how many of them have no sister, as words below their tags."""

    alone: int = 0
    all: int = 0

    @property
    def are_words(self) -> bool:
        """More than half of them are alone; where there are none, nothing says they are not."""
        return 2 * self.alone > self.all or not self.all

    def __str__(self) -> str:
        return f"{self.alone:,} of {self.all:,} leaves have no sister"


class RoleTrees:
    """Trees of sentences, looked at as those of predicates and arguments.

    Parameters
    ----------
    sentences : Sentences
    lowercase, words, predicate
        As in `gristmill.apps.roles.role_examples`.

    Attributes
    ----------
    words : bool
    leaves : Leaves
        What that was decided by.
    """

    def __init__(
        self, sentences: Sentences, *, lowercase: bool, words: bool | None, predicate: PredicateNode = "tag"
    ) -> None:
        check_choice("predicate", predicate, get_args(PredicateNode))
        self.sentences, self.predicate = sentences, predicate
        self.subtree_pool = SubtreePool(sentences.trees)
        self.leaves = _leaves(self.subtree_pool)
        self.words = self.leaves.are_words if words is None else words
        if lowercase and self.words:
            self.subtree_pool = SubtreePool(sentences.trees.relabelled(leaves=str.lower))

    def tree_of(self, proposition: Proposition) -> int:
        """The number of the sentence, which must have all tokens."""
        self.sentences.check(proposition)
        return self.sentences.numbers[proposition.sentence]

    def tag(self, outline: TreeView, token: int) -> int:
        """The node of a token that is not a word."""
        leaf = outline.leaves[token]
        return outline.parents[leaf] if self._is_word(outline, leaf) else leaf

    def predicate_node(self, outline: TreeView, proposition: Proposition) -> int | None:
        token = proposition.token
        if self.predicate == "tag":
            return self.tag(outline, token)
        span = proposition.predicate if self.predicate == "span" else None
        return outline.covering(*(span or (token, token)))

    def candidates(self, outline: TreeView, predicate: int, which: Candidates) -> list[int]:
        """Nodes that could be arguments, in post-order."""
        above = set(outline.path_to_root(predicate))
        found = _CANDIDATES[which](self, outline, predicate)
        return [node for node in found if node not in above and outline.labels[node] not in PUNCTUATION]

    def _all(self, outline: TreeView, _: int) -> list[int]:
        return [node for node in range(len(outline)) if not self._is_word(outline, node)]

    def _highest(self, outline: TreeView, _: int) -> list[int]:
        return [node for node in range(len(outline)) if outline.is_highest(node)]

    def _pruned(self, outline: TreeView, predicate: int) -> list[int]:
        """Sisters of the predicate and of what is above it, and children of those that are PP (Xue and Palmer 2004)."""
        found: list[int] = []
        for node in outline.path_to_root(predicate)[:-1]:
            sisters = [sister for sister in outline.children[outline.parents[node]] if sister != node]
            is_joined = any(outline.labels[sister] in CONJUNCTIONS for sister in sisters)
            for sister in sisters:
                if is_joined and outline.labels[sister] == outline.labels[node]:
                    continue
                found.append(sister)
                if outline.labels[sister] == "PP":
                    found += [child for child in outline.children[sister] if outline.is_highest(child)]
        return sorted(found)

    def _is_word(self, outline: TreeView, node: int) -> bool:
        """A leaf below a tag of its own."""
        parent = outline.parents[node]
        is_leaf = outline.begins[node] == node
        return self.words and is_leaf and parent == node + 1 and outline.begins[parent] == node


_CANDIDATES: Mapping[str, Callable[[RoleTrees, TreeView, int], list[int]]] = {
    "all": RoleTrees._all,
    "highest": RoleTrees._highest,
    "pruned": RoleTrees._pruned,
}


def as_sentences(sentences: Sentences | Forest) -> Sentences:
    return Sentences(sentences) if isinstance(sentences, Forest) else sentences


def only(sentences: Sentences, propositions: Iterable[Proposition]) -> Sentences:
    """The sentences that propositions are about."""
    numbers = sorted({sentences.number(proposition.sentence) for proposition in propositions})
    return Sentences(sentences.trees[numbers], [sentences.names[number] for number in numbers])


def _leaves(pool: SubtreePool) -> Leaves:
    """Of all trees, though subtrees of several trees are there once: children have smaller numbers."""
    times, alone, leaves = [0] * len(pool.keys), 0, 0
    for root in pool.roots:
        times[root] += 1
    for number in range(len(pool.keys) - 1, -1, -1):
        _, *children = pool.keys[number]
        for child in children:
            times[child] += times[number]
        leaves += 0 if children else times[number]
        alone += times[number] if len(children) == 1 and len(pool.keys[children[0]]) == 1 else 0
    return Leaves(alone, leaves)
