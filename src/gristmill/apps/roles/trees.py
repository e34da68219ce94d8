"""Trees that say themselves what is a predicate and what its arguments are.

In: a mark on each predicate, `(VBD*1 saw)`. Out: a tree for each predicate, with a node above it and above each of its
arguments, `(S (*ARG0 (NP ...)) (VP (*V (VBD saw)) (*ARG1 (NP ...))))`, behind document, sentence and roleset.

A predicate of several tokens has its node above all of them, if there is one and the first is its token; if not, above
the token, and the others are lost.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from gristmill.apps.roles.nodes import RoleTrees
from gristmill.base.errors import FormatError, refusing
from gristmill.base.files import PathLike, read_bytes, write_bytes
from gristmill.data.forest import Forest
from gristmill.data.formats.bracketed import parse_trees
from gristmill.data.formats.kinds import PROPOSITIONS, TREES
from gristmill.data.formats.propbank import (
    PREDICATE,
    Argument,
    Name,
    Proposition,
    Sentences,
    checked_propositions,
    parse_propositions,
)
from gristmill.data.formats.reading import reading
from gristmill.data.relations import TreeView, insert_above, tree_views, unmarked, without_nodes
from gristmill.data.relations.subtree_pool import SubtreePool

_SIGN = "*"  # before roles: no inner node of a treebank begins with it
_BETWEEN = "|"  # roles that one node plays


def marked_predicates(sentences: Sentences) -> tuple[Sentences, list[Proposition]]:
    """The sentences without marks, and their predicates: each token that had one, or a node above it alone.

    Examples
    --------
    >>> import gristmill as gm
    >>> from gristmill.apps.roles import Sentences, marked_predicates
    >>> trees = gm.Forest.from_strings(["(S (NP dogs) (VP (VB*1 bark)))"], marks=True)
    >>> sentences, (bark,) = marked_predicates(Sentences(trees))
    >>> bark.sentence, bark.token, list(sentences.trees)
    (('-', '0'), 1, ['(S (NP dogs) (VP (VB bark)))'])
    """
    found = [
        Proposition(sentences.names[number], token)
        for number, outline in enumerate(tree_views(sentences.trees))
        for token in _marked_tokens(outline, number, sentences.names[number])
    ]
    return Sentences(unmarked(sentences.trees), sentences.names), found


def labelled_trees(sentences: Sentences, propositions: Sequence[Proposition]) -> Forest:
    """A tree for each proposition, with nodes above its predicate and above those arguments that have a node."""
    trees = RoleTrees(sentences, lowercase=False, words=None)
    _check_roles(propositions)
    _check_nodes(trees.subtree_pool)
    return insert_above(sentences.trees, (_labels(trees, proposition) for proposition in propositions))


def write_labelled_trees(path: PathLike, sentences: Sentences, propositions: Iterable[Proposition]) -> None:
    """Write the trees of propositions, whole or not at all: ``document<TAB>sentence<TAB>roleset<TAB>(tree)``."""
    listed = checked_propositions(propositions)
    rows = zip(listed, labelled_trees(sentences, listed), strict=True)
    lines = ("\t".join([*proposition.sentence, proposition.roleset, tree]) for proposition, tree in rows)
    write_bytes(path, "".join(f"{line}\n" for line in lines).encode())


def read_labelled_trees(path: PathLike) -> tuple[Sentences, list[Proposition]]:
    """The sentences and propositions of such trees; FormatError for others."""
    with reading(path, TREES) as looked:
        return _parse_labelled(looked.content(read_bytes(path)))


def read_labelled(path: PathLike) -> list[Proposition]:
    """Propositions, from a file of spans or from one of labelled trees, whichever it is."""
    with reading(path, PROPOSITIONS, TREES) as looked:
        data = looked.content(read_bytes(path))
        first = next((line for line in data.split(b"\n") if line.strip()), b"")
        return _parse_labelled(data)[1] if b"(" in first else parse_propositions(data)


def _parse_labelled(data: bytes) -> tuple[Sentences, list[Proposition]]:
    found = parse_trees(data, equal_columns=True)
    if len(found.forest) and len(found.columns[0]) != 3:
        raise FormatError("expected document, sentence and roleset before each tree, with tabs between", line=1)
    forest, kept = without_nodes(found.forest, _is_role), dict[Name, int]()
    propositions: list[Proposition] = []
    for number, (outline, columns) in enumerate(zip(tree_views(found.forest), found.columns, strict=True)):
        document, sentence, roleset = columns
        first = kept.setdefault((document, sentence), number)
        if forest[first] != forest[number]:
            raise FormatError(f"tree {number} is another one of sentence {document} {sentence} than tree {first}")
        propositions.append(_proposition(outline, (document, sentence), roleset, number))
    with refusing():
        checked_propositions(propositions)
    return Sentences(forest[list(kept.values())], list(kept)), propositions


def _marked_tokens(outline: TreeView, number: int, name: Name) -> list[int]:
    found = dict[int, None]()
    for node, mark in enumerate(outline.marks):
        first, last = outline.spans[node]
        if mark and first != last:
            where = f"tree {number}, counted from 0, sentence {' '.join(name)!r}"
            tokens = f"{outline.labels[node]}*{mark} has {last - first + 1} tokens"
            raise ValueError(f"{where}: {tokens}; put the mark on the predicate itself, as on the tag of the verb")
        if mark:
            found[first] = None
    return list(found)


def _check_roles(propositions: Iterable[Proposition]) -> None:
    for proposition in propositions:
        for argument in proposition.arguments:
            if _BETWEEN in argument.role:
                where = f"sentence {' '.join(proposition.sentence)!r}, token {proposition.token}"
                raise ValueError(f"{where}: in trees, {_BETWEEN!r} stands between roles, got {argument.role!r}")


def _check_nodes(pool: SubtreePool) -> None:
    for symbol, *children in pool.keys:
        if children and _is_role(pool.spelled[symbol][0]):
            raise ValueError(f"a node {pool.spelled[symbol][0]!r} of the trees looks like that of a role")


def _labels(trees: RoleTrees, proposition: Proposition) -> tuple[int, dict[int, str]]:
    tree = trees.tree_of(proposition)
    outline = trees.subtree_pool.view(tree)
    roles: dict[int, list[str]] = {_predicate_node(trees, outline, proposition): [PREDICATE]}
    for first, last, role in proposition.arguments:
        node = outline.covering(first, last)
        if node is not None:
            roles.setdefault(node, []).append(role)
    return tree, {node: _SIGN + _BETWEEN.join(names) for node, names in roles.items()}


def _predicate_node(trees: RoleTrees, outline: TreeView, proposition: Proposition) -> int:
    """The reader takes the first token for the one that names the predicate, so it must be that."""
    span = proposition.predicate
    node = outline.covering(*span) if span is not None and span[0] == proposition.token else None
    return trees.tag(outline, proposition.token) if node is None else node


def _is_role(label: str) -> bool:
    return label.startswith(_SIGN) and label != _SIGN


def _proposition(outline: TreeView, name: Name, roleset: str, number: int) -> Proposition:
    found = list(_arguments(outline))
    own = [(first, last) for first, last, role in found if role == PREDICATE]
    if len(own) != 1:
        expected = f"one node {_SIGN}{PREDICATE}, the predicate"
        raise FormatError(f"tree {number}, counted from 0: expected {expected}, got {len(own)}")
    arguments = tuple(sorted(one for one in found if one.role != PREDICATE))
    return Proposition(name, own[0][0], roleset, arguments, own[0])


def _arguments(outline: TreeView) -> Iterator[Argument]:
    for node, label in enumerate(outline.labels):
        if outline.begins[node] != node and _is_role(label):
            for role in label.removeprefix(_SIGN).split(_BETWEEN):
                yield Argument(*outline.spans[node], role)
