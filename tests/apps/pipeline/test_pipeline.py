"""Text pipelines: what their stages find for each other, what is given, files, threads."""

from __future__ import annotations

import re

import pytest

import gristmill as gm
from gristmill import _core
from gristmill.apps import DependencyParser, Lemmatizer, MorphologicalTagger, TextPipeline
from gristmill.apps.parsing.scores import score_conllu
from gristmill.apps.pipeline import inputs
from gristmill.apps.pipeline.stages import annotated, overwritten
from gristmill.base.errors import FormatError
from gristmill.machines.collection import MachineGroups
from tests.apps.pipeline.small_pipeline import TEXT, TRAIN, learned, parsed, pipeline, text_to_read, treebank

BARE = re.sub(r"(?m)^(\d+\t\S+\t)(?:\S+\t){7}", r"\1_\t_\t_\t_\t_\t_\t_\t", TEXT)
LINES = [" ".join(re.findall(r"(?m)^\d+\t(\S+)", one)) for one in TEXT.split("\n\n") if one]
STAGES = ["tokenizer", "splitter", "tagger", "lemmatizer", "parser"]


def cells(text: str, column: int) -> list[str]:
    """Those of words."""
    return [line.split("\t")[column] for line in text.splitlines() if re.match(r"\d+\t", line)]


# --- running ----------------------------------------------------------------------------------------------------------


def test_all_columns_are_filled_in():
    found = learned().process(BARE, given="conllu")
    assert [cells(found, column) for column in (2, 3, 5)] == [cells(TEXT, column) for column in (2, 3, 5)]
    assert score_conllu(TEXT, found).las.f1 > 0.8


def test_stages_see_what_those_before_them_have_found():
    text = BARE
    for name in STAGES[2:]:
        text = parsed(text).filled(**learned().stages_[name].fill_conllu(parsed(text))).decode()
    assert learned().process(BARE, given="conllu") == text


def test_raw_text_is_cut_into_sentences_tokens_and_words():
    found = learned().process(text_to_read(TEXT))
    assert re.sub("(?m)^#.*\n", "", found) == learned().process(BARE, given="conllu")
    assert re.search(r"\t(in|with)(the|a|every)\t", found)


@pytest.mark.parametrize("given", ["horizontal", "vertical"])
def test_words_may_be_given_in_lines(given):
    text = "".join(f"{line}\n" for line in LINES)
    text = text if given == "horizontal" else text.replace("\n", "\n\n").replace(" ", "\n")
    found = learned().process(text, given=given)
    assert cells(found, 6) == cells(learned().process(BARE, given="conllu"), 6)
    assert found.startswith(f"# sent_id = 1\n# text = {LINES[0]}\n")


def test_what_is_given_stays():
    given = re.sub(r"(?m)^(1\t\S+\t)\S+\t\S+", r"\1Odd\tX", BARE)
    found = learned().process(given, given="conllu")
    assert [line.split("\t")[2:4] for line in found.splitlines() if line.startswith("1\t")] == [["Odd", "X"]] * 12
    assert learned().process(TEXT, given="conllu") == TEXT


def test_features_are_those_of_the_part_of_speech_that_is_given():
    feats = {"NOUN": "Number=Sing", "VERB": "VerbForm=Fin"}
    known = [
        [gm.apps.Word(f"{kind}{at}", upos=upos, feats=feats[upos])]
        for at, (kind, upos) in enumerate([("run", "NOUN"), ("run", "VERB"), ("walk", "NOUN"), ("walk", "VERB")] * 5)
    ]
    tagger = MorphologicalTagger(folds=0).fit(known)
    text = "".join(f"1\trun\t_\t{upos}" + "\t_" * 6 + "\n\n" for upos in feats)
    assert cells(annotated(parsed(text), {"tagger": tagger}).filled().decode(), 5) == [*feats.values()]
    assert len({*cells(overwritten(parsed(text), {"tagger": tagger}).filled().decode(), 5)}) == 1


