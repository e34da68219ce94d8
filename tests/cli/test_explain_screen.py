"""Explanations on a terminal: in its width and in colours."""

from __future__ import annotations

import re

import pytest

import gristmill as gm
from gristmill.cli import run
from gristmill.cli.explain_screen import fitted, fitted_table, head
from gristmill.explanations import explain_trees, fragments_of, rules_of

LONG = ["a_name_that_goes_on_and_on_and_on_until_the_end", "短い名前ではありませんがここにあります", "short"]
COLOURS = re.compile("\033\\[[0-9;]*m")


@pytest.fixture
def machine():
    coef = [1.0, -0.5, -1.5]
    return gm.Machine(gm.PolynomialKernel(2), [{0, 1}, {1, 2}, {2}], coef, 0.0, ["no", "yes"], feature_names=LONG)


@pytest.fixture
def drawing(machine):
    (row,) = gm.explain(machine, [{0, 1, 2}], interactions=True)
    return row.draw()


def cells(text):
    from rich.cells import cell_len

    return max(map(cell_len, COLOURS.sub("", text).split("\n")))


def test_elsewhere_a_drawing_stays_as_it_is(drawing):
    assert fitted(drawing, None) == drawing


@pytest.mark.parametrize("width", [40, 60, 80])
def test_a_drawing_has_the_width_of_the_terminal(drawing, width):
    shown = fitted(drawing, width)
    assert cells(drawing) > 80
    assert cells(shown) <= width
    assert len(shown.split("\n")) == len(drawing.split("\n"))
    numbers = re.compile(r"[-+]?\d[\d.]*")
    assert numbers.findall(COLOURS.sub("", shown)) == numbers.findall(drawing)


def test_names_lose_their_middle(drawing):
    assert re.search(r"  a_name_th\S*…\S*the_end  ", fitted(drawing, 60))


def test_bars_have_colours_unless_nobody_wants_them(drawing, monkeypatch):
    monkeypatch.delenv("NO_COLOR", raising=False)
    shown = fitted(drawing, 200)
    assert re.search("\033\\[32m#+\033\\[0m", shown)
    assert re.search("\033\\[31m-+\033\\[0m", shown)
    monkeypatch.setenv("NO_COLOR", "1")
    assert not COLOURS.search(fitted(drawing, 200))


def test_a_terminal_is_not_commanded_by_names():
    machine = gm.Machine(gm.PolynomialKernel(2), [{0}], [1.0], 0.0, ["no", "yes"], feature_names=["\033[2Jx"])
    assert "\033[2J" not in fitted(gm.explain(machine, [{0}])[0].draw(), 80)


def test_a_terminal_is_not_commanded_by_labels():
    assert head("row", 3, "\033[2Jspam", ["\007", 1.0]) == "row 3: predicted \ufffd[2Jspam, true label \ufffd 1"
    table = "1 rule\nweight  conjunction\n    +1  \033[2J"
    for width in (80, 19):
        assert fitted_table(table, "conjunction", width) == table.replace("\033", "\ufffd")


def test_trees_fit_too():
    support = ["(S (NP (D the) (N dogs)) (VP bark))"]
    machine = gm.Machine(gm.SubsetTreeKernel(), support, [1.0], 0.0, ["no", "yes"])
    (tree,) = explain_trees(machine, support)
    shown = fitted(tree.draw(), 30)
    assert cells(shown) <= 30
    assert "├─ NP" in shown
    assert shown.startswith("yes: ")


def test_tables_of_rules_fit(machine):
    table = rules_of(machine).table()
    shown = fitted_table(table, "conjunction", 70)
    said, heading, *lines = shown.split("\n")
    assert said == table.split("\n")[0]
    assert len(heading) <= 70
    assert {cells(line) for line in (heading, *lines)} == {len(heading)}
    assert "…" in shown
    assert fitted_table(table, "conjunction", 200) == fitted_table(table, "conjunction", None) == table


def test_tables_of_fragments_fit():
    machine = gm.Machine(gm.SubsetTreeKernel(), ["(S (NP (D the) (N dogs)) (VP bark))"], [1.0], 0.0, ["no", "yes"])
    table = fragments_of(machine).table()
    shown = fitted_table(table, "fragment", 60)
    assert max(map(len, shown.split("\n")[1:])) == 60
    assert [line[:42] for line in shown.split("\n")[1:]] == [line[:42] for line in table.split("\n")[1:]]


def test_tables_of_wide_characters_fit():
    machine = gm.Machine(gm.SubsetTreeKernel(), [f"(S {LONG[1]} {LONG[1]})"], [1.0], 0.0, ["no", "yes"])
    shown = fitted_table(fragments_of(machine).table(), "fragment", 60)
    assert 58 <= cells(shown) <= 60
    assert "…" in shown


def test_the_program_asks_how_wide_the_terminal_is(machine, tmp_path, monkeypatch, capsys):
    machine.save(tmp_path / "model")
    (tmp_path / "data").write_text("yes 1:1 2:1 3:1\n")
    monkeypatch.setattr("gristmill.cli.explain.screen_width", lambda: 50)
    for more in ((), ("--global",)):
        assert run(["explain", str(tmp_path / "model"), str(tmp_path / "data"), *more]) == 0
        assert cells(capsys.readouterr().out) <= 50
