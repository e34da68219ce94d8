"""Trees as Python objects: every source becomes the post-order it stands for, and nothing that is no tree gets in."""

from __future__ import annotations

import ast
import enum
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gristmill.tree_sources import PostOrder, add_ast, add_element, add_nested, add_parents

DEPTH = 100_000
WIDTH = 10_000

LABELS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=5)
TREES = st.recursive(
    st.tuples(LABELS), lambda inner: st.builds(lambda label, kids: (label, *kids), LABELS, st.lists(inner, max_size=4))
)


def trees_of(out):
    """The trees as tuples, each (label, child, ...) down to the leaves (label,)."""
    assert len(out.labels) == len(out.children)
    done = []
    for label, count in zip(out.labels, out.children, strict=True):
        first = len(done) - count
        assert first >= 0
        done[first:] = [(label, *done[first:])]
    return done


def tree_of(add, *source, **options):
    out = PostOrder()
    assert add(out, *source, **options) is None
    (tree,) = trees_of(out)
    return tree


def brackets(add, *source, **options):
    return bracketed(tree_of(add, *source, **options))


def bracketed(tree):
    label, *children = tree
    return f"({label} {' '.join(map(bracketed, children))})" if children else label


def nested(tree):
    return tree_of(add_nested, tree)


def syntax(source, **options):
    return brackets(add_ast, ast.parse(source).body[0], **options)


def xml(source, **options):
    return brackets(add_element, ET.fromstring(source), **options)


def with_remarks(source):
    builder = ET.TreeBuilder(insert_comments=True, insert_pis=True)
    return ET.fromstring(source, parser=ET.XMLParser(target=builder))


def lists_of(tree):
    return [tree[0], *map(lists_of, tree[1:])]


def bare_leaves(tree):
    return (tree[0], *map(bare_leaves, tree[1:])) if len(tree) > 1 else tree[0]


class NltkTree(list):
    """What nltk.Tree shows of itself: a list of children with a label method."""

    def __init__(self, label, children):
        super().__init__(children)
        self._label = label

    def label(self):
        return self._label


class NltkParentedTree(NltkTree):
    def __init__(self, label, children):
        super().__init__(label, children)
        self._parent = None
        for child in self:
            if isinstance(child, NltkParentedTree):
                child._parent = self


class Nonterminal:
    def __init__(self, symbol):
        self._symbol = symbol

    def __str__(self):
        return self._symbol


def nltk_of(tree, kind):
    return kind(tree[0], [nltk_of(child, kind) if len(child) > 1 else child[0] for child in tree[1:]])


def parents_of(tree):
    """The tree in pre-order, as labels and parents."""
    labels, parents, pending = [], [], [(tree, None)]
    while pending:
        (label, *children), parent = pending.pop()
        pending += [(child, len(labels)) for child in reversed(children)]
        labels.append(label)
        parents.append(parent)
    return labels, parents


def assert_is_chain(out, depth):
    assert len(out.labels) == depth
    assert out.children == [0] + [1] * (depth - 1)


# nested tuples and lists


def test_nested_post_order():
    out = PostOrder()
    add_nested(out, ("S", ("NP", ("D", "the"), ("N", "dog")), ("VP", "barks")))
    assert out.labels == ["the", "D", "dog", "N", "NP", "barks", "VP", "S"]
    assert out.children == [0, 1, 0, 1, 2, 0, 1, 2]


@given(TREES)
def test_nested_round_trip(tree):
    assert nested(tree) == tree
    assert nested(lists_of(tree)) == tree
    assert nested(bare_leaves(tree)) == tree


@given(st.lists(TREES, max_size=5))
def test_trees_are_appended_one_after_the_other(trees):
    out = PostOrder()
    for tree in trees:
        add_nested(out, tree)
    assert trees_of(out) == trees


def test_every_source_appends_to_the_same_lists():
    out = PostOrder()
    add_nested(out, "a")
    add_ast(out, ast.parse("x").body[0])
    add_element(out, ET.fromstring("<b>c</b>"))
    add_parents(out, ["d", "e"], [-1, 0])
    assert [bracketed(tree) for tree in trees_of(out)] == ["a", "(Expr (Name x))", "(b c)", "(d e)"]


