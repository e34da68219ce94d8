"""Forest: all trees of a data set as one graph in which equal subtrees are one node."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from gristmill import _core
from gristmill.base.arrays import Floats, Indices, Int64s, Uint32s
from gristmill.base.progress import Progress
from gristmill.base.warnings import UnmarkedTreesWarning, outside
from gristmill.data import tree_sources
from gristmill.data.tree_sources import PostOrder

_UNMARKED = (
    "the kernel counts fragments with a marked node, and no node of these trees is marked: it is 0 for all of them. "
    "NP*1 is NP with mark 1, read by gm.Forest.from_strings(trees, marks=True) and gm.read_trees; commands read it by "
    "themselves for such a kernel; gristmill.data.relations.mark sets marks"
)


class Forest:
    """Trees: a one-dimensional array of them that slices, grows and gives bracketed strings.

    Equal subtrees of all trees are stored once. Slices share the store with the forest they were taken from, so they
    cost nothing, and `extend` on one never changes another.

    Make one with `from_strings`, `from_nested`, `from_ast`, `from_xml`, `from_parents` or `from_sequences`; read files
    with `gristmill.read_trees`.

    Examples
    --------
    >>> import gristmill as gm
    >>> forest = gm.Forest.from_strings(["(S (NP (D the) (N dog)) (VP barks))", "(S (NP (D the) (N cat)) (VP sleeps))"])
    >>> len(forest), forest.n_subtrees
    (2, 14)
    >>> list(forest[1:])
    ['(S (NP (D the) (N cat)) (VP sleeps))']
    """

    kind: ClassVar[str] = "forest"
    noun: ClassVar[str] = "tree"

    def __init__(
        self, store: _core.Forest | None = None, roots: Uint32s | None = None, reading: Mapping[str, Any] | None = None
    ) -> None:
        self._store = _core.Forest() if store is None else store
        self._roots: Uint32s = np.empty(0, dtype=np.uint32) if roots is None else roots
        self._reading = dict(reading or {})  # how strings that are appended are read
        self._is_checked_for_marks = False  # by a kernel that needs them
        self._known_marks: tuple[Uint32s, bool] | None = None  # whether the trees with these roots have any
        self._known_numbers: tuple[Uint32s, Hashable, Floats] | None = None  # of these roots, as `per_tree` found them

    # --- making one ---------------------------------------------------------------------------------------------------

    @classmethod
    def from_strings(
        cls,
        strings: Iterable[str],
        *,
        marks: bool = False,
        quoted: bool = False,
        traces: bool = True,
        functions: bool = True,
        lowercase: bool = False,
        progress: Progress | None = None,
    ) -> Forest:
        r"""Parse bracketed trees, ``(S (NP (D the) (N dog)) (VP barks))``, one a string.

        A word without brackets is a leaf, and so is ``(word)``. The empty outer bracket of the Penn Treebank,
        ``( (S ...))``, is taken off. A backslash makes a bracket, white space or backslash behind it part of a label.

        Parameters
        ----------
        strings : iterable of str
        marks : bool
            ``NP*1`` is the label NP with mark 1 (any ``*k``), for the marked kernels. False: '*' is an ordinary
            character.
        quoted : bool
            Labels may stand in double quotes, with ``\"`` and ``\\`` inside. False: '"' is an ordinary character.
        traces : bool
            False removes -NONE- nodes, and what is empty without them.
        functions : bool
            False cuts the labels of inner nodes before the first '-' or '=' behind their first character: NP-SBJ-1
            becomes NP.
        lowercase : bool
            Leaves in lower case.
        progress : callable or None
            Called with (trees done, trees in all).

        Raises
        ------
        FormatError
            With the number of the tree, the line and the column.
        """
        texts = _strings(strings)
        reading = {"marks": marks, "quoted": quoted, "traces": traces, "functions": functions, "lowercase": lowercase}
        return cls.parsed(lambda store, options: store.parse_strings(texts, options, progress), **reading)

    @classmethod
    def from_nested(cls, trees: Iterable[Any], *, marks: bool = False) -> Forest:
        """Trees as nested tuples or lists, ``("S", ("NP", "dog"))``, or as nltk.Tree objects. A str is a leaf."""
        return cls._from(trees, tree_sources.add_nested, marks)

    @classmethod
    def from_ast(
        cls, nodes: Iterable[Any], *, values: bool = True, fields: bool = False, contexts: bool = False
    ) -> Forest:
        """Python syntax trees as the `ast` module gives them.

        Parameters
        ----------
        nodes : iterable of ast.AST
        values : bool
            Identifiers and constants become leaves.
        fields : bool
            Names of fields become nodes above what they hold.
        contexts : bool
            Keep Load, Store and Del.
        """
        return cls._from(nodes, partial(tree_sources.add_ast, values=values, fields=fields, contexts=contexts))

    @classmethod
    def from_xml(
        cls,
        elements: Iterable[Any],
        *,
        text: bool = True,
        words: str = "whole",
        attributes: bool = False,
        namespaces: bool = True,
    ) -> Forest:
        """XML or HTML elements as ElementTree (or lxml) gives them.

        Parameters
        ----------
        elements : iterable of Element
        text : bool
            Text that is not blank becomes leaves.
        words : {'whole', 'split'}
            A leaf for a whole text, or one for each word.
        attributes : bool
            Attributes become children ``@name``, each with its value as a leaf.
        namespaces : bool
            False strips ``{uri}`` from tags and attributes.
        """
        how: dict[str, Any] = {"text": text, "words": words, "attributes": attributes, "namespaces": namespaces}
        return cls._from(elements, partial(tree_sources.add_element, **how))

    @classmethod
    def from_parents(
        cls, labels: Iterable[Sequence[Any]], parents: Iterable[Sequence[int | None]], *, marks: bool = False
    ) -> Forest:
        """Trees as arrays: for each tree the labels of its nodes and the positions of their parents, -1 for the root.

        Siblings stand in the order of their positions; dependency trees come like this.
        """
        left, right = list(labels), list(parents)
        if len(left) != len(right):
            raise ValueError(f"expected labels and parents for each tree, got {len(left)} and {len(right)} lists")
        return cls._from(zip(left, right, strict=True), lambda out, pair: tree_sources.add_parents(out, *pair), marks)

    @classmethod
    def from_sequences(cls, sequences: Iterable[Iterable[Any]]) -> Forest:
        """Sequences of symbols, each a tree of one level, for `SubsequenceKernel`. A str is a sequence of letters."""
        return cls._from(sequences, lambda out, symbols: tree_sources.add_nested(out, ("sequence", *symbols)))

    @classmethod
    def _from(cls, items: Iterable[Any], add: Callable[[PostOrder, Any], None], marks: bool = False) -> Forest:
        if isinstance(items, str):
            raise ValueError("expected a list of trees, got a single string")
        forest, roots = cls._empty({"marks": marks}), []
        for number, item in enumerate(items):
            out = PostOrder()
            try:
                add(out, item)
                roots.append(forest._store.add_post_order(out.labels, np.asarray(out.children, dtype=np.int64), marks))
            except ValueError as error:
                raise ValueError(f"tree {number}: {error}") from error
        forest._roots = np.concatenate([forest._roots, *roots])
        return forest

    @classmethod
    def parsed(cls, parse: Callable[[_core.Forest, _core.BracketOptions], Uint32s], **reading: Any) -> Forest:
        """The trees that a function parses into a store; `reading` are the options of `from_strings`."""
        how = {"marks": False, "quoted": False, "traces": True, "functions": True, "lowercase": False} | reading
        forest = cls._empty()
        options = _core.BracketOptions(bool(how["marks"]), how["quoted"], how["traces"], how["functions"])
        forest._roots = parse(forest._store, options)
        if how["lowercase"]:
            forest = forest.relabelled(leaves=str.lower)
        forest._reading = how
        return forest

    @classmethod
    def _empty(cls, reading: Mapping[str, Any] | None = None) -> Forest:
        """For trees that are going to be read."""
        return cls(reading=reading)

    # --- an array of trees --------------------------------------------------------------------------------------------

    def __len__(self) -> int:
        return len(self._roots)

    @property
    def shape(self) -> tuple[int]:
        return (len(self._roots),)

    @property
    def ndim(self) -> int:
        return 1

    def __getitem__(self, which: Any) -> Any:
        """A tree as a string for a number; for a slice, numbers or a mask a Forest of those trees."""
        if isinstance(which, tuple) and len(which) == 2 and which[1] is Ellipsis:  # scikit-learn indexes so
            which = which[0]
        if isinstance(which, list) and not which:
            which = slice(0, 0)
        roots = self._roots[which]
        if np.ndim(roots) == 0:
            return self._store.to_strings(np.atleast_1d(roots))[0]
        if np.ndim(roots) != 1:
            raise IndexError(f"a forest has one dimension; cannot take {which!r}")
        some = Forest(self._store, np.ascontiguousarray(roots), self._reading)
        some._is_checked_for_marks = self._is_checked_for_marks
        return some

    def take(self, numbers: Indices) -> Forest:
        """The trees with these numbers, in this order."""
        found: Forest = self[numbers]
        return found

    def copy(self) -> Forest:
        """The same trees, to which others may be added without changing these."""
        found: Forest = self[:]
        return found

    def __iter__(self) -> Iterator[str]:
        block = 1024
        for begin in range(0, len(self), block):
            yield from self._store.to_strings(self._roots[begin : begin + block])

    def __eq__(self, other: object) -> bool:
        """The same trees in the same order."""
        if not isinstance(other, Forest):
            return NotImplemented
        if other._store is self._store:
            return np.array_equal(self._roots, other._roots)
        return all(np.array_equal(a, b) for a, b in zip(self.flat(), other.flat(), strict=True))

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Forest({len(self)} trees, {self.n_subtrees} different subtrees)"

    def _repr_html_(self) -> str:
        """The first trees drawn, as far as a notebook has room for them."""
        from gristmill.data.forest_view import forest_picture

        return forest_picture(self)

    def extend(self, trees: Forest | Iterable[str], **reading: Any) -> None:
        """Append trees: a Forest, or bracketed strings.

        Strings are read as those the forest was made of, unless options of `from_strings` say otherwise. Either all of
        them are appended or, with an error, none.
        """
        if not isinstance(trees, Forest):
            trees = Forest.from_strings(trees, **(self._reading | reading))
        elif reading:
            raise ValueError("a Forest has been read already; it takes no options")
        added = trees._roots if trees._store is self._store else self._store.unflatten(*trees.flat())
        self._roots = np.concatenate([self._roots, added])
        self._is_checked_for_marks = False

    def __add__(self, other: Forest) -> Forest:
        """The trees of both, one after the other, in a new Forest.

        Examples
        --------
        >>> import gristmill as gm
        >>> train, dev = gm.Forest.from_strings(["(S a)", "(S b)"]), gm.Forest.from_strings(["(S c)"])
        >>> both = train + dev
        >>> list(both[len(train) :])
        ['(S c)']
        """
        if not isinstance(other, Forest):
            return NotImplemented
        both = Forest(self._store, self._roots, self._reading)
        both.extend(other)
        return both

    # --- what is in it ------------------------------------------------------------------------------------------------

    def flat(self) -> tuple[Any, ...]:
        """Plain arrays: symbols (texts, ends, marks), nodes (ends, label and children of each) and roots."""
        return self._store.flatten(self._roots)

    @classmethod
    def from_flat(cls, *arrays: Any) -> Forest:
        """The forest in the arrays of `flat`; ValueError for any others."""
        forest = cls._empty()
        forest._roots = forest._store.unflatten(*arrays)
        return forest

    @property
    def n_subtrees(self) -> int:
        """Different subtrees of all trees."""
        return self._store.count_subtrees(self._roots)

    @property
    def has_marks(self) -> bool:
        """Whether any node of any tree is marked."""
        if self._known_marks is None or self._known_marks[0] is not self._roots:
            self._known_marks = self._roots, self._finds_marks()
        return self._known_marks[1]

    def _finds_marks(self) -> bool:
        """Marked trees say so at once, others are all looked at."""
        begin, size = 0, 1
        while begin < len(self):
            if np.any(self._store.flatten(self._roots[begin : begin + size])[2]):
                return True
            begin, size = begin + size, 8 * size
        return False

    def per_tree(self, what: Hashable, find: Callable[[], Floats]) -> Floats:
        """A number for each tree, found once as long as nothing else is asked for: a diagonal is needed often."""
        known = self._known_numbers
        if known is None or known[0] is not self._roots or known[1] != what:
            self._known_numbers = known = self._roots, what, find()
        return known[2].copy()

    def checked_for_marks(self) -> Forest:
        """The same trees, with a warning where none of them is marked.

        For kernels that count fragments with a marked node. What is returned, and slices of it, have been checked, so
        that there is one warning however many parts of a fit take these trees.
        """
        if self._is_checked_for_marks:
            return self
        if len(self) and not self.has_marks:
            warnings.warn(_UNMARKED, UnmarkedTreesWarning, stacklevel=outside())
        checked: Forest = self[:]
        checked._is_checked_for_marks = True
        return checked

    def check_unfolding(self) -> None:
        """ValueError, with the number of the largest tree, where the trees have too many nodes to be taken one by one.

        Equal subtrees are stored once, so a file of a kilobyte may hold a tree of a thousand million nodes. Kernels and
        scores do not mind; what looks at every node asks here first.
        """
        self._store.check_unfolding(self._roots)

    def sizes(self) -> tuple[NDArray[np.uint64], NDArray[np.uint64], NDArray[np.uint64]]:
        """(nodes, leaves, levels) of each tree."""
        return self._store.shapes(self._roots)

    def relabelled(
        self, leaves: Callable[[str], str] | None = None, nodes: Callable[[str], str] | None = None
    ) -> Forest:
        """The same trees with other labels: a function for those of leaves, one for those of inner nodes."""
        texts, text_ends, marks, node_ends, values, roots = self.flat()
        starts = np.concatenate([[0], node_ends])[:-1].astype(np.int64)
        labels = decoded_labels(texts, text_ends)
        is_leaf = node_ends - starts == 1
        mapped = [change(label) if change else label for change in (leaves, nodes) for label in labels]
        for label in mapped:
            if not isinstance(label, str) or not label:
                raise ValueError(f"a label must be a string that is not empty, got {label!r}")
        values = values.copy()
        values[starts] += np.where(is_leaf, 0, len(labels)).astype(np.uint32)
        changed = Forest.from_flat(*_encoded(mapped), np.tile(marks, 2), node_ends, values, roots)
        changed._reading = dict(self._reading)
        return changed

    def with_tags(self, tags: Iterable[Sequence[str]]) -> Forest:
        """The same trees with a node above every leaf: for each tree the tags of its leaves, in order.

        Examples
        --------
        >>> import gristmill as gm
        >>> list(gm.Forest.from_strings(["(NP the dog)"]).with_tags([["D", "N"]]))
        ['(NP (D the) (N dog))']
        """
        every = [list(above) for above in tags]
        if len(every) != len(self):
            raise ValueError(f"expected tags for each of {len(self)} trees, got {len(every)}")
        texts, text_ends, marks, node_ends, values, roots = self.flat()
        symbols = decoded_labels(texts, text_ends)
        names = sorted({_checked_tag(tag, number) for number, above in enumerate(every) for tag in above})
        places = {tag: len(symbols) + at for at, tag in enumerate(names)}
        starts, nodes = np.concatenate([[0], node_ends]).tolist(), values.tolist()
        made: list[list[int]] = []
        tops = [
            _tag_tree(starts, nodes, root, [places[tag] for tag in above], number, made)
            for number, (root, above) in enumerate(zip(roots.tolist(), every, strict=True))
        ]
        tagged = Forest.from_flat(
            *_encoded([*symbols, *names]),
            np.concatenate([marks, np.zeros(len(names), dtype=np.uint32)]),
            np.cumsum([len(node) for node in made], dtype=np.int64),
            np.array([part for node in made for part in node], dtype=np.uint32),
            np.array(tops, dtype=np.uint32),
        )
        tagged._reading = dict(self._reading)
        return tagged

    def indexed(self) -> _core.IndexedForest:
        """The different subtrees by label and production, as kernels use them."""
        return _core.IndexedForest(self._store, self._roots)

    def __reduce__(self) -> Any:
        return _rebuild, (self.flat(), self._reading, self._is_checked_for_marks)


def _rebuild(arrays: tuple[Any, ...], reading: Mapping[str, Any], is_checked: bool = False) -> Forest:
    forest = Forest.from_flat(*arrays)
    forest._reading = dict(reading)
    forest._is_checked_for_marks = is_checked
    return forest


def compared_trees(X: Any, *, marked: bool) -> Forest:
    """Trees for a kernel; a marked kernel reads marks, and there is a warning if no tree has any."""
    forest = as_forest(X, marks=marked)
    return forest.checked_for_marks() if marked else forest


def as_forest(X: Any, *, marks: bool = False) -> Forest:
    """A Forest, or what can be made one: bracketed strings, nested tuples, nltk trees.

    With marks, a forest that was read before marks were known to matter (`undecided`) is read again.
    """
    if isinstance(X, Forest):
        is_open = marks and X._reading.get("marks", False) is None
        return Forest.from_strings(X, marks=True) if is_open else X
    if isinstance(X, str | bytes):
        raise ValueError(f"expected trees, got a single {type(X).__name__}; wrap it in a list")
    try:
        items = list(X)
    except TypeError as error:
        raise ValueError(f"expected a Forest or a list of bracketed strings, got {type(X).__name__}") from error
    if all(isinstance(item, str) for item in items):
        return Forest.from_strings(items, marks=marks)
    if any(isinstance(item, str) or not isinstance(item, list | tuple) for item in items):
        kinds = sorted({type(item).__name__ for item in items})
        raise ValueError(f"expected a Forest or a list of bracketed strings or nested tuples, got {', '.join(kinds)}")
    return Forest.from_nested(items, marks=marks)


def undecided(X: Any) -> Forest:
    """`as_forest` before it is known whether a kernel reads marks."""
    forest = as_forest(X)
    forest._reading["marks"] = None
    return forest


def _strings(strings: Iterable[str]) -> tuple[str, ...]:
    if isinstance(strings, str | bytes):
        raise ValueError(f"expected a list of strings, got a single {type(strings).__name__}; wrap it in a list")
    texts = tuple(strings)
    for number, text in enumerate(texts):
        if not isinstance(text, str):
            raise ValueError(f"tree {number}: expected a string, got {type(text).__name__}")
        if not text.isascii():
            try:
                text.encode()
            except UnicodeEncodeError as error:
                raise ValueError(f"tree {number}: a lone surrogate is no Unicode character: {error}") from error
    return tuple(map(str, texts))


def decoded_labels(texts: bytes, ends: Int64s) -> list[str]:
    """The labels of the symbols of `Forest.flat`."""
    bounds = [0, *ends.tolist()]
    return [texts[begin:end].decode() for begin, end in itertools.pairwise(bounds)]


def _encoded(labels: list[str]) -> tuple[bytes, Int64s]:
    encoded = [label.encode() for label in labels]
    return b"".join(encoded), np.cumsum([len(label) for label in encoded], dtype=np.int64)


def _checked_tag(tag: Any, number: int) -> str:
    if not isinstance(tag, str) or not tag:
        raise ValueError(f"tree {number}: a tag must be a label, a string that is not empty, got {tag!r}")
    return tag


def _tag_tree(
    starts: list[int], nodes: list[int], root: int, tags: list[int], number: int, made: list[list[int]]
) -> int:
    """Appends the nodes of one tree, with a tag above every leaf; returns the number of its root."""
    done: list[int] = []  # finished subtrees
    waiting = iter(tags)
    stack = [(root, False)]
    while stack:
        node, is_done = stack.pop()
        label, *children = nodes[starts[node] : starts[node + 1]]
        if children and not is_done:
            stack.append((node, True))
            stack.extend((child, False) for child in reversed(children))
            continue
        made.append([label, *done[len(done) - len(children) :]])
        del done[len(done) - len(children) :]
        done.append(len(made) - 1)
        if not children:
            tag = next(waiting, None)
            if tag is None:
                raise ValueError(f"tree {number} has more leaves than tags ({len(tags)})")
            made.append([tag, done.pop()])
            done.append(len(made) - 1)
    if next(waiting, None) is not None:
        raise ValueError(f"tree {number} has fewer leaves than tags ({len(tags)})")
    return done[0]
