"""gristmill parse: what it refuses, and how it says so."""

from __future__ import annotations

import pytest

from gristmill.cli import run
from tests.apps.parsing.small_treebanks import MALT_MODEL, crossing, line, sentences, text_of

KNOWN = sentences(30)
TREE = line(1, "cats", 2, "nsubj") + line(2, "sleep", 0, "root") + "\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Files, most of them with something wrong, and a model."""
    contents = {
        "known": text_of(KNOWN),
        "new": text_of(sentences(20, seed=1)),
        "empty": "",
        "comments": "# nothing\n\n",
        "templates": "s0.form",
        "malt.xml": MALT_MODEL,
        "crossed": text_of(crossing()),
        "nine": TREE + "1\ta\t_\n",
        "roots": TREE + line(1, "a", 0, "root") + line(2, "b", 0, "root"),
        "cycle": TREE + line(1, "a", 2, "x") + line(2, "b", 1, "x") + line(3, "c", 0, "root"),
        "headless": TREE + line(1, "a", "_", "_"),
        "ones": line(1, "a", 0, "root") + "\n",
        "wrong": "s0.form\n  s0.word\n",
        "wrong.xml": MALT_MODEL.replace("Input[0]", "Inpt[0]"),
        "wrong.par": "POS\tSTUCK\n",
    }
    path = tmp_path_factory.mktemp("parse")
    for name, content in contents.items():
        (path / name).write_text(content, encoding="utf-8")
    (path / "latin").write_bytes(TREE.encode() + b"1\tM\xfchle\n")
    assert run(["parse", "train", str(path / "known"), str(path / "model"), "-q"]) == 0
    return path


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("train", "{}/empty", "{}/m"), 1, "empty: there are no words"),
        (("train", "{}/comments", "{}/m"), 1, "comments: there are no words"),
        (("train", "{}/ones", "{}/m"), 1, "all sentences have one word"),
        (("train", "{}/crossed", "{}/m"), 1, "arc-standard cannot give the trees"),
        (("train", "{}/none", "{}/m"), 1, "none: No such file"),
        (("train", "{}", "{}/m"), 1, "Is a directory"),
        (("train", "{}/known", "{}/none/m"), 1, "none/m: No such file"),
        (("train", "{}/known", "{}"), 1, "Is a directory"),
        (("train", "{}/known", "{}/known"), 2, "is read, and would be replaced"),
        (("train", "{}/known", "{}/templates", "--templates", "@{}/templates"), 2, "is read, and would be replaced"),
        (("train", "{}/known", "-", "--json"), 2, "standard output has the model"),
        (("train", "-", "{}/m", "--templates", "@-"), 2, "only one file can be standard input"),
        (("train", "-", "{}/m", "--tagger", "-"), 2, "only one file can be standard input"),
        (("train", "{}/known", "{}/m", "--templates", "@{}/none"), 1, "none: No such file"),
        (("train", "{}/known", "{}/m", "--templates", "@{}/wrong"), 1, "wrong:2:3: expected one of form"),
        (("train", "{}/known", "{}/m", "--templates", "@{}/empty"), 1, "empty: templates that make no feature"),
        (
            ("train", "{}/known", "{}/m", "--templates", "@{}/wrong.xml"),
            1,
            "wrong.xml:5:14: expected Stack[n], Input[n]",
        ),
        (("train", "{}/known", "{}/m", "--templates", "@{}/wrong.par"), 1, "wrong.par:1:1: expected STACK or INPUT"),
        (("train", "{}/known", "{}/m", "--templates", "@{}/malt.xml", "-a", "stacklazy"), 1, "malt.xml:5:14: "),
        (("train", "{}/known", "{}/m", "--templates", "s0.form b9"), 1, "templates:1:9: "),
        (("train", "{}/known", "{}/m", "--oracle", "dynamic"), 1, "oracle='dynamic' is of algorithm='arc-eager'"),
        (
            ("train", "{}/known", "{}/m", "-a", "swap", "--pseudo-projective", "head"),
            1,
            "pseudo_projective='head' is of arc-standard and arc-eager",
        ),
        (
            ("train", "{}/known", "{}/m", "--templates", "@{}/malt.xml", "-a", "swap"),
            1,
            "malt.xml:5:14: Input of stacklazy",
        ),
        (("train", "{}/known", "{}/m", "--split", "upos"), 1, "such as b0.upos, got 'upos'"),
        (("train", "{}/known", "{}/m", "--split", "b0.word"), 1, "the column to split by"),
        (("train", "{}/known", "{}/m", "-a", "covington"), 2, "covington"),
        (("train", "{}/known", "{}/m", "--chunks", "<"), 1, "expected relations such as case"),
        (("train", "{}/known", "{}/m", "-C", "-1"), 1, "C must be"),
        (("train", "{}/known", "{}/m", "--solver", "smo", "--multiclass", "native"), 1, "use 'ovr' or 'ovo'"),
        (("train", "{}/nine", "{}/m"), 1, "nine:4:1: expected ten columns"),
        (("train", "{}/latin", "{}/m"), 1, "latin:4:4: the text is not UTF-8"),
        (("train", "{}/roots", "{}/m"), 1, "roots:5:1: words 1 and 2 are both roots"),
        (("train", "{}/cycle", "{}/m"), 1, "cycle:4:1: word 1 depends on itself"),
        (("train", "{}/headless", "{}/m"), 1, "headless:4:13: expected the number of the word's head"),
        (("run", "{}/known", "{}/new"), 1, "known: not a model file"),
        (("run", "{}/model", "{}/nine"), 1, "nine:4:1: expected ten columns"),
        (("run", "{}/model", "{}/latin"), 1, "latin:4:4: the text is not UTF-8"),
        (("run", "{}/model", "{}/none"), 1, "none: No such file"),
        (("run", "{}/model", "{}/new", "-o", "{}/model"), 2, "is read, and would be replaced"),
        (("run", "{}/model", "{}/new", "-o", "{}/none/x"), 1, "none/x: No such file"),
        (("run", "{}/model", "{}/new", "--temperature", "0"), 1, "temperature"),
        (("run", "{}/model", "{}/new", "--beam", "0"), 2, "--beam"),
        (("run", "-", "-"), 2, "only one file can be standard input"),
        (("evaluate", "{}/model", "{}/roots"), 1, "roots:5:1: words 1 and 2 are both roots"),
        (("evaluate", "{}/model", "{}/headless"), 1, "headless:4:13: expected the number"),
        (("evaluate", "{}/model"), 2, "expected MODEL and FILE, or FILE and --system"),
        (("evaluate", "{}/model", "{}/new", "--system", "{}/new"), 2, "expected MODEL and FILE, or FILE and --system"),
        (("evaluate", "{}/known", "--system", "{}/new"), 1, "new:"),
        *(
            (("evaluate", "{}/new", "--system", "{}/new", *option), 2, f"{option[0]} is for parsing with MODEL")
            for option in [("--tagger", "{}/none"), ("--engine", "auto"), ("--beam", "8"), ("--temperature", "1")]
        ),
        (("evaluate", "-", "--system", "-"), 2, "only one file can be standard input"),
        (("draw", "{}/known", "--number", "31"), 2, "known has 30 sentences"),
        (("draw", "{}/known", "--number", "31", "--svg"), 2, "known has 30 sentences"),
        (("draw", "{}/empty", "--svg"), 2, "empty has 0 sentences"),
        (("draw", "{}/headless"), 1, "headless:4:13: expected the number"),
        (("draw", "{}/headless", "--number", "2", "--svg"), 1, "headless:4:13: expected the number"),
        (("draw", "{}/known", "-o", "{}/known"), 2, "is read, and would be replaced"),
    ],
)
def test_errors_are_told_with_their_place(folder, capsys, arguments, code, message):
    assert run(["parse", *(argument.format(folder) for argument in arguments)]) == code
    assert message in capsys.readouterr().err
    assert not (folder / "m").exists()