@pytest.mark.parametrize("leaf", ["a", ("a",), ["a"]])
def test_one_leaf(leaf):
    assert nested(leaf) == ("a",)
    assert nested(("S", leaf)) == ("S", ("a",))


def test_equal_labels_above_each_other_are_no_cycle():
    assert nested(("a", ("a", "a"), "a")) == ("a", ("a", ("a",)), ("a",))


def test_shared_subtrees_are_no_cycle():
    shared = ["NP", "dog"]
    assert nested(["S", shared, ["VP", shared]]) == ("S", ("NP", ("dog",)), ("VP", ("NP", ("dog",))))


def test_whole_numbers_are_labels():
    assert nested((1, 2, (np.int32(3), 4))) == ("1", ("2",), ("3", ("4",)))


@pytest.mark.parametrize("label", ["\0", "a\0b", " ", "(", "é", "語", "\U0001f33e", "\ud7ff\ue000"])
def test_unusual_labels_are_kept(label):
    assert nested((label, label)) == (label, (label,))


def test_str_subclasses_keep_their_text():
    class Tag(str, enum.Enum):  # noqa: UP042 - its str() is not its text
        NOUN = "NN"

    assert nested((Tag.NOUN, np.str_("dog"))) == ("NN", ("dog",))


@pytest.mark.parametrize("kind", [tuple, list])
def test_deep_nested(kind):
    tree = kind(["a"])
    for _ in range(DEPTH - 1):
        tree = kind(["a", tree])
    out = PostOrder()
    add_nested(out, tree)
    assert_is_chain(out, DEPTH)


def test_wide_nested():
    out = PostOrder()
    add_nested(out, ("S", *map(str, range(WIDTH))))
    assert out.labels == [*map(str, range(WIDTH)), "S"]
    assert out.children == [0] * WIDTH + [WIDTH]


@pytest.mark.parametrize(
    ("tree", "message"),
    [
        (None, r"expected a tree, .*got None"),
        (("S", None), r"expected a tree, .*got None"),
        (("S", 1.5), r"expected a tree, .*got 1\.5"),
        (("S", b"dog"), r"expected a tree, .*got b'dog'"),
        ({"S": "dog"}, r"expected a tree, .*got \{'S': 'dog'\}"),
        (("S", iter("dog")), r"expected a tree, .*str_"),
        ((), r"starts with its label, got \(\); write \('label', child, \.\.\.\)"),
        (("S", []), r"starts with its label, got \[\]"),
        ((("S", "a"), "b"), r"starts with its label, got \(\('S', 'a'\), 'b'\)"),
        ((None, "a"), r"must be a str or an int, got None; convert it"),
        ((1.5, "a"), r"must be a str or an int, got 1\.5"),
        ((b"S", "a"), r"must be a str or an int, got b'S'"),
        ("", r"must not be empty, got ''; give the node a name"),
        (("", "a"), "must not be empty"),
        (("S", ""), "must not be empty"),
        ("\ud800", r"valid Unicode, got '\\ud800' with a lone surrogate; decode"),
        (("S", "a\udfffb"), "lone surrogate"),
        (NltkTree(None, ["a"]), "must be a str or an int, got None"),
        (NltkTree("", ["a"]), "must not be empty"),
        (NltkTree("S", [None]), "expected a tree"),
    ],
)
def test_refused_nested(tree, message):
    out = PostOrder(["kept"], [0])
    with pytest.raises(ValueError, match=message):
        add_nested(out, tree)
    assert out == PostOrder(["kept"], [0])


def test_a_tree_refused_late_leaves_nothing_behind():
    out = PostOrder()
    with pytest.raises(ValueError, match="empty"):
        add_nested(out, ("S", ("NP", "dog"), ("VP", "")))
    assert out == PostOrder()


