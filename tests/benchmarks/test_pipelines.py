"""The benchmark of text pipelines: which treebanks it finds, and what text it makes of them."""

from __future__ import annotations

from types import SimpleNamespace

from benchmarks import pipelines
from benchmarks.pipelines import treebanks, write_texts
from tests.apps.pipeline.small_pipeline import TEXT, TRAIN, text_to_read


def test_treebanks_are_folders_with_a_part_to_learn_from_and_one_to_test_with(tmp_path):
    for name, parts in {"whole": ("train", "dev", "test"), "small": ("train", "test"), "other": ("test",)}.items():
        (tmp_path / name).mkdir()
        for part in parts:
            (tmp_path / name / f"xx-ud-{part}.conllu").write_text(TRAIN if part == "train" else TEXT)
    (tmp_path / "udpipe").mkdir()
    (tmp_path / "udpipe" / "small.udpipe").write_text("a model")
    small, whole = treebanks(tmp_path)
    assert (small.name, small.dev, small.udpipe) == ("small", None, tmp_path / "udpipe" / "small.udpipe")
    assert (whole.name, whole.udpipe.exists()) == ("whole", False)
    assert [path.name for path in whole.texts] == ["xx-ud-train.conllu", "xx-ud-dev.conllu", "xx-ud-test.conllu"]


def test_a_model_is_learned_once_and_its_seconds_are_kept(tmp_path, monkeypatch):
    model, learned = tmp_path / "udpipe" / "bank.udpipe", []

    def learn(command, folder):
        learned.append(command)
        model.write_text("a model")
        return SimpleNamespace(cpu=1.5)

    monkeypatch.setattr(pipelines, "launch", learn)
    program = pipelines.Program(["learn"], ["run"], model)
    assert [program.learning(), program.learning()] == [1.5, 1.5]
    assert learned == [["learn"]]
    model.with_suffix(".seconds").unlink()
    assert program.learning() is None


def test_texts_are_raw(tmp_path):
    (tmp_path / "bank").mkdir()
    (tmp_path / "bank" / "xx-ud-train.conllu").write_text(TRAIN)
    (tmp_path / "bank" / "xx-ud-test.conllu").write_text(TEXT)
    (bank,) = treebanks(tmp_path)
    write_texts(bank, tmp_path)
    assert (tmp_path / "test").read_text().strip() == text_to_read(TEXT).strip()
    assert (tmp_path / "all").read_text().startswith(text_to_read(TRAIN).strip())
    assert len((tmp_path / "few").read_text().split()) == 3
