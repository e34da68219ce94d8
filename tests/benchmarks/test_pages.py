"""Pages of results: written from what was recorded, the same every time."""

from __future__ import annotations

import pytest

from benchmarks import measure, render
from gristmill.display.charts import Plot, draw

PLOT = Plot(
    "time", "Time", "sigma", "us", {"one": [(0.1, 2.0), (1.0, 1.0)], "two": [(0.1, 30.0), (1.0, 9.5)]}, log_x=True
)


@pytest.fixture
def pages(tmp_path, monkeypatch):
    monkeypatch.setattr(measure, "RESULTS", tmp_path / "data")
    return tmp_path


def test_a_page_holds_its_tables_and_notes(pages, capsys):
    more = [measure.Table("Beside it", ["b"], [["x"]])]
    measure.record("claim", "A claim", ["a", "b"], [[1, "2x"]], ["A note."], {}, more=more)
    render.main()
    page = (pages / "claim.md").read_text(encoding="utf-8")
    assert page.startswith(
        "# A claim\n\n| a | b |\n| --- | --- |\n| 1 | 2x |\n\n## Beside it\n\n| b |\n| --- |\n| x |\n\n- A note.\n"
    )
    assert "claim" in (pages / "index.md").read_text(encoding="utf-8")
    assert "Beside it" in capsys.readouterr().out


def test_a_page_shows_its_plots_in_pictures_and_words(pages):
    pytest.importorskip("matplotlib")
    (pages / "claim-gone.svg").touch()
    measure.record("claim", "A claim", ["a"], [[1]], [], {}, plots=[PLOT])
    render.main()
    words = "us against sigma: one from 2 at 0.1 to 1 at 1; two from 30 at 0.1 to 9.5 at 1."
    assert f"![{words}](claim-time.svg)" in (pages / "claim.md").read_text(encoding="utf-8")
    assert f"<title>{words}</title>" in (pages / "claim-time.svg").read_text(encoding="utf-8")
    assert not (pages / "claim-gone.svg").exists()
    points = (pages / "data" / "claim-time.csv").read_text(encoding="utf-8").splitlines()
    assert points == ["series,sigma,us", "one,0.1,2.0", "one,1.0,1.0", "two,0.1,30.0", "two,1.0,9.5"]


def test_plots_are_drawn_with_the_same_bytes(tmp_path):
    pytest.importorskip("matplotlib")
    for name in ("first", "second"):
        draw(PLOT, tmp_path / name)
    drawn = (tmp_path / "first").read_bytes()
    assert drawn == (tmp_path / "second").read_bytes()
    assert b"<text" in drawn
    assert b"date" not in drawn


def test_named_places_are_points_with_their_names(tmp_path):
    pytest.importorskip("matplotlib")
    named = Plot("time", "Time", "machine", "us", {"ours": [(0, 1.5), (1, 2.0)]}, log_y=True, ticks=["small", "large"])
    assert named.alt == "us against machine: ours 1.5 at small, 2 at large."
    draw(named, tmp_path / "named")
    drawn = (tmp_path / "named").read_text(encoding="utf-8")
    assert ">small<" in drawn
    assert ">large<" in drawn


def test_sides_take_turns_and_may_have_clocks_of_their_own():
    turns = []
    seconds = iter([3.0, 1.0, 2.0])
    clocks = {"one": lambda: turns.append("one") or next(seconds), "two": lambda: turns.append("two") or 0.5}
    timings = measure.in_turn(clocks, 3)
    assert turns == ["one", "two"] * 3
    assert timings["one"] == measure.Timing(median=2.0, fastest=1.0, slowest=3.0, rounds=3)
    assert timings["two"].median == 0.5
    assert measure.alternate({"nothing": lambda: None}, 2)["nothing"].rounds == 2
