"""Python syntax trees and XML elements: each becomes the post-order it stands for."""

from __future__ import annotations

import ast
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from hypothesis import given

from gristmill.data.tree_sources import PostOrder, add_ast, add_element, add_nested
from tests.data.post_orders import DEPTH, TREES, WIDTH, assert_is_chain, brackets, tree_of, trees_of


def syntax(source, **options):
    return brackets(add_ast, ast.parse(source).body[0], **options)


def xml(source, **options):
    return brackets(add_element, ET.fromstring(source), **options)


def with_remarks(source):
    builder = ET.TreeBuilder(insert_comments=True, insert_pis=True)
    return ET.fromstring(source, parser=ET.XMLParser(target=builder))


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
    assert tree_of(add_nested, ("p", "a b c")) == tree_of(add_element, ET.fromstring("<p>\n a\tb  c </p>"))


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
