"""Trees that say themselves what is a predicate and what its arguments are.

In: a mark on each predicate, `(VBD*1 saw)`. Out: a tree for each predicate, with a node above it and above each of its
arguments, `(S (*ARG0 (NP ...)) (VP (*V (VBD saw)) (*ARG1 (NP ...))))`, behind document, sentence and roleset.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from gristmill.apps.role_nodes import RoleTrees
from gristmill.errors import FormatError, naming
from gristmill.files import PathLike, display_name, read_bytes, write_bytes
from gristmill.forest import Forest
from gristmill.formats.bracketed import is_tree_file, parse_trees
from gristmill.formats.propbank import PREDICATE, Argument, Name, Proposition, Sentences, parse_propositions
from gristmill.relations import Outline, insert_above, marked_nodes, outlines, unmarked, without_nodes

_SIGN = "*"  # before roles: no inner node of a treebank begins with it
_BETWEEN = "|"  # roles that one node plays


def marked_predicates(sentences: Sentences) -> tuple[Sentences, list[Proposition]]:
    """The sentences without marks, and their predicates: each node that had one, whatever it was.

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
        Proposition(name, _only_token(outline, node, name))
        for name, outline, marks in zip(
            sentences.names, outlines(sentences.trees), marked_nodes(sentences.trees), strict=True
        )
        for node in marks
    ]
    return Sentences(unmarked(sentences.trees), sentences.names), found


def labelled_trees(sentences: Sentences, propositions: Sequence[Proposition]) -> Forest:
    """A tree for each proposition, with nodes above its predicate and above those arguments that have a node."""
    trees = RoleTrees(sentences, lowercase=False, words=None)
    return insert_above(sentences.trees, (_labels(trees, proposition) for proposition in propositions))


def write_labelled_trees(path: PathLike, sentences: Sentences, propositions: Iterable[Proposition]) -> None:
    """Write the trees of propositions, whole or not at all: ``document<TAB>sentence<TAB>roleset<TAB>(tree)``."""
    listed = list(propositions)
    rows = zip(listed, labelled_trees(sentences, listed), strict=True)
    lines = ("\t".join([*proposition.sentence, proposition.roleset, tree]) for proposition, tree in rows)
    write_bytes(path, "".join(f"{line}\n" for line in lines).encode())


def read_labelled_trees(path: PathLike) -> tuple[Sentences, list[Proposition]]:
    """The sentences and propositions of such trees; FormatError for others."""
    with naming(display_name(path)):
        return _parse_labelled(read_bytes(path))


def read_labelled(path: PathLike) -> list[Proposition]:
    """Propositions, from a file of spans or from one of labelled trees, whichever it is."""
    with naming(display_name(path)):
        data = read_bytes(path)
        return _parse_labelled(data)[1] if is_tree_file(data) else parse_propositions(data)


def _parse_labelled(data: bytes) -> tuple[Sentences, list[Proposition]]:
    found = parse_trees(data, equal_columns=True)
    if len(found.forest) and len(found.columns[0]) != 3:
        raise FormatError("expected document, sentence and roleset before each tree, with tabs between", line=1)
    forest, kept = without_nodes(found.forest, _is_role), dict[Name, int]()
    propositions: list[Proposition] = []
    for number, (outline, columns) in enumerate(zip(outlines(found.forest), found.columns, strict=True)):
        document, sentence, roleset = columns
        first = kept.setdefault((document, sentence), number)
        if forest[first] != forest[number]:
            raise FormatError(f"tree {number} is another one of sentence {document} {sentence} than tree {first}")
        propositions.append(_proposition(outline, (document, sentence), roleset, number))
    return Sentences(forest[list(kept.values())], list(kept)), propositions


def _only_token(outline: Outline, node: int, name: Name) -> int:
    first, last = outline.spans[node]
    if first != last:
        raise ValueError(f"sentence {' '.join(name)!r}: {outline.labels[node]} has a mark but is no single token")
    return first


def _labels(trees: RoleTrees, proposition: Proposition) -> tuple[int, dict[int, str]]:
    tree = trees.tree_of(proposition)
    outline = trees.grove.outline(tree)
    roles: dict[int, list[str]] = {trees.tag(outline, proposition.token): [PREDICATE]}
    for first, last, role in proposition.arguments:
        node = outline.covering(first, last)
        if node is not None:
            roles.setdefault(node, []).append(role)
    return tree, {node: _SIGN + _BETWEEN.join(names) for node, names in roles.items()}


def _is_role(label: str) -> bool:
    return label.startswith(_SIGN) and label != _SIGN


def _proposition(outline: Outline, name: Name, roleset: str, number: int) -> Proposition:
    found = list(_arguments(outline))
    tokens = [first for first, _, role in found if role == PREDICATE]
    if len(tokens) != 1:
        wanted = f"one node {_SIGN}{PREDICATE}, the predicate"
        raise FormatError(f"tree {number}, counted from 0: expected {wanted}, got {len(tokens)}")
    return Proposition(name, tokens[0], roleset, tuple(sorted(one for one in found if one.role != PREDICATE)))


def _arguments(outline: Outline) -> Iterator[Argument]:
    for node, label in enumerate(outline.labels):
        if outline.begins[node] != node and _is_role(label):
            for role in label.removeprefix(_SIGN).split(_BETWEEN):
                yield Argument(*outline.spans[node], role)