def test_a_refusal_of_a_deep_tree_is_short():
    deep = ["a"]
    for _ in range(DEPTH):
        deep = ["a", deep]
    with pytest.raises(ValueError, match="starts with its label") as error:
        add_nested(PostOrder(), [deep])
    assert len(str(error.value)) < 500


def test_cyclic_lists_are_refused():
    own_child = ["S", "a"]
    own_child.append(own_child)
    with pytest.raises(ValueError, match="the node 'S' contains itself; a tree has no cycles"):
        add_nested(PostOrder(), own_child)
    bottom = ["NP", "dog"]
    top = ("S", ["VP", "barks", bottom])
    bottom.append(top)
    with pytest.raises(ValueError, match="the node 'S' contains itself"):
        add_nested(PostOrder(), top)
    with pytest.raises(ValueError, match="the node 'VP' contains itself"):
        add_nested(PostOrder(), ("ROOT", top[1]))


# nltk


@pytest.mark.parametrize("kind", [NltkTree, NltkParentedTree])
@given(tree=TREES)
def test_nltk_round_trip(kind, tree):
    assert nested(nltk_of(tree, kind)) == tree


def test_nltk_labels_of_any_kind():
    tree = NltkTree(Nonterminal("S"), [NltkTree(("NP", 3), ["dog"]), NltkTree(1.5, []), "."])
    assert nested(tree) == ("S", ("('NP', 3)", ("dog",)), ("1.5",), (".",))


def test_nltk_trees_mix_with_tuples():
    assert nested(("S", NltkTree("NP", [("N", "dog")]))) == ("S", ("NP", ("N", ("dog",))))


def test_deep_nltk():
    tree = NltkTree("a", [])
    for _ in range(DEPTH - 1):
        tree = NltkTree("a", [tree])
    out = PostOrder()
    add_nested(out, tree)
    assert_is_chain(out, DEPTH)


def test_cyclic_nltk_is_refused():
    tree = NltkTree("S", ["a"])
    tree.append(NltkTree("NP", [tree]))
    with pytest.raises(ValueError, match="the node 'S' contains itself"):
        add_nested(PostOrder(), tree)


def test_a_label_that_is_no_method_makes_no_nltk_tree():
    class Labelled(list):
        label = "NP"

    assert nested(Labelled(["S", "a"])) == ("S", ("a",))


# Python's ast


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("x = 'a' + 1", "(Assign (Name x) (BinOp (Constant 'a') Add (Constant 1)))"),
        ("import a.b as c", "(Import (alias a.b c))"),
        ("global a, b", "(Global a b)"),
        (
            "f(*a, k=b'', **c)",
            "(Expr (Call (Name f) (Starred (Name a)) (keyword k (Constant b'')) (keyword (Name c))))",
        ),
        ("{1: 2, **x}", "(Expr (Dict (Constant 1) (Constant 2) (Name x)))"),
        ("return_ = None", "(Assign (Name return_) Constant)"),
        ("''", "(Expr (Constant ''))"),
        ("'\\ud800'", "(Expr (Constant '\\ud800'))"),
        ("..., True, 1.5", "(Expr (Tuple (Constant Ellipsis) (Constant True) (Constant 1.5)))"),
        ("pass", "Pass"),
    ],
)
def test_ast_with_values(source, expected):
    assert syntax(source) == expected


def test_ast_without_values():
    assert syntax("x = f('a', k=1)", values=False) == "(Assign Name (Call Name Constant (keyword Constant)))"


def test_ast_contexts():
    assert syntax("x = y", contexts=True) == "(Assign (Name x Store) (Name y Load))"
    assert syntax("del x", contexts=True, values=False) == "(Delete (Name Del))"


def test_ast_fields():
    assert syntax("x = f(1, 2)", fields=True) == (
        "(Assign (targets (Name (id x))) "
        "(value (Call (func (Name (id f))) (args (Constant (value 1)) (Constant (value 2))))))"
    )
    assert syntax("x = 1", fields=True, values=False) == "(Assign (targets Name) (value Constant))"
    assert syntax("x", fields=True, contexts=True, values=False) == "(Expr (value (Name (ctx Load))))"


