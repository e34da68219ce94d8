"""What would make a mistake right: how long a report searches for it."""

from __future__ import annotations

from gristmill.report.sections.changes import nodes_of


def test_a_search_ends_sooner_where_its_nodes_take_longer():
    assert nodes_of(0) == nodes_of(5_000) == 20_000
    assert nodes_of(56 * 5_014) == 356  # a parser with many relations
    assert nodes_of(10**9) == 200
