"""Node relations and kernels for naming roles: what their pages say follows from what was measured."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

import gristmill as gm
from benchmarks import node_relations, role_kernels
from benchmarks.paired import f1, f1_interval, mcnemar
from benchmarks.relations import Relations
from benchmarks.role_kernels import Outcome, Setting
from gristmill.apps.roles import RoleCounts

SENTENCES = [
    f"(S (NP{{}} (D {d}) (N {n})) (VP (V*1 {v}) (NP{{}} (N {o}))))"
    for d, n, v, o in (("the", "dog", "sees", "cats"), ("a", "cow", "eats", "grass"), ("the", "fox", "hears", "owls"))
]


def relations_of(*strings):
    trees = gm.Forest.from_strings(strings, marks=True)
    return Relations(trees, np.array([1, -1] * (len(strings) // 2), dtype=np.int8), RoleCounts())


@pytest.fixture
def data():
    """Two arguments of each of three sentences."""
    return relations_of(*(s.format(*marks) for s in SENTENCES for marks in (("*2", ""), ("", "*2"))))


# --- node relations ---------------------------------------------------------------------------------------------------


def test_examples_of_a_sentence_have_one_number(data):
    assert data.sentences.tolist() == [data.sentences[at - at % 2] for at in range(6)]
    assert len(set(data.sentences.tolist())) == 3


def test_pairs_are_those_of_a_tree_a_sentence_and_others(data, monkeypatch):
    monkeypatch.setattr(node_relations, "MANY", 40)
    rows = node_relations._pairs_table(data).rows
    counts = {}
    for kernel, kind, _, number, _ in rows:
        counts[kernel, kind[:3]] = counts.get((kernel, kind[:3]), 0) + int(number)
    assert counts == {(k, kind): n for k in ("K_lo^r", "K_c^r") for kind, n in (("(A)", 6), ("(B)", 6), ("(C)", 24))}
    gram = gm.OrderedTreeKernel(1.0, marked=True)(data.trees)
    own = next(row for row in rows if row[:3] == ["K_lo^r", "(A) a tree with itself", ">= 10^4"])
    assert own[3:] == ["6", f"{np.diagonal(gram).mean():.3g}"]


def test_slopes_are_powers():
    points = [(n, 3e-6 * n**1.7) for n in (1000, 2500, 7000, 20000)]
    assert node_relations._slope(points) == "1.70"
    assert node_relations._slope(points[:1]) == "-"


def test_speed_ups_are_times_of_dynamic_programming_over_times_of_training(data):
    stats = gm.ConvertedForest(data.trees, "lo-marked").stats
    fast, slow = (node_relations.Trained(seconds, 1.0, np.zeros(1)) for seconds in (2.0, 9.0))
    found = node_relations.Outcome("K_lo^r", "ewt.train", data, stats, 0.5, 3.0, fast, slow, 100, 0.25)
    assert found.by_dp == 100 * stats.trees * 0.25
    row = dict(zip(node_relations.COLUMNS, found.row(), strict=True))
    assert row["speed-up"] == f"{found.by_dp / 2:.0f}"
    assert row["conversion included"] == f"**{found.by_dp / 5:.0f}**"
    assert row["over subtrees"] == "1.8"


@pytest.mark.filterwarnings("ignore::gristmill.MaliciousPairsWarning")
def test_a_sweep_of_d_has_a_line_and_a_point_for_each(data):
    sweep = {name: [node_relations.limited(name, data, D) for D in (2, 20)] for name in node_relations.FAMILIES}
    rows, plots = node_relations._sweep_table(sweep, 3).rows, node_relations._sweep_plots(sweep)
    assert [row[:2] for row in rows] == [[name, D] for name in node_relations.FAMILIES for D in (2, 20)]
    assert [plot.name for plot in plots] == ["limit-0", "limit-1"]
    for plot, name in zip(plots, sweep, strict=True):
        assert set(plot.series) == {"conversion", "SVM (converted)", "malicious pairs, %"}
        rates = [100 * line[3].malicious_rate for line in sweep[name]]
        assert plot.series["malicious pairs, %"] == [(2, rates[0]), (20, rates[1])]
        assert rates[0] > rates[1]


# --- two kernels ------------------------------------------------------------------------------------------------------


def flags(text):
    return np.array([letter == "+" for letter in text])


def test_f1_is_the_harmonic_mean_of_precision_and_recall():
    gold, found = flags("++++--"), flags("+++-++")
    precision, recall = 3 / 5, 3 / 4
    assert f1(found, gold) == pytest.approx(2 * precision * recall / (precision + recall))
    assert f1(flags("------"), gold) == 0


def test_an_interval_spans_what_sentences_drawn_again_give():
    gold, groups = flags("+-" * 200), np.arange(400) // 4
    worse = gold ^ (np.arange(400) % 5 == 0)
    low, high = f1_interval(gold, worse, gold, groups, rounds=500)
    assert 0 < low < f1(gold, gold) - f1(worse, gold) < high
    assert f1_interval(worse, worse, gold, groups, rounds=50) == (0, 0)
    assert f1_interval(gold, worse, gold, groups, rounds=500) == (low, high)


def test_mcnemar_is_a_test_of_a_fair_coin():
    gold = flags("+" * 12)
    one, other = flags("++++++++----"), flags("--------+--+")
    first, second, p = mcnemar(one, other, gold)
    assert (first, second) == (8, 2)
    assert p == pytest.approx(2 * (1 + 10 + 45) / 2**10)
    assert mcnemar(one, one, gold) == (0, 0, 1.0)


def outcome(kernel, parts, answers):
    """Two settings: the first is better on the development part, the second on the test part."""
    settings = [Setting(0.1, 1.0, 0.9, 0.2), Setting(0.3, 5.0, 0.3, 0.8)]
    return Outcome("ARG1", kernel, parts, settings, answers, 0.0, 0.0, 0.0)


def test_settings_are_chosen_on_the_other_part(data):
    answers = [[flags("++++++"), flags("------")], [flags("+-+-+-"), flags("-+-+-+")]]
    found = outcome("K_lo^r", [data] * 3, answers)
    assert found.best == found.settings[0]
    assert found.answers_on(1).tolist() == flags("------").tolist()
    assert found.answers_on(0).tolist() == flags("+-+-+-").tolist()


def test_a_better_kernel_is_ahead_and_an_equal_one_is_not(data):
    gold = data.labels > 0
    right, wrong = [[gold, gold]] * 2, [[~gold, ~gold]] * 2
    parts = [data] * 3
    better = role_kernels._differences([outcome("K_lo^r", parts, right), outcome("K_c^r", parts, wrong)])
    same = role_kernels._differences([outcome("K_lo^r", parts, right), outcome("K_c^r", parts, right)])
    assert [(row[0], row[1], row[-1]) for table in better for row in table.rows] == [
        ("ARG1", "+100.00", "6"),
        ("ARG1", "+100.00", "12"),
    ]
    assert better[1].rows[0][2] == "K_lo^r"
    assert [row[1:3] for table in same for row in table.rows] == [["+0.00", "nobody"]] * 2


def test_a_grid_judges_both_kernels_on_both_parts(data, monkeypatch):
    monkeypatch.setattr(role_kernels, "relations", lambda *_: data)
    recorded = []
    monkeypatch.setattr(role_kernels, "record", lambda *args, **more: recorded.append((args, SimpleNamespace(**more))))
    role_kernels.main(("ARG1",), 3, (0.2,), (1.0, 100.0))
    ((args, more),) = recorded
    assert [row[:2] for row in args[3]] == [
        [f"ARG1{leaves}", kernel] for leaves in role_kernels.PARTS for kernel in ("K_lo^r", "K_c^r")
    ]
    assert [len(table.rows) for table in more.more] == [len(role_kernels.PARTS)] * 2
    assert len({plot.name for plot in more.plots}) == len(role_kernels.PARTS)
