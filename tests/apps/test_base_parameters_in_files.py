"""Settings that survive a file: every parameter of every app comes back, and inspect shows it."""

from __future__ import annotations

import contextlib
import io
import json
from pathlib import Path

import numpy as np
import pytest

import gristmill as gm
from gristmill.apps import (
    DependencyParser,
    Lemmatizer,
    RoleLabeller,
    Segmenter,
    Splitter,
    Tagger,
    Tokenizer,
    TreeClassifier,
    Word,
)
from gristmill.apps.base import RUNTIME, with_provenance, without_params
from gristmill.base.errors import FormatError
from gristmill.cli import run
from gristmill.machines.formats import read_model
from tests.apps.roles.labelled_sentences import PROPOSITIONS, TREES
from tests.apps.tagging.chunked_sentences import sentences
from tests.apps.treebank_files import english, japanese

GOLDEN = Path(__file__).parents[1] / "golden"
QUESTIONS = ["(Q (W who) (V sang))", "(Q (W who) (V ran))", "(Q (W where) (V was) (N it))", "(Q (W where) (V ran))"]
KINDS = ["person", "person", "place", "place"]
WORDS = ["また 行き たい", "また 見 たい", "行き たい", "海 を 見 たい", "海 が 見え た"]
KERNEL = gm.Normalized(gm.PartialTreeKernel(decay=0.3, mu=0.2))


@pytest.fixture(scope="module")
def treebanks(tmp_path_factory):
    folder = tmp_path_factory.mktemp("treebanks")
    for name, made in (("en", english(30, 0)), ("ja", japanese(30, 0))):
        (folder / name).write_text("".join("\n".join([*lines, "", ""]) for lines in made))
    return folder


EAGER = {
    "algorithm": "nivreeager",
    "templates": "{s0,b0}.{upos,form} s0.deprel",
    "oracle": "dynamic",
    "pseudo_projective": "head",
}
EAGER |= {"split": "b0.upos", "split_threshold": 5, "solver": "dual-cd", "multiclass": "ovo", "degree": 3, "C": 0.25}
EAGER |= {"epochs": 3, "beam": 2, "temperature": 0.5, "keep_examples": True, "column_dropout": 0.1}
TAGGER = {"templates": "F:-1..1:0 T:-1", "solver": "dual-cd", "multiclass": "ovo", "degree": 3, "C": 0.5, "epochs": 4}
TAGGER |= {"direction": "backward", "tag_scheme": "BIOES", "keep_examples": True, "constraints": "chunks"}
SEGMENTER = {"templates": "F:-1..1:0 B:0:1", "longest_word": 5, "degree": 3, "C": 0.01, "solver": "smo", "epochs": 3}
SEGMENTER |= {"keep_examples": True}
TOKENIZER = {"templates": "F:0:0..2", "degree": 3, "C": 0.5, "solver": "smo", "epochs": 3}
EDITS = {"templates": "F:0:0", "solver": "dual-cd", "multiclass": "ovo", "degree": 3, "C": 0.5, "epochs": 4}
ROLES = {"kernel": "sst", "C": 2.0, "form": "minimal", "candidates": "all", "predicate": "highest", "lowercase": False}
ROLES |= {"words": True, "max_examples": 100, "min_count": 1, "threshold": -0.25, "overlap": True, "random_state": 3}
CLASSIFIER = {
    "kernel": KERNEL,
    "word_weight": 0.25,
    "ngrams": 2,
    "lowercase": False,
    "C": 2.0,
    "multiclass": "ovo",
    "tree": "q",
}

KINDS_OF_APPS = [Tagger, Segmenter, Tokenizer, Splitter, Lemmatizer, DependencyParser, RoleLabeller, TreeClassifier]
CHOSEN = {  # all that can be chosen together; each parameter that is kept differs from its default in one of them
    "tagger": (Tagger, TAGGER),
    "segmenter": (Segmenter, SEGMENTER),
    "segmenter-plain": (Segmenter, {"dictionary": False}),
    "tokenizer": (Tokenizer, TOKENIZER),
    "splitter": (Splitter, EDITS),
    "lemmatizer": (Lemmatizer, EDITS),
    "parser": (DependencyParser, EAGER),
    "parser-units": (DependencyParser, {"algorithm": "head-final", "chunks": "case aux", "epochs": 2}),
    "roles": (RoleLabeller, ROLES),
    "classifier": (TreeClassifier, CLASSIFIER),
}


