"""Fuzzing, as much of it as fits into seconds; `python -m tests.fuzz` does as much as is wanted."""

from __future__ import annotations

import functools
import os
import signal
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.across.interrupting import SANITIZED
from tests.fuzz import children
from tests.fuzz.children import Count, Given, results_of
from tests.fuzz.readers import READERS, Reader
from tests.fuzz.running import Find, Plan, Totals, fuzz
from tests.fuzz.tables import as_markdown, as_text
from tests.fuzz.uses import USES
from tests.properties import share

slow = functools.partial(pytest.param, marks=pytest.mark.slow)

QUICK = tuple(name for name, use in USES.items() if use.share >= 0.3)  # the others take as long as all of these
CORPUS = Path(__file__).parent / "corpus"  # inputs that were finds once: READER/NAME


# --- what is fuzzed ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("inputs", [10, slow(150)])
def test_damaged_files_are_read_or_refused(tmp_path, inputs):
    totals = fuzz(Plan(tuple(READERS), (), inputs=inputs, seconds=600, keep=tmp_path))
    assert not totals.finds, as_text(totals, children.STEPS)
    assert min(totals.inputs.values()) == inputs


@pytest.mark.parametrize(("uses", "inputs"), [(QUICK, 1), slow(tuple(USES), 4)])
def test_what_is_read_is_used_or_refused(tmp_path, uses, inputs):
    totals = fuzz(Plan(tuple(READERS), uses, inputs=inputs, seconds=600, keep=tmp_path))
    assert not totals.finds, as_text(totals, children.STEPS)


@pytest.mark.parametrize("reader", sorted(path.name for path in CORPUS.iterdir()))
def test_former_finds_stay_answers(reader):
    inputs = [path.read_bytes() for path in sorted((CORPUS / reader).iterdir())]
    ((_, result),) = results_of(iter([Given(reader, tuple(USES), inputs)]), 1)
    assert result.finds == []


@settings(share(0.4), suppress_health_check=list(HealthCheck))
@given(st.sampled_from(list(READERS)), st.randoms(use_true_random=False))
def test_sound_inputs_are_read(tmp_path_factory, reader, rng):
    path = tmp_path_factory.mktemp("sound") / "input"
    path.write_bytes(READERS[reader].sound(rng))
    READERS[reader].read(path)


# --- that finds are found ---------------------------------------------------------------------------------------------


def crash(path):
    if b"7" in path.read_bytes():
        os.kill(os.getpid(), signal.SIGSEGV)


def raise_type_error(path):
    if b"7" in path.read_bytes():
        raise TypeError("which nobody expects")


def take_memory(path):
    bytearray(90 << 20 if b"7" in path.read_bytes() else 1)


def hang(path):
    while b"7" in path.read_bytes():
        pass


@pytest.fixture
def broken(monkeypatch):
    """A plan for a reader of digits, which does what a test wants where there is a 7 among them."""

    def made(read):
        reader = Reader(lambda rng: b"1", read, lambda rng, data: data + str(rng.randrange(10**6)).encode())
        monkeypatch.setitem(READERS, "broken", reader)
        return Plan(("broken",), (), inputs=12, seconds=600)

    return made


@pytest.mark.parametrize(
    ("read", "problem"),
    [
        (crash, "ended by SIGSEGV"),
        (raise_type_error, "TypeError: which nobody expects (test_fuzz.py:N)"),
        pytest.param(
            take_memory,
            "took more memory than it may",
            marks=pytest.mark.skipif(SANITIZED, reason="memory of sanitizers is their own"),
        ),
    ],
)
def test_finds_are_kept_small(broken, tmp_path, read, problem):
    totals = fuzz(broken(read)._replace(keep=tmp_path))
    ((find, times),) = totals.finds.values()
    assert children.VARYING.sub("N", find.problem) == children.VARYING.sub("N", problem)
    assert times >= 1
    assert totals.inputs["broken"] == 12  # also where a child ends before its batch does
    kept = next(path for path in tmp_path.iterdir() if path.suffix != ".txt")
    assert kept.read_bytes() == b"7"
    assert find.problem in kept.with_suffix(".txt").read_text()


def test_what_takes_too_long_is_ended(broken, monkeypatch):
    monkeypatch.setattr(children, "SECONDS", 0.05)
    totals = fuzz(broken(hang))
    assert [problem for _, problem in totals.finds] == ["took more than 0.15 s"]


def test_the_same_seed_gives_the_same_inputs():
    for reader in READERS:
        assert children.input_of(reader, 1, 5) == children.input_of(reader, 1, 5)
    assert children.input_of("trees", 1, 5) != children.input_of("trees", 2, 5)


def test_counts_add_up():
    totals = Totals()
    result = children.Result(3, 1.0, {"load": Count(3, 1, 1, 0.5, 7, 1)}, [("load", "what", 2)])
    batch = children.Batch("trees", (), 1, 0, 3)
    assert totals.add(batch, result) == [Find("trees", "load", "what", 2)]
    assert totals.add(batch, result) == []
    assert totals.counts["trees", "load"] == Count(6, 2, 2, 0.5, 7, 2)
    assert "| trees | 6 | 2 | 2 | 0.50 | 0 | 2 |" in as_markdown(totals, children.STEPS)