def test_ast_of_a_function():
    source = "def area(r: float, *rest) -> float:\n    '''Of a circle.'''\n    return 3.14 * r ** 2\n"
    assert syntax(source) == (
        "(FunctionDef area (arguments (arg r (Name float)) (arg rest)) (Expr (Constant 'Of a circle.')) "
        "(Return (BinOp (Constant 3.14) Mult (BinOp (Name r) Pow (Constant 2)))) (Name float))"
    )


def test_ast_of_a_module_has_every_node():
    module = ast.parse(ast.unparse(ast.parse(Path(__file__).read_text("utf-8"))))
    out = PostOrder()
    add_ast(out, module, values=False, contexts=True)
    assert sorted(out.labels) == sorted(type(node).__name__ for node in ast.walk(module))
    assert len(trees_of(out)) == 1


def test_ast_of_a_type_comment():
    module = ast.parse("x = 1  # type: ignore", type_comments=True)
    assert brackets(add_ast, module) == "(Module (Assign (Name x) (Constant 1)) (TypeIgnore 1))"


def test_ast_with_missing_fields():
    assert brackets(add_ast, ast.Call(func=ast.Name(id="f"), args=[], keywords=[])) == "(Call (Name f))"


def test_deep_ast():
    node = ast.Pass()
    for _ in range(DEPTH - 1):
        node = ast.UnaryOp(op=None, operand=node)
    out = PostOrder()
    add_ast(out, node)
    assert_is_chain(out, DEPTH)


def test_wide_ast():
    out = PostOrder()
    add_ast(out, ast.parse("x\n" * WIDTH))
    assert out.children[-1] == WIDTH


@pytest.mark.parametrize("source", ["x = 1", None, 3, ("Name", "x"), ast.Name])
def test_refused_ast(source):
    with pytest.raises(ValueError, match=r"expected a node of Python's ast, got .*; use ast\.parse"):
        add_ast(PostOrder(), source)


def test_cyclic_ast_is_refused():
    call = ast.parse("f(x)").body[0].value
    call.args.append(ast.Starred(value=call))
    with pytest.raises(ValueError, match="the node 'Call' contains itself"):
        add_ast(PostOrder(), call, fields=True)


# XML and HTML elements

PAGE = '<div class="b" id="a"> <p>The  <b>big</b>\n dog</p><br/> barks </div>'


def test_element_with_whole_texts():
    assert tree_of(add_element, ET.fromstring(PAGE)) == (
        ("div", ("p", ("The",), ("b", ("big",)), ("dog",)), ("br",), ("barks",))
    )
    assert nested(("p", "a b c")) == tree_of(add_element, ET.fromstring("<p>\n a\tb  c </p>"))


def test_element_with_words():
    assert xml("<p> a b<i>c d</i>e f</p>", words="split") == "(p a b (i c d) e f)"


def test_element_without_text():
    assert xml(PAGE, text=False) == "(div (p b) br)"


def test_element_with_attributes():
    assert xml(PAGE, attributes=True, text=False) == "(div (@class b) (@id a) (p b) br)"
    assert xml('<a z="1" b="" a="2"><c d="3"/>t</a>', attributes=True) == "(a (@a 2) @b (@z 1) (c (@d 3)) t)"


def test_values_of_attributes_stay_as_they_are():
    assert tree_of(add_element, ET.Element("a", {"b": "c  d"}), attributes=True, words="split") == (
        ("a", ("@b", ("c  d",)))
    )


NAMED = '<a xmlns="u:v" xmlns:x="w"><x:b x:d="1" c="2"/></a>'


def test_element_with_namespaces():
    assert xml(NAMED, attributes=True) == "({u:v}a ({w}b (@c 2) (@{w}d 1)))"


def test_element_without_namespaces():
    assert xml(NAMED, attributes=True, namespaces=False) == "(a (b (@c 2) (@d 1)))"


