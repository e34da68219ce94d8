"""Machines of several feature spaces in one file: those of the stages of a text pipeline."""

from __future__ import annotations

import json

import numpy as np
import pytest

import gristmill as gm
from gristmill.base.errors import FormatError
from gristmill.machines.collection import MachineGroups
from gristmill.machines.formats import read_model
from gristmill.machines.store import from_bytes, pack, to_bytes, unpack


def machine(names: list[str], coef: float = 1.0) -> gm.Machine:
    rows = gm.ids([[number] for number in range(len(names))])
    return gm.Machine(gm.PolynomialKernel(2), rows, np.full(len(names), coef), 0.0, feature_names=names)


TAGGER = machine(["word=the", "word=cat"])
PARTS = {"left": machine(["s0=DET"]), "right": machine(["s0=DET"], 2.0)}
GROUPS = MachineGroups({"tagger": TAGGER, "parser": gm.Machines(PARTS)})


def test_machines_are_named_by_their_groups():
    assert dict(GROUPS) == {"tagger": TAGGER, "parser/left": PARTS["left"], "parser/right": PARTS["right"]}
    assert GROUPS.feature_names is None


def test_groups_come_back_from_a_file(tmp_path):
    GROUPS.save(tmp_path / "groups")
    found = read_model(tmp_path / "groups")
    assert isinstance(found, MachineGroups)
    assert found == GROUPS
    assert isinstance(found.groups["tagger"], gm.Machine)
    assert list(found.groups["parser"]) == ["left", "right"]
    assert found["tagger"].feature_names == TAGGER.feature_names
    assert found["parser/left"].feature_names == ("s0=DET",)


def test_a_file_of_groups_is_of_a_version_that_older_releases_refuse():
    assert b'\\"version\\":3' in to_bytes(GROUPS)
    assert b'\\"version\\":3' not in to_bytes(TAGGER)


def test_all_machines_of_groups_are_compiled():
    scorers = GROUPS.compile()
    assert scorers["parser/right"].decision_function(gm.ids([[0]])).tolist() == [8.0]


@pytest.mark.parametrize(
    ("groups", "message"),
    [
        ({"": TAGGER}, "groups have names"),
        ({"a": 1}, "'a': expected a Machine or Machines, got int"),
        ({"a": GROUPS}, "'a': expected a Machine or Machines, got MachineGroups"),
        ({"a": gm.Machines({"b": TAGGER}), "a/b": TAGGER}, "two machines are called 'a/b'"),
    ],
)
def test_what_is_no_group_is_refused(groups, message):
    with pytest.raises(ValueError, match=message):
        MachineGroups(groups)


def changed(**more) -> bytes:
    header, arrays = unpack(to_bytes(GROUPS), "gristmill", 3, "machine")
    return pack(json.loads(json.dumps(header | more)), arrays, "gristmill")


@pytest.mark.parametrize(
    "groups",
    [[{"name": "tagger"}], [{"name": "tagger", "kind": "groups"}], "tagger", [{}], [{"name": 1, "kind": "collection"}]],
)
def test_files_of_unsound_groups_are_refused(groups):
    with pytest.raises(FormatError):
        from_bytes(changed(groups=groups))


def test_files_with_two_groups_of_one_name_are_refused():
    header, _ = unpack(to_bytes(GROUPS), "gristmill", 3, "machine")
    with pytest.raises(FormatError, match="two groups are called 'tagger'"):
        from_bytes(changed(groups=[header["groups"][0]] * 2))