def fitted(app, treebanks):
    if isinstance(app, Tagger):
        return app.fit(sentences(20))
    if isinstance(app, Segmenter):
        return app.fit(WORDS)
    if isinstance(app, Tokenizer):
        return app.fit(
            ["It is. Is it?", "Is it it?"], [[["It", "is", "."], ["Is", "it", "?"]], [["Is", "it", "it", "?"]]]
        )
    if isinstance(app, Splitter):
        return app.fit([["au", "bois"]], [[["à", "le"], ["bois"]]])
    if isinstance(app, Lemmatizer):
        return app.fit([[Word("cats", "cat"), Word("runs", "run"), Word("The", "the")]])
    if isinstance(app, DependencyParser):
        return app.fit(treebanks / ("ja" if app.algorithm == "head-final" else "en"))
    if isinstance(app, RoleLabeller):
        return app.fit(TREES, PROPOSITIONS)
    return app.fit(QUESTIONS, KINDS)


def kept(app):
    return {name: value for name, value in app.get_params().items() if name not in RUNTIME}


def learned(app):
    return app.machine_


@pytest.mark.parametrize("kind", KINDS_OF_APPS)
def test_the_choices_of_these_tests_cover_every_parameter(kind):
    defaults = kept(kind())
    chosen = [params for app, params in CHOSEN.values() if app is kind]
    differing = {name for params in chosen for name, value in params.items() if value != defaults[name]}
    assert differing == set(defaults)