def test_qualified_names():
    element = ET.Element(ET.QName("u", "a"), {ET.QName("u", "b"): "c"})
    assert brackets(add_element, element, attributes=True) == "({u}a (@{u}b c))"
    assert brackets(add_element, element, attributes=True, namespaces=False) == "(a (@b c))"


@pytest.mark.parametrize("words", ["whole", "split"])
@pytest.mark.parametrize(
    "source",
    [
        "<a>one<!-- two -->three</a>",
        "<a>one <!-- two --> three<?four five?>six<b/>seven<!-- eight -->nine</a>",
        "<a><!-- one --><b/><!-- two --></a>",
        "<a><!-- one -->two<b>three</b></a>",
    ],
)
def test_comments_and_instructions_leave_no_trace(source, words):
    element = with_remarks(source)
    assert any(callable(child.tag) for child in element)
    assert brackets(add_element, element, words=words) == xml(source, words=words)


def test_the_tail_of_the_root_is_not_in_the_tree():
    child = ET.fromstring("<a><b>c</b>tail</a>")[0]
    assert brackets(add_element, child) == "(b c)"


class Duck:
    """No more than the parts that are promised to be enough."""

    def __init__(self, tag, *children, text=None, tail=None, **attrib):
        self.tag, self.text, self.tail, self.attrib, self._children = tag, text, tail, attrib, children

    def __iter__(self):
        return iter(self._children)


def test_duck_typed_elements():
    element = Duck("a", Duck(print, text="comment", tail=" there"), Duck("c", tail="end", d="e"), text="hello")
    assert brackets(add_element, element, attributes=True, words="split") == "(a hello there (c (@d e)) end)"


@given(TREES)
def test_element_round_trip(tree):
    def element_of(tree):
        element = ET.Element(tree[0])
        element.extend(map(element_of, tree[1:]))
        return element

    assert tree_of(add_element, element_of(tree)) == tree


def test_deep_element():
    root = deepest = ET.Element("a")
    for _ in range(DEPTH - 1):
        deepest = ET.SubElement(deepest, "a")
    out = PostOrder()
    add_element(out, root)
    assert_is_chain(out, DEPTH)


def test_wide_element():
    root = ET.Element("a")
    for _ in range(WIDTH):
        ET.SubElement(root, "b").tail = "c"
    out = PostOrder()
    add_element(out, root)
    assert out.labels == ["b", "c"] * WIDTH + ["a"]
    assert out.children == [0] * (2 * WIDTH) + [2 * WIDTH]


@pytest.mark.parametrize(
    ("element", "message"),
    [
        ("<a/>", r"expected an XML element, got '<a/>'; use ElementTree\.fromstring"),
        (None, "expected an XML element, got None"),
        (ET.ElementTree(ET.Element("a")), r"expected an XML element, got .*; pass its getroot\(\)"),
        (ET.Comment("a"), "got a comment or instruction; pass the element around it"),
        (ET.Element(""), "must not be empty"),
        (ET.Element("a\udc80"), "lone surrogate"),
        (Duck(None), "must be a str or an int, got None"),
        (Duck("a", "text"), "expected an XML element, got 'text'"),
        (Duck("a", text=b"c"), "text of an element must be a str or None, got b'c'"),
        (Duck("a", Duck("b", tail=3)), "text of an element must be a str or None, got 3"),
        (Duck("a", b=None), "must be a str or an int, got None"),
    ],
)
def test_refused_elements(element, message):
    out = PostOrder()
    with pytest.raises(ValueError, match=message):
        add_element(out, element, attributes=True)
    assert out == PostOrder()


def test_a_tag_that_is_only_a_namespace_is_refused_without_it():
    with pytest.raises(ValueError, match="must not be empty"):
        add_element(PostOrder(), ET.Element("{u}"), namespaces=False)


def test_unknown_words_are_refused():
    with pytest.raises(ValueError, match="words must be 'whole' or 'split', got 'letters'"):
        add_element(PostOrder(), ET.Element("a"), words="letters")


def test_cyclic_elements_are_refused():
    root = ET.Element("a")
    child = ET.SubElement(root, "b")
    child.append(root)
    with pytest.raises(ValueError, match="the node 'a' contains itself"):
        add_element(PostOrder(), root)
    child.remove(root)