@pytest.mark.parametrize("given", ["text", "horizontal", "vertical", "conllu"])
def test_a_file_larger_than_a_block_gives_what_it_gives_whole(given, tmp_path, monkeypatch):
    words = "\n\n".join(line.replace(" ", "\n") for line in LINES)
    texts = {"text": "\n\n".join(LINES), "horizontal": "\n".join(LINES), "vertical": words, "conllu": BARE}
    (tmp_path / "text").write_text(texts[given])
    assert learned().process_file(tmp_path / "text", tmp_path / "whole", given=given) == len(cells(BARE, 0))
    monkeypatch.setattr(inputs, "WORDS", {name: (*one[:2], 64) for name, one in inputs.WORDS.items()})
    monkeypatch.setattr(inputs, "TEXT_BLOCK", 64)
    learned().process_file(tmp_path / "text", tmp_path / "parts", given=given)
    assert (tmp_path / "whole").read_bytes() == (tmp_path / "parts").read_bytes()


def test_text_without_empty_lines_is_cut_at_lines_in_files_and_in_memory_alike(tmp_path, monkeypatch):
    monkeypatch.setattr(inputs, "TEXT_BLOCK", 100)
    monkeypatch.setattr("gristmill.apps.tokenization.parts.LONGEST_PARAGRAPH", 50)
    text = "\n".join(LINES) + "\n"
    (tmp_path / "text").write_text(text)
    learned().process_file(tmp_path / "text", tmp_path / "found")
    assert (tmp_path / "found").read_text() == learned().process(text)
    assert len([*learned().process_blocks(tmp_path / "text")]) > 3


def test_threads_change_nothing(tmp_path):
    models = []
    for jobs in (1, 3):
        pipeline(n_jobs=jobs).fit(parsed(TRAIN)).save(tmp_path / "model")
        models.append((tmp_path / "model").read_bytes())
    assert models[0] == models[1]
    several = TextPipeline.load(tmp_path / "model", n_jobs=3)
    assert several.process(text_to_read(TEXT)) == learned().process(text_to_read(TEXT))


def test_trees_are_predicted_sentence_by_sentence():
    trees = learned().predict(text_to_read(TEXT))
    assert [" ".join(word.form for word in tree) for tree in trees] == LINES
    assert learned().predict([text_to_read(TEXT), ""]) == [trees, []]


# --- learning ---------------------------------------------------------------------------------------------------------


def test_columns_that_a_treebank_lacks_have_no_stage():
    lacking = [[gm.apps.Word(word.form, head=word.head, deprel=word.deprel) for word in one] for one in treebank()]
    assert list(TextPipeline(folds=0).fit(lacking).stages_) == ["tokenizer", "parser"]
    assert list(learned().stages_) == STAGES


def test_stages_may_be_left_out_or_given():
    tagger = MorphologicalTagger(folds=0, epochs=1).fit_conllu(parsed(TEXT))
    stages = {"tokenizer": "none", "tagger": tagger, "lemmatizer": "none", "parser": DependencyParser(epochs=1)}
    found = TextPipeline(**stages, folds=0).fit(treebank())
    assert list(found.stages_) == ["tagger", "parser"]
    assert found.stages_["tagger"].machine_ is tagger.machine_


def test_stages_learn_from_what_those_before_them_find_in_other_folds():
    seen = []

    class Parser(DependencyParser):
        def fit_conllu(self, source):
            seen.append(source.columns.column(2))
            return super().fit_conllu(source)

    tagger = MorphologicalTagger(epochs=1, folds=0)
    stages = {"tokenizer": "none", "tagger": tagger, "lemmatizer": "none", "parser": Parser(epochs=1)}
    for folds in (0, 2):
        TextPipeline(**stages, folds=folds).fit(treebank(8))
    by_itself, crossed = seen
    assert by_itself == [word.upos for words in treebank(8) for word in words]
    first, second = treebank(8)[:4], treebank(8)[4:]
    assert crossed == [*_tags(tagger, second, first), *_tags(tagger, first, second)]
    assert crossed != by_itself


