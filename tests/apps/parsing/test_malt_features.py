"""MaltParser's feature models as templates."""

from __future__ import annotations

import contextlib
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gristmill.apps.parsing.malt_features import DEEPEST, STRUCTURES, read_feature_model
from gristmill.apps.templates.configurations import parse_configurations
from gristmill.base.errors import FormatError

COLUMNS = ("form", "lemma", "upos", "xpos", "feats")


def model(*features: str) -> str:
    lines = "".join(f"\t\t<feature>{feature}</feature>\n" for feature in features)
    begin = '<?xml version="1.0" encoding="UTF-8"?>\n<featuremodels>\n\t<featuremodel name="x">\n'
    return f"{begin}{lines}\t</featuremodel>\n</featuremodels>\n"


def read(*features: str, algorithm: str | None = None) -> list[str]:
    return read_feature_model(model(*features), algorithm=algorithm).splitlines()


@pytest.mark.parametrize(
    ("feature", "item"),
    [
        ("InputColumn(FORM, Stack[0])", "s0.form"),
        ("InputColumn(LEMMA, Input[12])", "b12.lemma"),
        ("InputColumn(CPOSTAG, Stack[1])", "s1.upos"),
        ("InputColumn(UPOSTAG, Stack[1])", "s1.upos"),
        ("InputColumn(POSTAG, Input[0])", "b0.xpos"),
        ("InputColumn(XPOSTAG, Input[0])", "b0.xpos"),
        ("InputColumn(FEATS, Input[0])", "b0.feats"),
        ("OutputColumn(DEPREL, Stack[0])", "s0.deprel"),
        ("OutputColumn(DEPREL, ldep(Stack[0]))", "s0.ldep.deprel"),
        ("OutputColumn(DEPREL, rsib(ldep(head(Stack[1]))))", "s1.head.ldep.rsib.deprel"),
        ("InputColumn(FORM, lsib(rdep(Stack[0])))", "s0.rdep.lsib.form"),
        ("InputColumn(POSTAG, pred(pred(Stack[0])))", "s0.pred.pred.xpos"),
        ("InputColumn(POSTAG, succ(Stack[0]))", "s0.succ.xpos"),
        ("InputTable(POSTAG, Stack[0])", "s0.xpos"),
        ("OutputTable(DEPREL, Stack[0])", "s0.deprel"),
        ("Merge(InputColumn(FORM, Stack[0]), OutputColumn(DEPREL, ldep(Input[0])))", "s0.form/b0.ldep.deprel"),
        (
            "Merge3(InputColumn(FORM, Stack[0]), InputColumn(FORM, Stack[1]), InputColumn(FORM, Input[0]))",
            "s0.form/s1.form/b0.form",
        ),
        (
            "Merge(Merge(InputColumn(FORM, Stack[0]), InputColumn(FORM, Stack[1])), NumOf(Input[0], rdeps, 0|1|2|3))",
            "s0.form/s1.form/b0.rights",
        ),
        (r"Split(InputColumn(FEATS, head(Stack[0])), \|)", "s0.head.feats:parts"),
        ("Suffix(InputColumn(FORM, Input[0]), 4)", "b0.form:suffix:4"),
        ("Prefix(InputColumn(LEMMA, ldep(Stack[0])), 02)", "s0.ldep.lemma:prefix:2"),
        ("NumOf(Stack[0], ldeps, 0|1|2|3)", "s0.lefts"),
        ("Distance(Stack[0], ldep(Input[0]), 0|1|2|3|4|5|7|11)", "distance(s0,b0.ldep)"),
        ("\n  InputColumn ( FORM ,\n Stack [ 0 ] )\n", "s0.form"),
    ],
)
def test_features_that_mean_the_same(feature, item):
    assert read(feature) == [item]
    assert [found.name for found in parse_configurations(item, COLUMNS).items] == [item]


def test_items_keep_their_order_and_come_once():
    assert read(
        "InputColumn(POSTAG, Stack[0])", "InputColumn(FORM, Stack[0])", "", " ", "InputColumn(POSTAG,Stack[0])"
    ) == ["s0.xpos", "s0.form"]


