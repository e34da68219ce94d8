"""What --help shows: commands in groups, and examples that run."""

from __future__ import annotations

import contextlib
import re
import shutil
from types import SimpleNamespace

import click
import pytest

from gristmill.cli import COMMANDS, SECTIONS, demo, gristmill, run, serve
from tests.docs.docs_files import TREES, make_files
from tests.docs.shell import run_shell

WORDS = "また 行き たい 。\n海 を 見 たい 。\n"
TREE = [
    *(("私", "PRON", 5, "nsubj"), ("は", "ADP", 1, "case")),
    *(("海", "NOUN", 5, "obj"), ("を", "ADP", 3, "case"), ("見た", "VERB", 0, "root")),
]
SENTENCE = "".join(
    f"{number}\t{form}\t_\t{tag}\t_\t_\t{head}\t{relation}\t_\tSpaceAfter=No\n"
    for number, (form, tag, head, relation) in enumerate(TREE, 1)
)
PEOPLE = "".join(f"{at},{20 + at % 40},{'own' if at % 3 else 'rent'},{at % 3 > 1}\n" for at in range(60))
MODELS = """
train people.csv people.safetensors --target income
train train.svm svm.safetensors
train train.svm svmlight.model --format svmlight
train train.svm tinysvm.model --format tinysvm
tag train train.txt tagger.safetensors
tag train train.conllu upos.safetensors --conllu upos
tag run tagger.safetensors new.txt -o tagged.txt
tag convert train.txt --tag-scheme BIOES -o bioes.txt
segment train words.txt words.safetensors
tokenize train train.conllu tokenize.safetensors
split-words train train.conllu split-words.safetensors
lemmatize train train.conllu lemmatize.safetensors
parse train train.conllu parser.safetensors
parse run parser.safetensors new.conllu -o parsed.conllu
pipeline train train.conllu english.safetensors --folds 0
classify-trees train train.trees questions.safetensors
roles train wsj.trees wsj.props roles.safetensors
roles run roles.safetensors wsj.trees wsj.props -o found.props
"""


def all_commands(group=gristmill, path=()):
    """The words of each command, as ("tag", "train")."""
    ctx = click.Context(group)
    for name in group.list_commands(ctx):
        yield (*path, name)
        command = group.get_command(ctx, name)
        if isinstance(command, click.Group):
            yield from all_commands(command, (*path, name))


def help_of(path, capsys, option="--help"):
    assert run([*path, option]) == 0
    return capsys.readouterr().out


def examples_in(text):
    """The lines below `Examples:`, without remarks in brackets behind them."""
    block = text.partition("Examples:\n")[2].partition("\n\n")[0]
    return [re.sub(r"\s{2,}\(.*\)$", "", line.strip()) for line in block.splitlines()]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The files that examples name."""
    made = tmp_path_factory.mktemp("examples")
    with contextlib.chdir(made):
        make_files(made)
        treebank = (made / "train.conllu").read_text(encoding="utf-8")
        lemmas = re.sub(r"^(\d+\t)([^\t]+)\t_\t", r"\1\2\t\2\t", treebank, flags=re.MULTILINE)
        (made / "train.conllu").write_text(lemmas, encoding="utf-8")
        for name, other in (("test.txt", "train.txt"), ("new.txt", "train.txt"), ("new.conllu", "train.conllu")):
            shutil.copy(other, name)
        shutil.copy("train.conllu", "test.conllu")
        (made / "new.trees").write_text("".join(f"{tree}\n" for tree in TREES))
        (made / "words.txt").write_text(WORDS, encoding="utf-8")
        (made / "novel.txt").write_text(WORDS.replace(" ", ""), encoding="utf-8")
        (made / "ja.conllu").write_text(f"{SENTENCE}\n", encoding="utf-8")
        (made / "text.txt").write_text("The cat sees the dog. It sleeps.\n")
        (made / "people.csv").write_text(f"id,age,housing,income\n{PEOPLE}")
        for line in MODELS.split("\n"):
            assert not line or run([*line.split(), *(["-q"] if "train" in line.split()[:2] else [])]) == 0
    return made


@pytest.fixture
def quick(monkeypatch):
    """A server that ends at once, and a demo that compares nothing."""
    web = SimpleNamespace(
        Limits=lambda **_: None,
        create_app=lambda *_, **__: None,
        listen=lambda *_: contextlib.nullcontext(),
        address_of=lambda _: "http://127.0.0.1/",
        is_local=lambda _: True,
        serve=lambda *_, **__: None,
    )
    monkeypatch.setattr(serve, "_web", lambda: web)
    monkeypatch.setattr(demo, "MODULES", ("argparse", "ast", "doctest", "inspect"))
    monkeypatch.setattr(demo, "compare", lambda task: demo.Comparison(task.title, 1, 1.0, [], []))


@pytest.mark.parametrize("path", [(), *all_commands()], ids=" ".join)
def test_two_examples_or_more_that_run(path, folder, quick, monkeypatch, capfd):
    monkeypatch.chdir(folder)
    assert run([*path, "--help"]) == 0
    examples = [line for line in examples_in(capfd.readouterr().out) if not line.startswith("curl ")]
    assert len(examples) >= 2
    for line in examples:
        assert f"gristmill {' '.join(path)}".strip() in line
        code, printed = run_shell(line)
        assert code == 0, (line, printed)


def test_commands_stand_in_groups(capsys):
    text = help_of((), capsys)
    assert sorted(SECTIONS, key=text.index) == ["Models", "Data", "Text", "Looking"]
    for commands in SECTIONS.values():
        for name in commands:
            assert re.search(rf"^  {name} ", text, re.MULTILINE)
    assert sorted(COMMANDS) == sorted(set(COMMANDS))


@pytest.mark.parametrize("path", list(all_commands()), ids=" ".join)
def test_help_all_shows_what_help_leaves_out(path, capsys):
    short = help_of(path, capsys)
    if "--help-all" not in short:
        return
    whole = help_of(path, capsys, "--help-all")
    options = re.compile(r"^  (?:-\w, )?(--?[\w#-]+)", re.MULTILINE)
    assert set(options.findall(short)) < set(options.findall(whole))
    assert len(options.findall(short)) <= 30


def test_an_option_means_one_thing():
    """Options of one name have one kind of value, in all commands but the stand-ins, whose letters are others'."""
    kinds = {}
    for path in all_commands():
        command = gristmill
        for name in path:
            command = command.get_command(click.Context(command), name)
        for param in [] if path[0].startswith("svm-") else command.params:
            if isinstance(param, click.Option):
                for name in param.opts:
                    kinds.setdefault(name, set()).add(param.is_flag)
    twice = {name for name, flags in kinds.items() if len(flags) > 1}
    assert twice == {"--resume"}  # training goes on from a FILE, files of a cluster from those that are there
    letters = {name for name in kinds if len(name) == 2}
    assert letters == {"-C", "-L", "-M", "-a", "-d", "-g", "-j", "-k", "-o", "-q", "-r"}