def _tags(tagger, known, other):
    """What a tagger like this one, learned from some sentences, finds in others."""
    alone = MorphologicalTagger(**tagger.get_params()).fit(known)
    return [word.upos for words in alone.tag([[one.form for one in words] for words in other]) for word in words]


def test_an_interrupted_pipeline_keeps_the_stages_that_it_has():
    def stop(done, total):
        if total and done / total > 0.7:
            raise KeyboardInterrupt

    stopped = pipeline(progress=stop)
    with pytest.raises(KeyboardInterrupt):
        stopped.fit(parsed(TRAIN))
    assert list(stopped.stages_)[:3] == STAGES[:3]
    assert stopped.process(BARE, given="conllu")


@pytest.mark.parametrize("dev", [0.25, parsed(TEXT)], ids=["share", "treebank"])
def test_parameters_are_chosen_on_development_data(dev, monkeypatch):
    monkeypatch.setattr("gristmill.apps.choosing._COSTS", (1, 4))
    monkeypatch.setattr("gristmill.apps.choosing._DEGREES", (2,))
    monkeypatch.setattr("gristmill.apps.choosing._EPOCHS", (2,))
    trials = []
    found = pipeline().fit(parsed(TRAIN), dev=dev, tell=trials.append)
    chosen = [found.stages_[name].get_params() for name in STAGES[2:]]
    assert {trial.params["C"] for trial in trials} > {params["C"] for params in chosen} - {None}
    assert any("algorithm" in trial.params for trial in trials)
    assert found.evaluate(parsed(TEXT)).las.f1 > 0.8


# --- files ------------------------------------------------------------------------------------------------------------


def test_a_pipeline_is_one_file(tmp_path):
    learned().save(tmp_path / "model")
    again = gm.load(tmp_path / "model")
    assert isinstance(again, TextPipeline)
    assert isinstance(again.machine_, MachineGroups)
    assert again.process(text_to_read(TEXT)) == learned().process(text_to_read(TEXT))
    again.save(tmp_path / "again")
    assert (tmp_path / "model").read_bytes() == (tmp_path / "again").read_bytes()


def test_a_loaded_pipeline_learns_as_it_did_before(tmp_path):
    learned().save(tmp_path / "model")
    gm.load(tmp_path / "model").fit(parsed(TRAIN)).save(tmp_path / "again")
    assert (tmp_path / "model").read_bytes() == (tmp_path / "again").read_bytes()


def test_a_file_says_which_stages_were_given_and_left_out(tmp_path):
    tagger = learned().stages_["tagger"]
    TextPipeline(tagger=tagger, lemmatizer="none", folds=0).fit(treebank(8)).save(tmp_path / "model")
    again = gm.load(tmp_path / "model")
    assert again.lemmatizer == "none"
    assert again.tagger.machine_ == tagger.machine_
    assert "machine_" not in vars(again.parser)


@pytest.mark.parametrize("damage", [{"folds": None}, {"folds": 1}, {"tagger": 1}, None])
def test_unsound_files_are_refused(tmp_path, damage):
    (name, machine), *rest = learned().machine_for(_own()).groups.items()
    known = machine.provenance["pipeline"]
    broken = {} if damage is None else {key: value for key, value in (known | damage).items() if value is not None}
    machine = machine.replace(provenance=machine.provenance | {"pipeline": broken})
    MachineGroups({name: machine, **dict(rest)}).save(tmp_path / "model")
    with pytest.raises(FormatError, match="not a sound text pipeline"):
        TextPipeline.load(tmp_path / "model")


def _own():
    from gristmill.machines.formats import own

    return own