@pytest.mark.parametrize(
    ("feature", "complaint"),
    [
        ("Distance(Stack[0], Input[0], 0|1|2|5)", "0|1|2|3|4|5|7|11"),
        ("NumOf(Stack[0], ldeps, 0|1|2|5)", "NumOf(word, ldeps or rdeps, 0|1|2|3)"),
        ("NumOf(Stack[0], deps, 0|1|2|3)", "NumOf(word, ldeps or rdeps, 0|1|2|3)"),
        ("Exists(ldep(Stack[0]))", "InputColumn(UPOSTAG, word)"),
        ("InputArc(PHEAD, Stack[0], Input[0])", "without heads"),
        ("InputArcDir(PHEAD, Stack[0])", "without heads"),
        ("OutputArc(HEAD, Stack[0], Input[0])", "OutputColumn(DEPREL, word)"),
        ("OutputColumn(HEAD, Stack[0])", "OutputColumn(DEPREL, word)"),
        ("OutputTable(PPLIFTED, Stack[0])", "OutputColumn(DEPREL, word)"),
        ("InputColumn(DEPREL, Stack[0])", "expected a column"),
        ("InputTable(CJ-POSTAG, Stack[0])", "'CJ-POSTAG'"),
        ("InputColumn(form, Stack[0])", "'form'"),
        ("InputColumn(FORM)", "expected a feature"),
        ("inputcolumn(FORM, Stack[0])", "got inputcolumn(FORM, Stack(0))"),
        ("Stack[0]", "expected a feature"),
        ("Merge(InputColumn(FORM, Stack[0]))", "two features"),
        ("Merge3(InputColumn(FORM, Stack[0]), InputColumn(FORM, Stack[1]))", "three features"),
        (r"Merge(InputColumn(FORM, Stack[0]), Split(InputColumn(FEATS, Stack[0]), \|))", "several values"),
        (r"Split(InputColumn(FORM, Stack[0]), \|)", "only features are split"),
        ("Split(InputColumn(FEATS, Stack[0]), =)", "only at bars"),
        ("Suffix(InputColumn(FORM, Stack[0]), 0)", "from 1 to 1000"),
        ("Prefix(Suffix(InputColumn(FORM, Stack[0]), 3), 2)", "an InputColumn"),
        ("Prefix(OutputColumn(DEPREL, Stack[0]), 1)", "an InputColumn"),
        ("InputColumn(FORM, ldesc(Stack[0]))", "got ldesc(Stack(0))"),
        ("InputColumn(FORM, rdep2(Stack[0]))", "write rdep"),
        ("InputColumn(FORM, Left[0])", "got Left(0)"),
        ("InputColumn(FORM, Stack[-1])", "Stack[0] to Stack[99]"),
        ("InputColumn(FORM, Input[100])", "Input[0] to Input[99]"),
        ("InputColumn(FORM, Stack)", "got Stack"),
        ("InputColumn(FORM, ldep(Stack[0], Stack[1]))", "got ldep"),
        ("InputColumn(FORM, Stack[0]", "expected , or )"),
        ("InputColumn(FORM, Stack[0)]", "expected , or ]"),
        ("InputColumn(FORM, Stack[0]))", "expected the end"),
        ("InputColumn(FORM,)", "expected a name, got ')'"),
        ("InputColumn(FORM,", "expected a name, got the end"),
        ("(FORM)", "expected a name, got '('"),
        ("InputColumn(FORM, " + "ldep(" * DEEPEST + "Stack[0]" + ")" * (DEEPEST + 1), "functions"),
    ],
)
def test_features_that_cannot_be_told(feature, complaint):
    with pytest.raises(FormatError, match=re.escape(complaint)) as caught:
        read("InputColumn(FORM, Stack[0])", feature)
    assert (caught.value.line, caught.value.column) == (5, 12)
    assert feature[:100] in str(caught.value).replace("\\\\", "\\")


def test_the_place_of_a_feature_is_that_of_its_text():
    text = "<featuremodels><featuremodel>\n<!-- é -->  <feature>\n \t&#x49;nputColumn(ID, Stack[0])</feature>"
    with pytest.raises(FormatError) as caught:
        read_feature_model(text + "</featuremodel></featuremodels>")
    assert (caught.value.line, caught.value.column) == (3, 3)


