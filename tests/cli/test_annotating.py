"""--cluster: many files on workers, with the outputs that the command itself gives for each."""

from __future__ import annotations

import gzip
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

import gristmill as gm
from gristmill.cli import annotating, run

pytest.importorskip("distributed", reason="extra `cluster`")

from contextlib import contextmanager

from dask.distributed import Client


@pytest.fixture(scope="module")
def client():
    with Client(processes=False, n_workers=2, threads_per_worker=1, dashboard_address=":0") as made:
        yield made


@pytest.fixture(autouse=True)
def in_this_process(client, monkeypatch):
    @contextmanager
    def opened(cluster, workers):
        yield client

    monkeypatch.setattr("gristmill.cluster.clients.opened", opened)


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    random = np.random.default_rng(0)
    X = (random.random((80, 9)) < 0.4).astype(float)
    path = tmp_path_factory.mktemp("model") / "model.safetensors"
    gm.KernelSVC(degree=2).fit(sp.csr_matrix(X), np.where(X[:, 0] + X[:, 1] * X[:, 2] > 0, "yes", "no")).machine_.save(
        path
    )
    return path


@pytest.fixture
def files(tmp_path):
    random = np.random.default_rng(1)
    made = []
    for number in range(4):
        X = sp.csr_matrix((random.random((30, 9)) < 0.4).astype(float))
        made.append(tmp_path / f"part{number}.svm")
        gm.write_svmlight(made[-1], X, np.zeros(30), zero_based=True)
    packed = tmp_path / "part3.svm.gz"
    packed.write_bytes(gzip.compress(made[3].read_bytes()))
    made[3].unlink()
    return [*map(str, made[:3]), str(packed)]


def one_by_one(command, model, files, folder, *options):
    folder.mkdir()
    for path in files:
        assert run([*command, str(model), path, "-o", str(folder / Path(path).name.removesuffix(".gz")), *options]) == 0
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def outputs(folder):
    return {path.name: path.read_bytes() for path in Path(folder).iterdir()}


@pytest.mark.parametrize("options", [[], ["--scores"]])
def test_outputs_are_those_of_the_command(model, files, tmp_path, options, capsys):
    expected = one_by_one(["predict"], model, files, tmp_path / "one", "--zero-based", *options)
    given = [str(model), *files, "-o", str(tmp_path / "out"), "--zero-based", *options]
    assert run(["predict", *given, "--cluster", "local"]) == 0
    assert outputs(tmp_path / "out") == expected
    assert "4 files annotated" in capsys.readouterr().err


def test_large_files_are_cut_into_blocks_of_lines(model, files, tmp_path, monkeypatch):
    expected = one_by_one(["predict"], model, files, tmp_path / "one", "--zero-based")
    monkeypatch.setattr(annotating, "MEGABYTE", 100)
    given = [str(model), *files, "-o", str(tmp_path / "out"), "--zero-based", "--block-size", "1"]
    assert run(["predict", *given, "--cluster", "local"]) == 0
    assert outputs(tmp_path / "out") == expected


@pytest.mark.parametrize("size", [1, 7, 50, 1000])
@pytest.mark.parametrize("separator", [b"\n", b"\n\n"])
def test_blocks_begin_behind_separators(tmp_path, size, separator):
    text = b"a b\nc\n\nd\n\n\nee ff\ng\n\nlast"
    path = tmp_path / "text"
    path.write_bytes(text)
    starts = list(annotating.block_starts(path, len(text), size, separator))
    assert starts == sorted(set(starts))
    assert starts[0] == 0
    assert all(text[:start].endswith(separator) for start in starts[1:])
    assert all(later - earlier >= size for earlier, later in pairwise(starts))