# parents


@pytest.mark.parametrize("root", [-1, None])
def test_parents(root):
    assert brackets(add_parents, ["S", "NP", "VP", "dog", "barks"], [root, 0, 0, 1, 2]) == "(S (NP dog) (VP barks))"
    assert brackets(add_parents, ["dog", "NP", "barks", "S"], [1, 3, 3, root]) == "(S (NP dog) barks)"
    assert brackets(add_parents, ["a"], [root]) == "a"


def test_children_keep_the_order_of_their_indices():
    assert brackets(add_parents, "saw dogs He two".split(), [-1, 0, 0, 1]) == "(saw (dogs two) He)"


def test_parents_in_arrays():
    assert brackets(add_parents, np.array(["a", "b"]), np.array([1, -1], dtype=np.int16)) == "(b a)"
    assert brackets(add_parents, (7, 8), (None, np.int64(0))) == "(7 8)"


@given(TREES, st.randoms())
def test_parents_round_trip(tree, random):
    labels, parents = parents_of(tree)
    assert tree_of(add_parents, labels, parents) == tree
    places = list(range(len(labels)))
    random.shuffle(places)
    moved = sorted(range(len(labels)), key=places.__getitem__)
    out = PostOrder()
    add_parents(out, [labels[at] for at in moved], [-1 if at == 0 else places[parents[at]] for at in moved])
    assert sorted(out.labels) == sorted(labels)
    assert len(trees_of(out)) == 1


@pytest.mark.parametrize("upwards", [True, False])
def test_deep_parents(upwards):
    parents = [*range(1, DEPTH), -1] if upwards else range(-1, DEPTH - 1)
    out = PostOrder()
    add_parents(out, [str(node) for node in range(DEPTH)], parents)
    assert_is_chain(out, DEPTH)
    assert out.labels[0] == ("0" if upwards else str(DEPTH - 1))


def test_wide_parents():
    out = PostOrder()
    add_parents(out, [str(node) for node in range(WIDTH + 1)], [-1] + [0] * WIDTH)
    assert out.labels == [*map(str, range(1, WIDTH + 1)), "0"]


@pytest.mark.parametrize(
    ("labels", "parents", "message"),
    [
        ([], [], r"one root, got 0 \[\] among 0 nodes"),
        (["a", "b"], [1, 0], r"one root, got 0 \[\] among 2 nodes; mark one node with -1 or None"),
        (["a"], [0], "one root, got 0"),
        (["a", "b", "c"], [-1, 0, None], r"one root, got 2 \[0, 2\] among 3 nodes"),
        (["a", "b", "c"], [-1, 2, 1], "node 1 hangs on a cycle of parents; .* lead to the root 0"),
        (["a", "b"], [-1, 1], "node 1 hangs on a cycle of parents"),
        (["a", "b", "c", "d"], [3, 2, 1, -1], "node 1 hangs on a cycle of parents"),
        (["a", "b"], [-1, 2], r"parent of node 1 must lie in 0\.\.1, or be -1 for the root, got 2"),
        (["a", "b"], [-2, 0], r"parent of node 0 must lie in 0\.\.1, or be -1 for the root, got -2"),
        (["a", "b"], [-1, 0.0], r"parent of node 1 must be an int or None, got 0\.0"),
        (["a", "b"], [-1, "0"], "parent of node 1 must be an int or None, got '0'"),
        (["a", "b"], [-1], "got 2 labels and 1 parents"),
        ("ab", [-1, 0], "expected a list of labels, got the str 'ab'"),
        (["a", None], [-1, 0], "must be a str or an int, got None"),
        (["a", ""], [-1, 0], "must not be empty"),
        (["a", "\ud800"], [-1, 0], "lone surrogate"),
    ],
)
def test_refused_parents(labels, parents, message):
    out = PostOrder()
    with pytest.raises(ValueError, match=message):
        add_parents(out, labels, parents)
    assert out == PostOrder()