# --- the words of an algorithm ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("algorithm", "structure", "expected"),
    [
        ("arc-standard", "Input", ["s1.form", "s0.form"]),
        ("arc-standard", "Lookahead", ["s0.form", "b0.form"]),
        ("arc-eager", "Input", ["s0.form", "b0.form"]),
        ("swap", "Stack", ["s0.form"]),
    ],
)
def test_our_own_names_mean_the_words_that_their_arcs_join(algorithm, structure, expected):
    assert read("InputColumn(FORM, Stack[0])", f"InputColumn(FORM, {structure}[0])", algorithm=algorithm) == expected


@pytest.mark.parametrize(
    ("algorithm", "structure"), [("swap", "Input"), ("swap", "Lookahead"), ("arc-eager", "Lookahead")]
)
def test_words_that_our_algorithms_have_not_are_refused(algorithm, structure):
    with pytest.raises(FormatError, match=f"{structure} of (stacklazy|nivreeager)"):
        read(f"InputColumn(FORM, {structure}[0])", algorithm=algorithm)


def test_lookahead_is_the_buffer_of_the_projective_stack_algorithm():
    assert read("InputColumn(FORM, Stack[1])", "InputColumn(FORM, Lookahead[2])") == ["s1.form", "b2.form"]
    with pytest.raises(FormatError, match="no words in Input of stackproj: use Stack and Lookahead"):
        read("InputColumn(FORM, Input[0])", algorithm="stackproj")


@pytest.mark.parametrize("algorithm", ["nivreeager", "nivrestandard"])
def test_other_algorithms_have_no_lookahead(algorithm):
    with pytest.raises(FormatError, match="no words in Lookahead"):
        read("InputColumn(FORM, Lookahead[0])", algorithm=algorithm)


def test_words_that_were_swapped_back_have_no_name():
    with pytest.raises(FormatError, match="Lookahead of stacklazy") as caught:
        read("InputColumn(FORM, Stack[0])", "InputColumn(FORM, Lookahead[0])", "InputColumn(FORM, Input[0])")
    assert caught.value.line == 5
    with pytest.raises(FormatError, match="Input of stackeager"):
        read("InputColumn(FORM, Input[0])", algorithm="stackeager")
    assert read("InputColumn(FORM, Stack[3])", algorithm="stacklazy") == ["s3.form"]


def test_algorithms_without_a_counterpart():
    with pytest.raises(ValueError, match=r"nivreeager, nivrestandard.*got 'covproj'"):
        read("InputColumn(FORM, Stack[0])", algorithm="covproj")
    assert set(STRUCTURES) == {"nivreeager", "nivrestandard", "stackproj", "stacklazy", "stackeager"}


def test_the_standard_algorithm_counts_from_another_place():
    features = [f"InputColumn(FORM, {word})" for word in ("Stack[1]", "Stack[0]", "Input[0]", "Input[1]", "Input[2]")]
    assert read(*features, algorithm="nivrestandard") == ["s2.form", "s1.form", "s0.form", "b0.form", "b1.form"]


@given(st.integers(1, 9), st.lists(st.sampled_from(["shift", "left", "right"]), max_size=40))
def test_the_standard_algorithm_sees_the_same_words(length, steps):
    """Nivre's has arcs between the top of the stack and the next word, ours between the top two."""
    theirs = {"Stack": list[int](), "Input": list(range(length))}
    stack, buffer = [0], list(range(1, length))  # the first word can only be shifted
    names = [f"{structure}[{number}]" for structure in theirs for number in range(4)]
    items = read(*(f"InputColumn(FORM, {name})" for name in names), algorithm="nivrestandard")
    for step in steps:
        for name, item in zip(names, items, strict=True):
            line = theirs[name.split("[")[0]]
            line = line[::-1] if name.startswith("Stack") else line
            ours = stack[::-1] if item[0] == "s" else buffer
            assert line[int(name[-2]) :][:1] == ours[int(item[1]) :][:1], (name, item)
        if step == "shift" and buffer:
            theirs["Stack"].append(theirs["Input"].pop(0))
            stack.append(buffer.pop(0))
        elif step != "shift" and len(stack) > 1:
            kept = theirs["Stack"].pop()
            if step == "right":
                theirs["Input"][0] = kept
            stack.pop(-1 if step == "right" else -2)