def test_models_of_other_apps_are_no_pipelines(tmp_path):
    learned().stages_["parser"].save(tmp_path / "parser")
    with pytest.raises(FormatError, match="expected a text pipeline, got a dependency parser"):
        TextPipeline.load(tmp_path / "parser")
    learned().save(tmp_path / "model")
    with pytest.raises(FormatError, match="got a text pipeline: use `gristmill pipeline run`"):
        DependencyParser.load(tmp_path / "model")


# --- scores and explanations ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("given", ["text", "words", "tags"])
def test_scores_are_those_of_the_annotated_text(given):
    tagged = re.sub(r"(?m)\t\d+\t\w+\t_\t(\S+)$", r"\t_\t_\t_\t\1", TEXT)
    text = {"text": text_to_read(TEXT), "words": BARE, "tags": tagged}[given]
    expected = score_conllu(TEXT, learned().process(text, given="text" if given == "text" else "conllu"))
    assert learned().evaluate(parsed(TEXT), given=given) == expected
    assert learned().score(parsed(TEXT)) == learned().evaluate(parsed(TEXT)).las.f1


def test_pipelines_without_a_parser_have_scores_of_their_columns():
    without = pipeline(parser="none").fit(parsed(TRAIN))
    scores, all_of_them = without.evaluate(parsed(TEXT)), learned().evaluate(parsed(TEXT))
    assert (scores.words, scores.upos, scores.lemmas) == (all_of_them.words, all_of_them.upos, all_of_them.lemmas)
    assert scores.las.f1 < all_of_them.las.f1


def test_stages_are_explained_by_what_they_see():
    text = text_to_read(TEXT)
    trees, tagged = learned().predict(text), learned().stages_["tagger"]
    assert [one.tree for one in learned().explain(text)] == trees
    assert [list(one.tokens) for one in learned().explain(text, stage="tagger")] == [line.split() for line in LINES]
    assert [list(one.tags) for one in learned().explain(text, stage="tagger")] == [
        [word.upos for word in words] for words in tagged.tag([line.split() for line in LINES])
    ]
    assert len(learned().explain(text, stage="splitter")) == len(LINES)
    assert len(learned().explain(text, stage="tokenizer")) == 1


def test_a_stage_that_is_not_there_cannot_be_explained():
    with pytest.raises(
        ValueError, match="no stage 'segmenter'; it has tokenizer, splitter, tagger, lemmatizer, parser"
    ):
        learned().explain("the mill turns.", stage="segmenter")


# --- parameters -------------------------------------------------------------------------------------------------------


def test_raw_text_needs_a_tokenizer():
    without = pipeline(tokenizer="none", lemmatizer="none", tagger="none").fit(treebank(4))
    with pytest.raises(ValueError, match="no tokenizer"):
        without.process("some text")


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"folds": 1}, "folds must be"),
        ({"folds": "2"}, "folds must be"),
        ({"parser": "some"}, "parser must be a DependencyParser, 'none' or None"),
        ({"tagger": Lemmatizer()}, "tagger must be a MorphologicalTagger"),
        ({"engine": "warp"}, "engine must be"),
        (dict.fromkeys(STAGES, "none"), "needs stages"),
    ],
)
def test_wrong_parameters_are_refused(params, message):
    with pytest.raises(ValueError, match=message):
        TextPipeline(**params).fit(treebank(4))


def test_what_does_not_fit_the_input_is_refused():
    with pytest.raises(ValueError, match="given must be one of"):
        learned().process("a", given="words")
    with pytest.raises(FormatError, match="several columns"):
        learned().process("a\tb\n", given="vertical")
    with pytest.raises(FormatError, match="expected ten columns"):
        learned().process("1\ta\n", given="conllu")
    with pytest.raises(ValueError, match="half a surrogate pair"):
        learned().process("\ud800")


def test_a_read_treebank_is_taken_as_it_is():
    assert isinstance(parsed(TRAIN), _core.Conllu)
    assert learned().evaluate(treebank(3, 1), given="words").words.f1 == 1.0
