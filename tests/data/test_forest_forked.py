"""A fork while another thread changes a forest: the child is told, and waits for nobody."""

from __future__ import annotations

import os
import signal
import sys
import threading

import pytest

import gristmill as gm
from gristmill import _core

TREES = tuple(f"(S (NP x{number}) (VP y))" for number in range(100_000))
AGAIN, TORN, WORKS = 3, 4, 5  # exit codes of the child


def change(forest, progress, was_called):
    """Adds trees in a call that is long enough for progress, first called after some time; whether all have arrived."""
    for times in (1, 4, 16, 64):
        roots = forest._store.parse_strings(TREES * times, _core.BracketOptions(), progress)
        if was_called():
            return len(roots) == times * len(TREES)
    raise AssertionError("progress was not called")


@pytest.fixture
def being_changed():
    """A forest whose store another thread is adding trees to, and cannot go on with until the test is over."""
    forest = gm.Forest.from_strings(["(S a)"])
    begun, over = threading.Event(), threading.Event()

    def wait(done, total):
        begun.set()
        over.wait(60)

    changing = threading.Thread(target=change, args=(forest, wait, begun.is_set))
    changing.start()
    assert begun.wait(60)
    yield forest
    over.set()
    changing.join()


def in_child(work):
    """The exit code of a forked process that calls work()."""
    child = os.fork()
    if child == 0:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(20)  # a child that waits for ever dies of it
        try:
            os._exit(work())
        except BaseException as error:  # nothing of pytest may run in the child
            print(error, file=sys.stderr)
            os._exit(AGAIN)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


@pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning")
def test_a_forest_that_was_being_changed_is_refused_in_the_child(being_changed):
    def work():
        try:
            return len(list(being_changed))
        except RuntimeError as error:
            return TORN if "was being changed by another thread" in str(error) else AGAIN

    assert in_child(work) == TORN


@pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning")
def test_other_forests_work_in_the_child(being_changed):
    other = gm.Forest.from_strings(["(S a)", "(S b)"])

    def work():
        other.extend(["(S c)"])
        return WORKS if list(other) == ["(S a)", "(S b)", "(S c)"] else AGAIN

    assert in_child(work) == WORKS


@pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning")
def test_a_change_that_forks_itself_goes_on_in_both_processes():
    forest, children = gm.Forest.from_strings(["(S a)"]), []

    def fork_once(done, total):
        if not children:
            children.append(os.fork())

    is_whole = change(forest, fork_once, lambda: bool(children))
    if children == [0]:
        os._exit(WORKS if is_whole and list(forest) == ["(S a)"] else AGAIN)
    assert os.waitstatus_to_exitcode(os.waitpid(children[0], 0)[1]) == WORKS
    assert is_whole
