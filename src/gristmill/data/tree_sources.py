"""Trees that live as Python objects, flattened into post-order lists for the forest builder.

Accepted are nested tuples and lists, nltk trees, Python syntax trees, XML and HTML elements, and arrays of parents.
Every walk keeps its own stack, so depth is bounded by memory only; a tree that is refused leaves the output as it was.
Cost: linear in the number of nodes written. A subtree that is shared is written once for each place it stands at.
"""

from __future__ import annotations

import ast
import operator
import re
import reprlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from numbers import Integral
from typing import Any, Literal, NamedTuple

Words = Literal["whole", "split"]
LONE_SURROGATE = re.compile("[\ud800-\udfff]")
END = object()


@dataclass
class PostOrder:
    """Trees one after the other, each ending at its root.

    Node k has the label `labels[k]`; its children are the last `children[k]` subtrees completed before it.
    """

    labels: list[str] = field(default_factory=list)
    children: list[int] = field(default_factory=list)


class Node(NamedTuple):
    """A node that stands in no source object, such as the name of a field or a word of a text."""

    label: Any
    children: Iterable[Any] = ()


Expand = Callable[[Any], Node]


@dataclass(slots=True)
class OpenNode:
    """A node of the current path. It holds the source object, whose id must not be used again meanwhile."""

    source: Any
    label: str
    unseen: Iterator[Any]
    n_seen: int = 0


def add_nested(out: PostOrder, tree: Any) -> None:
    """Append a tree of tuples or lists `(label, child, ...)`, where a str is a leaf, or an nltk tree.

    Examples
    --------
    >>> out = PostOrder()
    >>> add_nested(out, ("S", ("NP", "dogs"), ("VP", "bark")))
    >>> out.labels, out.children
    (['dogs', 'NP', 'bark', 'VP', 'S'], [0, 1, 0, 1, 2])
    """
    _append(out, tree, _expand_nested)


def add_ast(
    out: PostOrder, node: ast.AST, *, values: bool = True, fields: bool = False, contexts: bool = False
) -> None:
    """Append a Python syntax tree; labels are the names of the node types.

    Parameters
    ----------
    values : bool
        Whether identifiers and constants become leaves. Constants are written as in source text; None is left out.
    fields : bool
        Whether each field that holds something becomes a node of its own, labelled with the field's name.
    contexts : bool
        Whether to keep the Load, Store and Del nodes.
    """

    def expand(node: Any) -> Node:
        if not isinstance(node, ast.AST):
            raise ValueError(f"expected a node of Python's ast, got {_shown(node)}; use ast.parse for source text")
        held = [(name, _field_content(node, value, values, contexts)) for name, value in ast.iter_fields(node)]
        if fields:
            return Node(type(node).__name__, [Node(name, content) for name, content in held if content])
        return Node(type(node).__name__, [item for _, content in held for item in content])

    _append(out, node, expand)


def add_element(
    out: PostOrder,
    element: Any,
    *,
    text: bool = True,
    words: Words = "whole",
    attributes: bool = False,
    namespaces: bool = True,
) -> None:
    """Append an element of xml.etree or lxml; labels are the tags.

    Comments and processing instructions leave no trace: the text on their two sides is one text.

    Parameters
    ----------
    text : bool
        Whether texts that are not blank become leaves, with every run of white space as one space.
    words : {"whole", "split"}
        One leaf for the whole text between two tags, or one for each word.
    attributes : bool
        Whether attributes become nodes "@name" over their value, sorted by name. An empty value makes no leaf.
    namespaces : bool
        Whether names keep their "{uri}".
    """
    if words not in ("whole", "split"):
        raise ValueError(f"words must be 'whole' or 'split', got {_shown(words)}")

    def expand(element: Any) -> Node:
        _check_element(element)
        children = _attribute_nodes(element, namespaces) if attributes else []
        return Node(_name(element.tag, namespaces), children + _element_content(element, words if text else None))

    _append(out, element, expand)


def add_parents(out: PostOrder, labels: Sequence[str], parents: Sequence[int | None]) -> None:
    """Append a tree given as each node's label and the index of its parent; -1 or None marks the root.

    Children keep the order of their indices.
    """
    if isinstance(labels, str):
        raise ValueError(f"expected a list of labels, got the str {_shown(labels)}")
    if len(labels) != len(parents):
        raise ValueError(f"each node needs a label and a parent, got {len(labels)} labels and {len(parents)} parents")
    above = [_parent_index(parent, node, len(labels)) for node, parent in enumerate(parents)]
    roots = [node for node, parent in enumerate(above) if parent < 0]
    if len(roots) != 1:
        raise ValueError(
            f"a tree has one root, got {len(roots)} {_shown(roots)} among {len(labels)} nodes; "
            "mark one node with -1 or None and give every other node the index of its parent"
        )
    below: list[list[int]] = [[] for _ in above]
    for node, parent in enumerate(above):
        if parent >= 0:
            below[parent].append(node)
    _check_reached(above, below, roots[0])
    _append(out, roots[0], lambda node: Node(labels[node], below[node]))


