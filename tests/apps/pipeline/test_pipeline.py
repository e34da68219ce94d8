"""Text pipelines: what their stages find for each other, what is given, files, threads."""

from __future__ import annotations

import re

import pytest

import gristmill as gm
from gristmill import _core
from gristmill.apps import DependencyParser, Lemmatizer, MorphologicalTagger, TextPipeline
from gristmill.apps.parsing.scores import score_conllu
from gristmill.base.errors import FormatError
from gristmill.cli import run
from gristmill.machines.collection import MachineGroups
from tests.apps.pipeline.small_pipeline import TEXT, learned, pipeline, treebank

BARE = re.sub(r"(?m)^(\d+\t\S+\t)(?:\S+\t){7}", r"\1_\t_\t_\t_\t_\t_\t_\t", TEXT)
HORIZONTAL = "".join(f"{' '.join(re.findall(r'(?m)^[0-9]+	([^	]+)', one))}\n" for one in TEXT.split("\n\n") if one)


def cells(text: str, column: int) -> list[str]:
    return [line.split("\t")[column] for line in text.splitlines() if line[:1].isdigit()]


# --- running ----------------------------------------------------------------------------------------------------------


def test_all_columns_are_filled_in():
    found = learned().process(BARE, given="conllu")
    assert cells(found, 3) == cells(TEXT, 3)
    assert cells(found, 2) == cells(TEXT, 2)
    assert cells(found, 5) == cells(TEXT, 5)
    assert score_conllu(TEXT, found).las.f1 > 0.8


def test_stages_see_what_those_before_them_have_found():
    text = BARE
    for app in learned().stages_.values():
        parsed = _core.Conllu.parse(text.encode())
        text = parsed.filled(**app.fill_conllu(parsed)).decode()
    assert learned().process(BARE, given="conllu") == text


@pytest.mark.parametrize("given", ["horizontal", "vertical"])
def test_words_may_be_given_in_lines(given):
    text = HORIZONTAL if given == "horizontal" else HORIZONTAL.replace("\n", "\n\n").replace(" ", "\n")
    found = learned().process(text, given=given)
    assert re.sub("(?m)^#.*\n", "", found) == learned().process(BARE, given="conllu")
    assert found.startswith(f"# sent_id = 1\n# text = {HORIZONTAL.splitlines()[0]}\n")


def test_what_is_given_stays():
    given = re.sub(r"(?m)^(1\t\S+\t)\S+\t\S+", r"\1Odd\tX", BARE)
    found = learned().process(given, given="conllu")
    assert [line.split("\t")[2:4] for line in found.splitlines() if line.startswith("1\t")] == [["Odd", "X"]] * 6
    assert learned().process(TEXT, given="conllu") == TEXT


def test_a_file_larger_than_a_block_is_the_same_as_its_parts(tmp_path, monkeypatch):
    (tmp_path / "text").write_text(BARE)
    whole = tmp_path / "whole", tmp_path / "parts"
    assert learned().process_file(tmp_path / "text", whole[0], given="conllu") == len(cells(BARE, 0))
    monkeypatch.setattr("gristmill.apps.pipeline.inputs.WORDS", _with_small_blocks())
    learned().process_file(tmp_path / "text", whole[1], given="conllu")
    assert whole[0].read_bytes() == whole[1].read_bytes()


def _with_small_blocks():
    from gristmill.apps.pipeline.inputs import WORDS

    return {name: (read, kind, 64) for name, (read, kind, _) in WORDS.items()}


def test_threads_change_nothing(tmp_path):
    models = []
    for jobs in (1, 3):
        pipeline(n_jobs=jobs).fit(treebank()).save(tmp_path / "model")
        models.append((tmp_path / "model").read_bytes())
    assert models[0] == models[1]
    several = TextPipeline.load(tmp_path / "model", n_jobs=3)
    assert several.process(BARE, given="conllu") == learned().process(BARE, given="conllu")


def test_a_pipeline_predicts_trees():
    tree = learned().predict([])
    assert tree == []


# --- learning ---------------------------------------------------------------------------------------------------------


def test_columns_that_a_treebank_lacks_have_no_stage():
    lacking = [[gm.apps.Word(word.form, head=word.head, deprel=word.deprel) for word in one] for one in treebank()]
    assert list(TextPipeline(folds=0).fit(lacking).stages_) == ["parser"]


def test_stages_may_be_left_out_or_given():
    tagger = MorphologicalTagger(folds=0, epochs=1).fit_conllu(_core.Conllu.parse(TEXT.encode()))
    found = TextPipeline(tagger, "none", DependencyParser(epochs=1), folds=0).fit(treebank())
    assert list(found.stages_) == ["tagger", "parser"]
    assert found.stages_["tagger"].machine_ is tagger.machine_


