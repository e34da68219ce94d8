"""What the documentation says runs."""

from __future__ import annotations

import doctest
import importlib
import re
import shlex
from pathlib import Path

import pytest

from gristmill.apps.roles import read_propbank, write_labelled_trees
from gristmill.cli import run
from tests.docs.docs_files import LABELS, TREES, given_names, make_files
from tests.docs.shell import run_shell

ROOT = Path(__file__).parents[2]


def modules_with_examples():
    """Names of all modules that show some."""
    files = (ROOT / "src" / "gristmill").rglob("*.py")
    shown = (
        path.relative_to(ROOT / "src").with_suffix("") for path in files if ">>> " in path.read_text(encoding="utf-8")
    )
    return sorted(".".join(path.parts).removesuffix(".__init__") for path in shown)


@pytest.mark.parametrize("name", modules_with_examples())
def test_docstring_examples_run_as_printed(name):
    result = doctest.testmod(importlib.import_module(name))
    assert result.attempted > 0
    assert result.failed == 0


def test_the_tutorial_runs_from_top_to_bottom(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    code = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "tutorial.md").read_text(encoding="utf-8"), re.DOTALL)
    assert code
    exec("\n".join(code), {})
    assert "engine" in capsys.readouterr().out


@pytest.mark.parametrize("page", ["README.md", "docs/guide.md"])
def test_python_examples_run_one_after_the_other(page, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    make_files(tmp_path)
    text = (ROOT / page).read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```(?:\n\n```text\n(.*?)```)?", text, re.DOTALL)
    assert len(blocks) == text.count("```python") > 0
    names, given, given_trees = {}, given_names(), {"trees": TREES, "y": LABELS}
    for code, shown in blocks:
        names |= given_trees if "(trees, y" in code else given
        capsys.readouterr()
        exec(code, names)
        assert not shown or capsys.readouterr().out == shown


@pytest.mark.parametrize("page", ["README.md", "docs/guide.md"])
def test_commands_run_one_after_the_other(page, tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    make_files(tmp_path)
    text = (ROOT / page).read_text(encoding="utf-8").replace(text_analysers(), "")  # which make their own files
    consoles = re.findall(r"```console\n(.*?)```", text, re.DOTALL)
    lines = re.findall(r"^(?:\$ )?gristmill (.*)$", "\n".join(consoles), re.MULTILINE)
    commands = [shlex.split(line, comments=True) for line in lines]
    assert commands
    for command in commands:
        assert run(command[: command.index(">")] if ">" in command else command) == 0, (command, capfd.readouterr().err)


PAGES = [
    *("counterfactuals.md", "explain.md", "forgetting.md", "logistic.md", "molecules.md", "nearest.md"),
    *("operators.md", "parser.md", "pipeline.md"),
    *("relations.md", "relations_of_pairs.md"),
    *("pipelines.md", "report.md", "segmenter.md", "svm.md", "tables.md", "tagger.md", "tree_classifier.md"),
    "tuning.md",
]


@pytest.mark.parametrize("page", PAGES)
def test_pages_print_what_they_show(page, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    for file in re.findall(r"\{download\}`(.*?)`", text):
        Path(file).write_bytes((ROOT / "docs" / file).read_bytes())
    blocks = re.findall(r"```(python|console)\n(.*?)```(?:\n\n```text\n(.*?)```)?", text, re.DOTALL)
    assert sum(bool(shown) for *_, shown in blocks) == text.count("```text") > 0
    names = {}
    for kind, code, shown in blocks:
        if kind == "console":
            check_console(code)
        else:
            exec(code, names)
            assert capsys.readouterr().out == shown
    for picture in re.findall(r"!\[.*?\]\((.*?)\)", text):
        assert Path(picture).read_bytes() == (ROOT / "docs" / picture).read_bytes()


def check_console(block):
    """Run what stands behind `$`, and compare what it prints, but for white space and seconds."""
    for command, shown in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block, re.MULTILINE):
        code, printed = run_shell(command)
        assert (code, smoothed(printed)) == (0, smoothed(shown))


def smoothed(text):
    return re.sub(r"\d+\.\d s\b", "# s", " ".join(text.split()))


def test_the_propbank_files_that_formats_shows_are_what_is_read_and_written(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = (ROOT / "docs" / "formats.md").read_text(encoding="utf-8")
    section = text[text.index("### PropBank") : text.index("### KeLP")]
    files, labelled = (re.sub(" {2,}", "\t", block) for block in re.findall(r"```text\n(.*?)```", section, re.DOTALL))
    for name, lines in zip(["trees", "props"], files.split("\n\n"), strict=True):
        Path(name).write_text(lines, encoding="utf-8")
    write_labelled_trees("labelled", *read_propbank("trees", "props"))
    assert Path("labelled").read_text(encoding="utf-8") == labelled


def test_the_text_analysers_of_the_readme_run_as_printed(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    check_console(re.findall(r"```console\n(.*?)```", text_analysers(), re.DOTALL)[0])


def text_analysers():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    return text[text.index("## Text analysers") : text.index("## From the shell")]


def test_the_readme_names_commands_that_exist():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```console\n(.*?)```", text, re.DOTALL)
    commands = set(re.findall(r"^(?:\$ )?gristmill ([\w-]+)", "\n".join(blocks), re.MULTILINE))
    from gristmill.cli import COMMANDS

    assert commands
    assert commands <= set(COMMANDS)


# --- what the documentation names exists ------------------------------------------------------------------------------


def named_rooms():
    """Paths of the block "The rooms" of CONTRIBUTING.md: names are indented below their folder, two blanks end them."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    block = text.partition("## The rooms")[2].partition("\nDependencies")[0]
    folders = {}
    for line in filter(str.strip, block.splitlines()):
        depth = len(line) - len(line.lstrip())
        parent = next((folders[above] for above in range(depth - 1, 0, -1) if above in folders), ROOT)
        folders = {above: folder for above, folder in folders.items() if above < depth}
        names = [parent / name for name in re.split(r"\s{2,}", line.strip())[0].split()]
        folders[depth] = names[0]
        yield from names


def test_contributing_names_rooms_that_exist():
    rooms = list(named_rooms())
    assert ROOT / "core" / "mine" / "fragments" in rooms
    assert [str(room.relative_to(ROOT)) for room in rooms if not room.exists()] == []


def test_contributing_names_every_room():
    rooms = {room.resolve() for room in named_rooms()}
    folders = [*(ROOT / "core").iterdir(), *(ROOT / "src" / "gristmill").glob("*/__init__.py")]
    folders = [folder.parent if folder.is_file() else folder for folder in folders]
    assert [folder.name for folder in folders if folder.resolve() not in rooms] == []


def test_contributing_names_files_and_classes_that_exist():
    spelled = re.findall(r"`([\w./]+)`", (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"))
    files = [name for name in spelled if "/" in name and "NAME" not in name]
    classes = [name for name in spelled if re.fullmatch(r"(?:[A-Z][a-z]+){2,}|[A-Z]+_[A-Z_]+", name)]
    assert [name for name in files if not (ROOT / name).exists()] == []
    sources = "\n".join(read(path) for folder in ("core", "src", "tests", "benchmarks") for path in code_in(folder))
    assert len(classes) > 5
    assert [name for name in classes if not re.search(rf"\b{name}\b", sources)] == []


def test_formulas_that_are_cited_are_there():
    page = read(ROOT / "docs" / "formulas.md")
    entries = {name for group in re.findall(r"\*\*([A-E]\d.*?)\. ", page) for name in group.split(", ")}
    citations = [
        name
        for folder in ("core", "src", "tests")
        for path in code_in(folder)
        for cited in re.findall(r"docs/formulas\.md ([A-E]\d+(?:[-, ]+[A-E]\d+)*)", read(path))
        for name in re.findall(r"[A-E]\d+", cited)
    ]
    assert len(citations) > 10
    assert sorted(set(citations) - entries) == []


def code_in(folder):
    return [path for path in (ROOT / folder).rglob("*") if path.suffix in {".py", ".hpp", ".cpp"}]


def read(path):
    return path.read_text(encoding="utf-8")