# --- files ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "line", "column", "complaint"),
    [
        ("<featuremodels>\n<featuremodel>\n</featuremodels>", 3, 3, "this is not XML: mismatched tag"),
        ("<featuremodels>", 1, 16, "this is not XML"),
        ('<?xml version="1.0"?>\n<!DOCTYPE x [<!ENTITY y "z">]>\n<featuremodels/>', 2, 13, "document type"),
        ('<!DOCTYPE x SYSTEM "file:///etc/hostname">\n<featuremodels/>', 1, 42, "document type"),
        ("<featuremodels>&other;</featuremodels>", 1, 16, "this is not XML: undefined entity"),
        ("<dataformat/>", 1, 1, "expected <featuremodels>, got <dataformat>"),
        ("<featuremodels>\n <feature/></featuremodels>", 2, 2, "expected <featuremodel>, got <feature>"),
        ("<featuremodels><featuremodel>\n<featur/>", 2, 1, "expected <feature>, got <featur>"),
        ("<featuremodels><featuremodel><feature><b/>", 1, 39, "expected text, got <b>"),
        ("<featuremodels><featuremodel>\n<submodel name='T.TRANS'>", 2, 1, "submodels"),
        ("<featuremodels><featuremodel>\nForm</featuremodel>", 2, 1, "expected text in <feature> alone, got 'Form'"),
        ("<featuremodels><featuremodel/>\n<featuremodel/>", 2, 1, "a second one"),
        ("<featuremodels><featuremodel/></featuremodels>", None, None, "without features"),
        ("", None, None, "without features"),
    ],
)
def test_files_that_are_no_models(text, line, column, complaint):
    with pytest.raises(FormatError, match=re.escape(complaint)) as caught:
        read_feature_model(text)
    assert (caught.value.line, caught.value.column) == (line, column)


def test_the_declared_encoding_of_text_is_of_no_account():
    text = model("InputColumn(FORM, Stack[0])").replace("UTF-8", "ISO-8859-1")
    assert read_feature_model("\ufeff" + text) == "s0.form\n"
    assert read_feature_model(text.replace("\n", "\r\n")) == "s0.form\n"


PAR = """\
-- parts of speech
POS\tSTACK
POS\tINPUT\t3
CPOS\tSTACK\t0\t-1
DEP\tSTACK\t0\t0\t0\t-1

LEX\tSTACK\t1\t0\t1
LEX INPUT 0 2 1 -2 1
LEX\tINPUT\t0\t0\t0\t0\t0\t3
LEMMA\tSTACK
FEATS\tINPUT
FEATS\tSTACK\t0\t0\t0\t0\t0\t2
"""


def test_par_files():
    assert read_feature_model(PAR).split() == [
        "s0.xpos",
        "b3.xpos",
        "s0.pred.upos",
        "s0.ldep.deprel",
        "s1.head.form",
        "b0.succ.succ.head.ldep.ldep.rsib.form",
        "b0.form:suffix:3",
        "s0.lemma",
        "b0.feats:parts",
        "s0.feats:suffix:2",
    ]
    assert read_feature_model("\ufeffPOS INPUT\r\nPOS STACK 1\r\n", algorithm="nivrestandard") == "s0.xpos\ns2.xpos\n"


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("TAG STACK", "expected a column (LEX, LEMMA, CPOS, POS, FEATS, DEP), got 'TAG'"),
        ("POS", "expected STACK or INPUT behind the column, got nothing"),
        ("POS CONTEXT 1", "got 'CONTEXT', which is not in our algorithms"),
        ("POS STACK one", "up to six numbers"),
        ("POS STACK 0 0 0 0 0 0 0", "up to six numbers"),
        ("POS STACK -1", "cannot be below 0"),
        ("POS STACK 0 0 -1", "cannot be below 0"),
        ("POS STACK 0 99", "more than 40 functions"),
    ],
)
def test_par_lines_that_cannot_be_told(line, complaint):
    with pytest.raises(FormatError, match=re.escape(complaint)) as caught:
        read_feature_model(f"POS STACK\n  {line}\n")
    assert (caught.value.line, caught.value.column) == (2, 3)


@given(st.text(alphabet="<>()[],\\|\n\t &;01 StackInputColumFORM", max_size=60))
def test_any_text_is_read_or_refused(text):
    for given_text in (text, "<" + text, model(text)):
        with contextlib.suppress(FormatError):
            assert read_feature_model(given_text).endswith("\n")
