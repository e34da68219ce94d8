"""Saved parsers: one file each, that gives the same trees; others are refused."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import gristmill as gm
from gristmill.apps import DependencyParser
from gristmill.apps.base import without_params
from gristmill.apps.tagging.tagger import Tagger
from gristmill.base.errors import FormatError
from gristmill.machines.formats import read_model
from gristmill.scoring.engines import ENGINES
from tests.apps.parsing.small_treebanks import (
    ALGORITHMS,
    EXACT,
    WAYS,
    crossing,
    head_final,
    plain,
    sentences,
    treebank_of,
    trees,
)

KNOWN, NEW = sentences(20), plain(sentences(20, seed=1))


@pytest.fixture(scope="module")
def parsers():
    """By what is special about them."""
    return {
        "one": DependencyParser().fit(KNOWN),
        "split": DependencyParser(split="b0.upos", split_threshold=5).fit(KNOWN),
        "rare": DependencyParser(split="b0.form", split_threshold=15).fit(KNOWN),
        "units": DependencyParser("head-final").fit(head_final(20)),
    }


# --- one file ---------------------------------------------------------------------------------------------------------


def check_same(parser, tmp_path, new, **settings):
    parser.save(tmp_path / "model")
    again = DependencyParser.load(tmp_path / "model", **settings)
    assert (again.machine_, again.engine_.model) == (parser.machine_, parser.engine_.model)
    assert (again.algorithm, again.relations_) == (parser.algorithm, parser.relations_)
    assert again.parse(new) == parser.parse(new)
    again.save(tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == (tmp_path / "model").read_bytes()


@pytest.mark.parametrize(
    "options", [{}, {"beam": 4}, {"split": "s0.upos", "split_threshold": 5}, {"multiclass": "ovo"}]
)
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_model_is_one_file_that_gives_the_same_trees(tmp_path, algorithm, options):
    parser = DependencyParser(algorithm, **options).fit(treebank_of(algorithm, 20))
    check_same(parser, tmp_path, plain(treebank_of(algorithm, 20, seed=1)), beam=options.get("beam", 1))


@pytest.mark.parametrize(("solver", "multiclass"), WAYS)
def test_models_of_all_solvers_are_kept(tmp_path, solver, multiclass):
    check_same(DependencyParser(solver=solver, multiclass=multiclass).fit(KNOWN), tmp_path, NEW)


@pytest.mark.parametrize("lifting", ["baseline", "head", "path", "head+path"])
def test_models_know_what_was_lifted(tmp_path, lifting):
    known = [*KNOWN, *crossing()]
    parser = DependencyParser(pseudo_projective=lifting, **EXACT).fit(known)
    check_same(parser, tmp_path, plain(known))
    assert (trees(parser.parse(plain(known))) == trees(known)) == (lifting != "baseline")


def test_hundreds_of_machines_are_one_file(tmp_path):
    known = [
        [replace(word, form=f"{word.form}{(number + place) % 50}") for place, word in enumerate(words)]
        for number, words in enumerate(sentences(300))
    ]
    parser = DependencyParser(split="b0.form", split_threshold=1, **EXACT).fit(known)
    assert len(parser.machine_) > 200
    check_same(parser, tmp_path, plain(known))
    assert parser.evaluate(known).las.f1 > 0.98


@pytest.mark.parametrize(
    ("algorithm", "options"),
    [
        ("swap", {}),
        ("arc-eager", {"split": "b0.upos"}),
        ("cascaded", {"chunks": "case aux punct", "split": "s0.ldep.last-form"}),
    ],
)
def test_what_is_loaded_learns_again_as_it_has_learned(tmp_path, algorithm, options):
    known, more = treebank_of(algorithm, 20), treebank_of(algorithm, 20, seed=1)
    parser = DependencyParser(algorithm, **options).fit(known)
    parser.save(tmp_path / "model")
    again = DependencyParser.load(tmp_path / "model")
    assert {name: getattr(again, name) for name in options} == options
    assert again.fit(more).machine_ == parser.fit(more).machine_


@pytest.mark.parametrize("engine", ENGINES)
def test_engine_and_beam_are_chosen_when_it_is_loaded(parsers, tmp_path, engine):
    parsers["split"].save(tmp_path / "model")
    again = DependencyParser.load(tmp_path / "model", engine=engine, beam=2, temperature=0.5, n_jobs=2)
    expected = DependencyParser(split="b0.upos", split_threshold=5, beam=2, temperature=0.5).fit(KNOWN)
    assert again.parse(NEW) == expected.parse(NEW)
    assert (again.engine, again.beam, again.temperature) == (engine, 2, 0.5)


@pytest.mark.parametrize(
    ("settings", "kind", "message"),
    [
        ({"degree": 3}, ValueError, "a dependency parser has no degree to choose"),
        ({"engine": "fast"}, ValueError, "engine"),
        ({"beam": 0}, ValueError, "beam"),
        ({"temperature": -1}, ValueError, "temperature"),
    ],
)
def test_other_settings_are_refused(parsers, tmp_path, settings, kind, message):
    parsers["one"].save(tmp_path / "model")
    with pytest.raises(kind, match=message):
        DependencyParser.load(tmp_path / "model", **settings)


def test_a_model_is_machines(parsers, tmp_path):
    parsers["split"].save(tmp_path / "model")
    machines = read_model(tmp_path / "model")
    assert without_params(machines) == parsers["split"].machine_
    assert {"b0.upos=NOUN", "b0.upos=VERB"} <= set(machines)
    assert machines["b0.upos=NOUN"].provenance["parser"]["algorithm"] == "arc-standard"


# --- what is refused --------------------------------------------------------------------------------------------------


def test_other_models_are_refused(tmp_path):
    machine = gm.Machine(gm.PolynomialKernel(2), [{0, 1}, {2}], [1.0, -0.5], -1.0, classes=["no", "yes"])
    machine.save(tmp_path / "one")
    gm.Machines({"one": machine, "two": machine}).save(tmp_path / "many")
    gm.Machines({}).save(tmp_path / "none")
    Tagger("F:0:0").fit([[("a", "X"), ("b", "Y")]]).save(tmp_path / "tagger")
    others = {"one": "a machine on rows: use", "tagger": "a tagger: use", "many": "2 machines", "none": "0 machines"}
    for name, got in others.items():
        with pytest.raises(FormatError, match=f"{name}: expected a dependency parser, got {got}"):
            DependencyParser.load(tmp_path / name)


@pytest.mark.parametrize("damage", ["cut", "flipped", "empty", "text"])
def test_damaged_files_are_refused(parsers, tmp_path, damage):
    parsers["one"].save(tmp_path / "model")
    data = (tmp_path / "model").read_bytes()
    flipped = data[:-9] + bytes([data[-9] ^ 1]) + data[-8:]
    forged = {"cut": data[: len(data) // 2], "flipped": flipped, "empty": b"", "text": b"# parser\n"}[damage]
    (tmp_path / "model").write_bytes(forged)
    with pytest.raises(FormatError, match="model: "):
        DependencyParser.load(tmp_path / "model")


def forged(parser, path, known=None, drop=(), more=None, **changes):
    """The model with something else in its header, without some machines, with more of them."""
    machines = {name: machine for name, machine in parser.machine_.items() if name not in drop}
    header = next(iter(parser.machine_.values())).provenance["parser"]
    header = {name: value for name, value in (header | (known or {})).items() if value != "drop"}
    made = {
        name: one.replace(provenance=one.provenance | {"parser": header}, **changes) for name, one in machines.items()
    }
    made |= {name: made[source] for name, source in (more or {}).items()}
    gm.Machines(made).save(path)
    return path


SPLIT = {"address": "b0", "column": "upos", "machines": {}, "other": "all"}
UNITS = {"joins": "case", "templates": "F:0:0"}


@pytest.mark.parametrize(
    ("which", "known", "message"),
    [
        *(("one", {name: "drop"}, name) for name in ("algorithm", "templates", "root", "common")),
        ("one", {"relations": "drop"}, "relations"),
        ("one", {"more": 1}, "more"),
        ("one", {"algorithm": "up"}, "algorithm"),
        ("one", {"algorithm": "head-final"}, "chunks do not fit the algorithm 'head-final'"),
        ("one", {"units": UNITS}, "chunks do not fit the algorithm 'arc-standard'"),
        ("one", {"templates": 3}, "templates must be text"),
        ("one", {"templates": "s0.word"}, "1:1: expected one of form"),
        ("one", {"relations": 3}, "not iterable"),
        ("one", {"relations": []}, "relations must differ, and the commonest be one of them"),
        ("one", {"relations": ["det"], "common": "det"}, "is no action of a parser"),
        ("one", {"relations": ["det", "det"]}, "relations must differ"),
        ("one", {"relations": ["det", 3]}, "relations must be words"),
        ("one", {"relations": ["det", "a\tb"]}, "relations must be words"),
        ("one", {"relations": ["det", "x↑y"], "common": "det", "lifted": True}, "speaks of others that are not there"),
        ("one", {"root": 3}, "relations must be words"),
        ("one", {"root": ""}, "relations must be words"),
        ("one", {"common": "nothing"}, "the commonest"),
        ("one", {"split": [1]}, "must be a mapping"),
        ("one", {"split": SPLIT | {"address": 3}}, "split by a cell of a word, got 3"),
        ("one", {"split": SPLIT | {"address": "q0"}}, "expected a place"),
        ("one", {"split": SPLIT | {"column": "deprel"}}, "the column to split by"),
        ("one", {"split": SPLIT | {"machines": ["all"]}}, "machines of values must have names"),
        ("one", {"split": SPLIT | {"machines": {"NOUN": 3}}}, "machines of values must have names"),
        ("one", {"split": SPLIT | {"machines": {"NOUN": "none"}}}, r"there are no machines \['none'\]"),
        ("one", {"split": SPLIT | {"other": None}}, r"there are no machines \['None'\]"),
        ("split", {"split": None}, r"there are no machines \['all'\]"),
        ("units", {"units": None}, "chunks do not fit the algorithm 'head-final'"),
        ("units", {"units": "case"}, "must be a mapping"),
        ("units", {"units": UNITS | {"joins": "<"}}, "expected relations"),
        ("units", {"units": UNITS | {"templates": 3}}, "templates must be text"),
        ("units", {"units": UNITS | {"templates": "F:0:9"}}, "there is no column 9"),
        ("units", {"split": SPLIT | {"other": "units"}}, r"there are no machines \['units'\] for actions"),
    ],
)
def test_forged_headers_are_refused(parsers, tmp_path, which, known, message):
    path = forged(parsers[which], tmp_path / "model", known)
    with pytest.raises(FormatError, match=f"model: not a sound parser: .*{message}"):
        DependencyParser.load(path)


@pytest.mark.parametrize(
    ("which", "drop", "message"),
    [
        ("rare", ["other"], r"there are no machines \['other'\]"),
        ("split", ["b0.upos=NOUN"], r"there are no machines \['b0.upos=NOUN'\]"),
        ("units", ["units"], "there is no machine that finds chunks"),
        ("units", ["all"], r"there are no machines \['all'\]"),
    ],
)
def test_models_that_lack_machines_are_refused(parsers, tmp_path, which, drop, message):
    path = forged(parsers[which], tmp_path / "model", drop=drop)
    with pytest.raises(FormatError, match=f"model: not a sound parser: {message}"):
        DependencyParser.load(path)


@pytest.mark.parametrize("machine", ["all", "units"])
@pytest.mark.parametrize(
    "name",
    ["up", "shift", "SHIFT:case", "LEFT", "LEFT:nothing", "B:case", "B:case:@@", "I:case:+-1", "I:case:+" + "9" * 20],
)
def test_classes_that_mean_nothing_are_refused(parsers, tmp_path, machine, name):
    machines = dict(parsers["units"].machine_)
    own = machines[machine]
    machines[machine] = own.replace(classes=[name, *own.classes.tolist()[1:]])
    gm.Machines(machines).save(tmp_path / "model")
    with pytest.raises(FormatError, match=r"model: not a sound parser: .* is no (action of a parser|tag of a chunk)"):
        DependencyParser.load(tmp_path / "model")


@pytest.mark.parametrize("changes", [{"classes": "numbers"}, {"feature_names": None}])
def test_machines_without_names_are_refused(parsers, tmp_path, changes):
    count = len(parsers["one"].machine_["all"].classes)
    own = changes if "classes" not in changes else {"classes": np.arange(count)}
    path = forged(parsers["one"], tmp_path / "model", **own)
    with pytest.raises(FormatError, match="machine 'all' has no names of features, or no actions"):
        DependencyParser.load(path)


@pytest.mark.parametrize("beam", [1, 3])
@pytest.mark.parametrize(
    "classes", [("REDUCE", "SWAP"), ("SHIFT", "SWAP"), ("LEFT:det", "SWAP"), ("RIGHT:obj", "SHIFT")], ids=" ".join
)
def test_machines_that_know_no_legal_action_still_give_trees(parsers, tmp_path, classes, beam):
    own = parsers["one"].machine_["all"]
    machine = gm.Machine(
        own.kernel, [{0}], [1.0], 0.0, classes, feature_names=own.feature_names, provenance=own.provenance
    )
    gm.Machines({"all": machine}).save(tmp_path / "model")
    parser = DependencyParser.load(tmp_path / "model", beam=beam)
    assert all(tree.heads.count(0) == 1 for tree in parser.parse(NEW))