def test_stages_learn_from_what_those_before_them_find_in_other_folds():
    seen = []

    class Parser(DependencyParser):
        def fit_conllu(self, source):
            seen.append(source.columns.column(2))
            return super().fit_conllu(source)

    tagger = MorphologicalTagger(epochs=1, folds=0)
    for folds in (0, 2):
        TextPipeline(tagger, "none", Parser(epochs=1), folds=folds).fit(treebank(8))
    by_itself, crossed = seen
    gold = [word.upos for words in treebank(8) for word in words]
    assert by_itself == gold
    assert crossed != gold
    first, second = treebank(8)[:4], treebank(8)[4:]
    for known, other, place in ((second, first, slice(0, len(sum(first, [])))), (first, second, slice(-len(sum(second, [])), None))):
        alone = MorphologicalTagger(epochs=1, folds=0).fit(known)
        assert crossed[place] == [word.upos for words in alone.tag([[one.form for one in s] for s in other]) for word in words]


def test_an_interrupted_pipeline_keeps_the_stages_that_it_has():
    def stop(done, total):
        if total and done / total > 0.6:
            raise KeyboardInterrupt

    stopped = pipeline(progress=stop)
    with pytest.raises(KeyboardInterrupt):
        stopped.fit(treebank())
    assert "tagger" in stopped.stages_
    assert stopped.process(BARE, given="conllu")


# --- files ------------------------------------------------------------------------------------------------------------


def test_a_pipeline_is_one_file(tmp_path):
    learned().save(tmp_path / "model")
    again = gm.load(tmp_path / "model")
    assert isinstance(again, TextPipeline)
    assert isinstance(again.machine_, MachineGroups)
    assert again.process(BARE, given="conllu") == learned().process(BARE, given="conllu")
    again.save(tmp_path / "again")
    assert (tmp_path / "model").read_bytes() == (tmp_path / "again").read_bytes()


def test_a_loaded_pipeline_learns_as_it_did_before(tmp_path):
    learned().save(tmp_path / "model")
    gm.load(tmp_path / "model").fit(treebank()).save(tmp_path / "again")
    assert (tmp_path / "model").read_bytes() == (tmp_path / "again").read_bytes()


def test_a_file_says_which_stages_were_given_and_left_out(tmp_path):
    tagger = learned().stages_["tagger"]
    TextPipeline(tagger, "none", folds=0).fit(treebank()).save(tmp_path / "model")
    again = gm.load(tmp_path / "model")
    assert again.lemmatizer == "none"
    assert again.tagger.machine_ == tagger.machine_
    assert "machine_" not in vars(again.parser)


@pytest.mark.parametrize("damage", [{"folds": None}, {"tagger": 1}, None])
def test_unsound_files_are_refused(tmp_path, damage):
    first, *rest = learned()._to_save().groups.items()
    one = dict(first[1])
    name = next(iter(one))
    known = one[name].provenance["pipeline"]
    broken = {} if damage is None else {key: value for key, value in (known | damage).items() if value is not None}
    one[name] = one[name].replace(provenance=one[name].provenance | {"pipeline": broken})
    MachineGroups({first[0]: gm.Machines(one), **dict(rest)}).save(tmp_path / "model")
    with pytest.raises(FormatError, match="text pipeline"):
        TextPipeline.load(tmp_path / "model")


def test_models_of_other_apps_are_no_pipelines(tmp_path):
    learned().stages_["parser"].save(tmp_path / "parser")
    with pytest.raises(FormatError, match="expected a text pipeline, got a dependency parser"):
        TextPipeline.load(tmp_path / "parser")
    learned().save(tmp_path / "model")
    with pytest.raises(FormatError, match="got a text pipeline: use `gristmill pipeline run`"):
        DependencyParser.load(tmp_path / "model")


# --- scores -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("given", ["words", "tags"])
def test_scores_are_those_of_the_annotated_text(given, tmp_path):
    (tmp_path / "test.conllu").write_text(TEXT)
    text = BARE if given == "words" else re.sub(r"(?m)\t\d+\t\w+\t_\t_$", "\t_\t_\t_\t_", TEXT)
    expected = score_conllu(TEXT, learned().process(text, given="conllu"))
    assert learned().evaluate(tmp_path / "test.conllu", given=given) == expected


def test_raw_text_needs_a_tokenizer():
    with pytest.raises(ValueError, match="no tokenizer"):
        learned().process("some text")


# --- parameters -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"folds": 1}, "folds must be"),
        ({"folds": "2"}, "folds must be"),
        ({"parser": "some"}, "parser must be a DependencyParser, 'none' or None"),
        ({"tagger": Lemmatizer()}, "tagger must be a MorphologicalTagger"),
        ({"engine": "warp"}, "engine must be"),
        ({"tagger": "none", "lemmatizer": "none", "parser": "none"}, "needs stages"),
    ],
)
def test_wrong_parameters_are_refused(params, message):
    with pytest.raises(ValueError, match=message):
        TextPipeline(**params).fit(treebank(4))


def test_wrong_words_for_the_input_are_refused():
    with pytest.raises(ValueError, match="given must be one of"):
        learned().process("a", given="words")
    with pytest.raises(FormatError, match="several columns"):
        learned().process("a\tb\n", given="vertical")