@pytest.mark.parametrize("name", CHOSEN)
def test_every_parameter_comes_back(name, treebanks, tmp_path):
    kind, params = CHOSEN[name]
    app = fitted(kind(**params), treebanks)
    app.save(tmp_path / "model")
    again = kind.load(tmp_path / "model")
    assert kept(again) == kept(app) == kept(kind()) | params
    assert repr(again) == repr(app)
    again.save(tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == (tmp_path / "model").read_bytes()
    assert dict(inspected(tmp_path / "again")).keys() == kept(app).keys()


@pytest.mark.parametrize("name", CHOSEN)
def test_what_is_loaded_learns_the_same_again(name, treebanks, tmp_path):
    kind, params = CHOSEN[name]
    app = fitted(kind(**params), treebanks)
    app.save(tmp_path / "model")
    assert learned(fitted(kind.load(tmp_path / "model"), treebanks)) == learned(app)


@pytest.mark.parametrize("kind", KINDS_OF_APPS)
def test_defaults_come_back_as_defaults(kind, treebanks, tmp_path):
    fitted(kind(), treebanks).save(tmp_path / "model")
    assert kept(kind.load(tmp_path / "model")) == kept(kind())


def test_numbers_of_numpy_come_back_as_numbers(tmp_path):
    tagger = Tagger(degree=np.int64(3), C=np.float32(0.5), epochs=np.int16(2)).fit(sentences(20))
    tagger.save(tmp_path / "model")
    assert kept(Tagger.load(tmp_path / "model")) == kept(Tagger(degree=3, C=0.5, epochs=2))


def test_scikit_learn_clones_an_app():
    from sklearn.base import clone

    app = Tagger(degree=3, n_jobs=2)
    assert clone(app).get_params() == app.get_params()


def test_how_the_work_is_done_is_not_kept(tmp_path):
    Tagger(engine="direct", n_jobs=2, progress=lambda *_: None).fit(sentences(20)).save(tmp_path / "model")
    again = Tagger.load(tmp_path / "model", n_jobs=1)
    assert (again.engine, again.n_jobs, again.progress) == ("auto", 1, None)


def test_a_beam_that_was_saved_is_that_of_the_command_line(treebanks, tmp_path, capsys, monkeypatch):
    fitted(DependencyParser(beam=3), treebanks).save(tmp_path / "model")
    beams = []
    monkeypatch.setattr(DependencyParser, "_keep", lambda self, *_: beams.append(self.beam) or 1 / 0)
    for options in ([], ["--beam", "2"]):
        with pytest.raises(ZeroDivisionError):
            run(["parse", "run", str(tmp_path / "model"), str(treebanks / "en"), *options])
    assert beams == [3, 2]


# --- inspect ----------------------------------------------------------------------------------------------------------


def inspected(path):
    with contextlib.redirect_stdout(io.StringIO()) as out:
        assert run(["inspect", str(path), "--json"]) == 0
    return json.loads(out.getvalue())["params"]


@pytest.mark.parametrize("name", ["tagger", "segmenter", "tokenizer", "splitter", "lemmatizer", "parser", "roles"])
def test_inspect_shows_every_parameter(name, treebanks, tmp_path, capsys):
    kind, params = CHOSEN[name]
    fitted(kind(**params), treebanks).save(tmp_path / "model")
    assert run(["inspect", str(tmp_path / "model")]) == 0
    shown = [line.split(maxsplit=1) for line in capsys.readouterr().out.partition("parameters")[2].splitlines()]
    for parameter, value in params.items():
        assert [parameter, str(value)] in [[part.strip() for part in line] for line in shown]
    assert inspected(tmp_path / "model") == kept(kind()) | params


def test_inspect_shows_kernels_as_json(treebanks, tmp_path):
    fitted(TreeClassifier(**CLASSIFIER), treebanks).save(tmp_path / "model")
    kernel = inspected(tmp_path / "model")["kernel"]
    assert kernel["name"] == "normalized"
    assert kernel["kernel"]["decay"] == 0.3


def test_inspect_has_no_parameters_of_a_plain_machine(tmp_path, capsys):
    gm.Machine(gm.PolynomialKernel(2), np.eye(2), [1.0, -1.0], 0.0).save(tmp_path / "model")
    assert run(["inspect", str(tmp_path / "model"), "--json"]) == 0
    assert "params" not in json.loads(capsys.readouterr().out)


@pytest.mark.parametrize(("name", "machine"), [("parser-units", "all"), ("roles", "classify"), ("roles", "identify")])
def test_a_machine_that_was_taken_from_an_app_can_be_inspected(name, machine, treebanks, tmp_path, capsys):
    kind, params = CHOSEN[name]
    fitted(kind(**params), treebanks).save(tmp_path / "model")
    without_params(read_model(tmp_path / "model")[machine]).save(tmp_path / "one")
    assert run(["inspect", str(tmp_path / "one"), "--json"]) == 0
    assert "params" not in json.loads(capsys.readouterr().out)


# --- the command line -------------------------------------------------------------------------------------------------


def test_models_that_the_command_line_trains_keep_their_parameters(treebanks, tmp_path):
    learner = ["--solver", "dual-cd", "--multiclass", "ovo", "-d", "3", "-C", "0.5", "--epochs", "4", "-q"]
    conllu = ["--direction", "backward", "--conllu", "upos", "--templates", "F:-1..1:0 T:-1", "--keep-examples"]
    assert run(["tag", "train", str(treebanks / "en"), str(tmp_path / "tagger"), *learner, *conllu]) == 0
    assert kept(Tagger.load(tmp_path / "tagger")) == kept(Tagger()) | TAGGER | {
        "tag_scheme": "keep",
        "constraints": "none",
    }
    parse = ["-a", "arc-eager", "--pseudo-projective", "head", "--split", "b0.upos", "--split-threshold", "5"]
    assert run(["parse", "train", str(treebanks / "en"), str(tmp_path / "parser"), *learner, *parse]) == 0
    expected = DependencyParser(
        "arc-eager", pseudo_projective="head", split="b0.upos", split_threshold=5, solver="dual-cd"
    )
    expected = kept(expected) | {"multiclass": "ovo", "degree": 3, "C": 0.5, "epochs": 4}
    assert kept(DependencyParser.load(tmp_path / "parser")) == inspected(tmp_path / "parser") == expected


# --- files of older releases ------------------------------------------------------------------------------------------


def test_a_tagger_of_an_older_release_tells_what_its_machine_knows():
    tagger = Tagger.load(GOLDEN / "tagger-v1.safetensors")
    templates = "F:-1..1:0.. F:0:0:lower+suffix:1..2 F:0:0:shape F:0:0:grams:2 B:0:1 T:-2..-1"
    known = {"templates": templates, "multiclass": "ovo", "C": 0.1, "direction": "backward", "tag_scheme": "BIOES"}
    assert kept(tagger) == kept(Tagger()) | known
    assert inspected(GOLDEN / "tagger-v1.safetensors") == kept(tagger)


def test_a_tree_classifier_of_an_older_release_tells_everything():
    classifier = TreeClassifier.load(GOLDEN / "tree-classifier-v1.safetensors")
    settings = classifier.machine_.provenance["tree_classifier"]
    now = {"words": "word_weight", "ngrams": "ngrams", "lowercase": "lowercase", "C": "C", "scheme": "multiclass"}
    assert {old: kept(classifier)[new] for old, new in now.items()} == {old: settings[old] for old in now}


@pytest.mark.parametrize("name", ["tagger", "parser", "parser-units", "roles", "classifier"])
def test_parameters_under_the_names_of_an_older_release_are_known(name, treebanks, tmp_path):
    kind, params = CHOSEN[name]
    app = fitted(kind(**params), treebanks)
    app.save(tmp_path / "model")
    former = {new: old for old, new in kind.former_names.items()}
    machines = read_model(tmp_path / "model")
    known = machines if isinstance(machines, gm.Machines) else {"": machines}
    old = {one: machine.replace(provenance=_renamed(machine.provenance, former)) for one, machine in known.items()}
    (gm.Machines(old) if isinstance(machines, gm.Machines) else old[""]).save(tmp_path / "old")
    assert (tmp_path / "old").read_bytes() != (tmp_path / "model").read_bytes()
    assert kept(kind.load(tmp_path / "old")) == kept(app)


def _renamed(provenance, names):
    """Parameters, and the settings of roles and tree classifiers, under other names."""
    kept = {key: provenance[key] for key in ("params", "roles", "tree_classifier") if key in provenance}
    return provenance | {
        key: {names.get(name, name): value for name, value in settings.items()} for key, settings in kept.items()
    }


@pytest.mark.filterwarnings("ignore::gristmill.base.warnings.SwappedParametersWarning")
def test_a_model_of_yamcha_tells_its_degree_and_scheme():
    tagger = Tagger.load(GOLDEN / "yamcha-pairs.model")
    assert (tagger.degree, tagger.multiclass) == (tagger.machine_.kernel.degree, "ovo")


def test_parsers_and_segmenters_of_older_releases_tell_what_their_machines_know(treebanks, tmp_path):
    parser = fitted(DependencyParser(**EAGER), treebanks)
    parser.machine_.save(tmp_path / "parser")  # as older releases wrote it
    unknown = {"oracle": "static", "split_threshold": 1000, "epochs": 10, "beam": 1, "temperature": 0.3}
    unknown |= {"keep_examples": False, "column_dropout": 0.2}
    expected = (
        kept(parser) | unknown | {"algorithm": "arc-eager", "pseudo_projective": "baseline"}
    )  # no arc was lifted here
    assert kept(DependencyParser.load(tmp_path / "parser")) == expected
    segmenter = fitted(Segmenter(**SEGMENTER), treebanks)
    segmenter.machine_.save(tmp_path / "segmenter")
    assert kept(Segmenter.load(tmp_path / "segmenter")) == kept(segmenter) | {"epochs": 10, "keep_examples": False}


def test_roles_of_older_releases_tell_everything(treebanks, tmp_path):
    labeller = fitted(RoleLabeller(**ROLES), treebanks)
    labeller.save(tmp_path / "model")
    without_params(read_model(tmp_path / "model")).save(tmp_path / "old")
    again = RoleLabeller.load(tmp_path / "old")
    assert kept(again) == kept(labeller) | {"kernel": labeller.machine_["identify"].kernel}


# --- files that are wrong ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"wisdom": 3}, r"model: not a sound tagger: this release knows no parameters \['wisdom'\].*upgrade gristmill"),
        ({"degree": 0}, "model: not a sound tagger: degree must be"),
        ([], "model: not a sound tagger: parameters must have names"),
        ({"degree": {"name": "nothing"}}, "model: not a sound tagger: no kernel"),
    ],
)
def test_parameters_that_are_none_are_refused(tmp_path, params, message):
    machine = Tagger().fit(sentences(20)).machine_
    with_provenance(machine, {"params": params}).save(tmp_path / "model")
    with pytest.raises(FormatError, match=message):
        Tagger.load(tmp_path / "model")


def test_a_file_that_says_two_things_is_refused(treebanks, tmp_path):
    classifier = fitted(TreeClassifier(), treebanks)
    classifier.save(tmp_path / "model")
    machine = read_model(tmp_path / "model")
    params = machine.provenance["params"] | {"lowercase": False}
    with_provenance(machine, {"params": params}).save(tmp_path / "forged")
    with pytest.raises(FormatError, match="not a sound tree classifier: lowercase is True in one place and False in"):
        TreeClassifier.load(tmp_path / "forged")
