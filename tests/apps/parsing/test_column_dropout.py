"""Column dropout: columns that a run may lack are empty in some training sentences."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from gristmill.apps import DependencyParser
from gristmill.apps.parsing.column_dropout import drop_columns
from gristmill.apps.parsing.tree import COLUMNS, columns_of_words
from gristmill.cli import run
from tests.apps.parsing.small_treebanks import plain, sentences, text_of

WORDS = sentences(400)
GIVEN = columns_of_words(plain(WORDS))


def cells_by_sentence(columns, name):
    cells = columns.column(COLUMNS.index(name))
    return [cells[begin:end] for begin, end in pairwise(columns.starts().tolist())]


def test_a_sentence_lacks_all_cells_of_a_column_or_none():
    found = drop_columns(GIVEN, 0.3)
    for name in COLUMNS:
        for own, given in zip(cells_by_sentence(found, name), cells_by_sentence(GIVEN, name), strict=True):
            assert own == given or (name in ("lemma", "xpos", "feats") and own == [""] * len(given))


def test_columns_are_dropped_in_the_share_of_sentences_that_was_asked_for_and_each_on_its_own():
    found = drop_columns(GIVEN, 0.3)
    lacks = np.array(
        [[not any(own) for own in cells_by_sentence(found, name)] for name in ("lemma", "xpos", "feats")], dtype=float
    )
    assert np.all(np.abs(lacks.mean(axis=1) - 0.3) < 0.07)
    assert np.all(np.abs(np.corrcoef(lacks)[np.triu_indices(3, 1)]) < 0.2)


def test_nothing_is_dropped_at_0_and_the_same_is_dropped_each_time():
    assert drop_columns(GIVEN, 0) is GIVEN
    assert drop_columns(GIVEN, 0.5).column(1) == drop_columns(GIVEN, 0.5).column(1)
    assert drop_columns(GIVEN, 0.5).column(1) != drop_columns(GIVEN, 0.5, seed=1).column(1)


def test_a_parser_learns_what_its_treebank_lacks_at_random_but_remembers_what_it_was_filled_with():
    parser = DependencyParser(epochs=2, column_dropout=0.5).fit(WORDS[:50])
    assert parser.engine_.model.filled["lemma"] == 1.0
    whole = DependencyParser(epochs=2, column_dropout=0).fit(WORDS[:50])
    assert len(parser.machine_["all"].rows.ids) != len(whole.machine_["all"].rows.ids)


@pytest.mark.parametrize("share", [-0.1, 1, 1.5, True, "0.2", None, float("nan")])
def test_what_is_no_share_is_refused(share):
    with pytest.raises(ValueError, match="column_dropout must be a number from 0 on, below 1"):
        DependencyParser(column_dropout=share)


def test_the_shell_takes_the_share(tmp_path):
    (tmp_path / "train").write_text(text_of(WORDS[:20]))
    command = ["parse", "train", str(tmp_path / "train"), str(tmp_path / "parser"), "-q"]
    assert run([*command, "--column-dropout", "0.4"]) == 0
    assert DependencyParser.load(tmp_path / "parser").column_dropout == 0.4
    assert run([*command, "--column-dropout", "1"]) != 0