def test_files_that_are_there_are_skipped(model, files, tmp_path, capsys):
    out = tmp_path / "out"
    out.mkdir()
    (out / "part1.svm").write_text("as it was\n")
    given = ["predict", str(model), *files, "-o", str(out), "--zero-based", "--cluster", "local", "--resume"]
    assert run(given) == 0
    assert (out / "part1.svm").read_text() == "as it was\n"
    assert "3 files annotated" in capsys.readouterr().err
    assert len(outputs(out)) == 4


def test_a_file_that_fails_is_reported_and_the_others_are_done(model, files, tmp_path, capsys):
    Path(files[1]).write_text("x 3:y\n")
    given = [str(model), *files, str(tmp_path / "absent"), "-o", str(tmp_path / "out"), "--zero-based"]
    assert run(["predict", *given, "--cluster", "local"]) == 1
    said = capsys.readouterr().err
    assert "part1.svm failed" in said
    assert "absent failed" in said
    assert "--resume" in said
    assert sorted(outputs(tmp_path / "out")) == ["part0.svm", "part2.svm", "part3.svm"]


def test_apps_annotate_files(tmp_path):
    sentences = [[("the", "D"), ("cat", "N"), ("eats", "V")], [("a", "D"), ("dog", "N"), ("sleeps", "V")]]
    gm.apps.Tagger("F:-1..1:0").fit(sentences * 4).save(tmp_path / "tagger")
    files = [tmp_path / f"text{number}" for number in range(3)]
    for number, path in enumerate(files):
        path.write_text("the\ndog\neats\n\n" * (number + 1))
    expected = one_by_one(["tag", "run"], tmp_path / "tagger", map(str, files), tmp_path / "one")
    given = [str(tmp_path / "tagger"), *map(str, files), "-o", str(tmp_path / "out"), "--cluster", "local"]
    assert run(["tag", "run", *given]) == 0
    assert outputs(tmp_path / "out") == expected


@pytest.mark.parametrize("name", ["tokenize", "split-words", "lemmatize"])
def test_stages_of_pipelines_annotate_files(name, tmp_path, monkeypatch):
    """CoNLL-U in blocks of sentences; raw text whole, since a block could begin within a sentence."""
    sentence = "1\tIl\til\tPRON\t_\t_\t2\tnsubj\t_\t_\n2\tva\taller\tVERB\t_\t_\t0\troot\t_\t_\n\n"
    (tmp_path / "train.conllu").write_text(("# text = Il va\n" + sentence) * 4)
    (tmp_path / "fused").write_text(sentence.replace("1\tIl", "1-2\tIlva\t_\t_\t_\t_\t_\t_\t_\t_\n1\tIl") * 4)
    learned = tmp_path / ("fused" if name == "split-words" else "train.conllu")
    assert run([name, "train", str(learned), str(tmp_path / "model"), "-C", "1", "-q"]) == 0
    files = [tmp_path / f"text{number}" for number in range(3)]
    for number, path in enumerate(files):
        path.write_text("Il va\n\nva\n" if name == "tokenize" else sentence * (number + 1))
    expected = one_by_one([name, "run"], tmp_path / "model", map(str, files), tmp_path / "one")
    monkeypatch.setattr(annotating, "MEGABYTE", 60)
    given = [str(tmp_path / "model"), *map(str, files), "-o", str(tmp_path / "out"), "--block-size", "1"]
    assert run([name, "run", *given, "--cluster", "local"]) == 0
    assert outputs(tmp_path / "out") == expected


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["{model}", "{file}", "{file}"], "--cluster"),
        (["{model}", "{file}", "--cluster", "local"], "-o FOLDER"),
        (["{model}", "{file}", "{file}", "--cluster", "local", "-o", "{folder}"], "several inputs"),
        (["{model}", "{file}", "--resume"], "--resume is for --cluster"),
    ],
)
def test_what_is_wrong_is_said(model, files, tmp_path, capsys, words, message):
    known = {"model": str(model), "file": files[0], "folder": str(tmp_path / "out")}
    assert run(["predict", *(word.format(**known) for word in words)]) != 0
    assert message in capsys.readouterr().err
