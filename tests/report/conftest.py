"""Reports show the same charts in test after test: each is drawn once. That drawings repeat is for tests/display."""

from __future__ import annotations

import pickle

import pytest

from gristmill.display import charts

DRAWN: dict[bytes, str] = {}


@pytest.fixture(scope="module", autouse=True)
def drawn_once():
    draw = charts.svg

    def drawn(plot):
        key = pickle.dumps(plot)
        if key not in DRAWN:
            DRAWN[key] = draw(plot)
        return DRAWN[key]

    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setattr(charts, "svg", drawn)
        yield