def _append(out: PostOrder, root: Any, expand: Expand) -> None:
    done = PostOrder()
    path = [_open(root, expand)]
    on_path = {id(root)}
    while path:
        last = path[-1]
        child = next(last.unseen, END)
        if child is END:
            done.labels.append(last.label)
            done.children.append(last.n_seen)
            on_path.discard(id(last.source))
            path.pop()
            continue
        if id(child) in on_path:
            label = next(node.label for node in path if node.source is child)
            raise ValueError(f"the node {_shown(label)} contains itself; a tree has no cycles: take the link back out")
        last.n_seen += 1
        path.append(_open(child, expand))
        on_path.add(id(child))
    out.labels += done.labels
    out.children += done.children


def _open(source: Any, expand: Expand) -> OpenNode:
    label, children = source if isinstance(source, Node) else expand(source)
    return OpenNode(source, _checked_label(label), iter(children))


def _checked_label(label: Any) -> str:
    if isinstance(label, Integral):
        label = str(label)
    if not isinstance(label, str):
        raise ValueError(f"a label must be a str or an int, got {_shown(label)}; convert it with str() first")
    if not label:
        raise ValueError("a label must not be empty, got ''; give the node a name such as 'ROOT'")
    if LONE_SURROGATE.search(label):
        raise ValueError(
            f"a label must be valid Unicode, got {_shown(label)} with a lone surrogate; decode its bytes with "
            "the right encoding or with errors='replace'"
        )
    return label


def _shown(value: Any) -> str:
    return reprlib.repr(value)  # plain repr recurses into deep trees


def _expand_nested(tree: Any) -> Node:
    if isinstance(tree, str | Integral):
        return Node(tree)
    if not isinstance(tree, tuple | list):
        raise ValueError(f"expected a tree, (label, child, ...) or a str for a leaf, got {_shown(tree)}")
    nltk_label = getattr(tree, "label", None)
    if isinstance(tree, list) and callable(nltk_label):
        label = nltk_label()
        return Node(label if label is None else str(label), tree)
    if not tree or isinstance(tree[0], tuple | list):
        raise ValueError(f"a tree starts with its label, got {_shown(tree)}; write ('label', child, ...)")
    return Node(tree[0], tree[1:])


def _field_content(node: ast.AST, value: Any, values: bool, contexts: bool) -> list[Any]:
    content: list[Any] = []
    for item in value if isinstance(value, list) else [value]:
        if isinstance(item, ast.AST):
            if contexts or not isinstance(item, ast.expr_context):
                content.append(item)
        elif values and item is not None:
            verbatim = isinstance(item, str) and not isinstance(node, ast.Constant)
            label = item if verbatim else repr(item)
            content += [Node(label)] if label else []  # the tag of a bare `# type: ignore` is empty
    return content


def _check_element(element: Any) -> None:
    if not all(hasattr(element, part) for part in ("tag", "attrib", "text", "tail")):
        hint = "pass its getroot()" if hasattr(element, "getroot") else "use ElementTree.fromstring for source text"
        raise ValueError(f"expected an XML element, got {_shown(element)}; {hint}")
    if _is_remark(element):
        raise ValueError("expected an XML element, got a comment or instruction; pass the element around it")


def _is_remark(element: Any) -> bool:
    return callable(getattr(element, "tag", None))  # the tag is the function that makes comments or instructions


def _element_content(element: Any, words: Words | None) -> list[Any]:
    content: list[Any] = []
    text = _text(element.text)
    for child in element:
        if not _is_remark(child):
            content += [*_text_leaves(text, words), child]
            text = ""
        text += _text(getattr(child, "tail", None))
    return content + _text_leaves(text, words)


def _text(text: Any) -> str:
    if text is not None and not isinstance(text, str):
        raise ValueError(f"the text of an element must be a str or None, got {_shown(text)}")
    return text or ""


def _text_leaves(text: str, words: Words | None) -> list[Node]:
    parts = text.split() if words else []
    return [Node(" ".join(parts))] if parts and words == "whole" else [Node(part) for part in parts]


def _attribute_nodes(element: Any, namespaces: bool) -> list[Any]:
    named = [(_name(name, namespaces), value) for name, value in element.attrib.items()]
    named.sort(key=operator.itemgetter(0))
    return [Node(f"@{name}", [] if value == "" else [Node(value)]) for name, value in named]


def _name(source: Any, namespaces: bool) -> str:
    name = _checked_label(getattr(source, "text", source))  # a QName holds its name in .text
    return name if namespaces or not name.startswith("{") else name.rpartition("}")[2]


def _parent_index(parent: Any, node: int, size: int) -> int:
    if parent is None:
        return -1
    try:
        index = operator.index(parent)
    except TypeError:
        raise ValueError(f"the parent of node {node} must be an int or None, got {_shown(parent)}") from None
    if not -1 <= index < size:
        raise ValueError(f"the parent of node {node} must lie in 0..{size - 1}, or be -1 for the root, got {index}")
    return index


def _check_reached(above: list[int], below: list[list[int]], root: int) -> None:
    reached, pending = {root}, [root]
    while pending:
        children = below[pending.pop()]
        reached.update(children)
        pending += children
    node = next((node for node in range(len(above)) if node not in reached), None)
    if node is not None:
        raise ValueError(f"node {node} hangs on a cycle of parents; a tree has none: let it lead to the root {root}")
