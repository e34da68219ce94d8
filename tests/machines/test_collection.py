"""Many machines over one feature space: in memory, in one file, in directories and archives."""

from __future__ import annotations

import gzip
import io
import json
import tarfile
import time
import zipfile

import numpy as np
import pytest

import gristmill as gm
from gristmill.base.warnings import SkippedFileWarning
from gristmill.cli import run
from gristmill.machines.data_files import read_rows_for
from gristmill.machines.formats import read_machine, write


def machine(seed=0, **options):
    rng = np.random.default_rng(seed)
    support = (rng.random((6, 10)) < 0.5).astype(float)
    return gm.Machine(gm.PolynomialKernel(2), support, rng.normal(size=6), 0.5, classes=[-1, 1], **options)


@pytest.fixture
def many():
    """Five hundred of them, over features with names (checklist 3.16)."""
    names = [f"feature {i}" for i in range(10)]
    return gm.Machines({f"state/{n}": machine(n, feature_names=names) for n in range(500)})


def test_five_hundred_machines_go_through_one_file(many, tmp_path):
    many.save(tmp_path / "many")
    again = gm.load(tmp_path / "many")
    assert dict(again) == dict(many)
    assert list(again) == list(many)
    x = [{0, 3}, {1, 2, 9}]
    ours, theirs = many.compile(), again.compile("direct")
    assert all(np.allclose(ours[n].decision_function(x), theirs[n].decision_function(x)) for n in many)


def test_feature_names_are_kept_once(many, tmp_path):
    many.save(tmp_path / "many")
    assert (tmp_path / "many").read_bytes().count(b"feature 7") == 1


@pytest.mark.parametrize("kind", ["directory", "zip", "tar", "tar.gz"])
def test_a_directory_or_archive_of_models_is_a_collection(kind, tmp_path):
    folder = tmp_path / "models"
    (folder / "b").mkdir(parents=True)
    write(machine(1), folder / "a.model", "libsvm")
    write(machine(2), folder / "b" / "c.safetensors", "gristmill")
    (folder / ".hidden").write_text("not a model")
    path = folder if kind == "directory" else tmp_path / f"models.{kind}"
    if kind == "zip":
        with zipfile.ZipFile(path, "w") as archive:
            for file in sorted(folder.rglob("*.*")):
                archive.write(file, file.relative_to(folder))
    elif kind != "directory":
        with tarfile.open(path, "w:gz" if kind.endswith("gz") else "w") as archive:
            archive.add(folder, ".")
    found = gm.load(path)
    assert list(found) == ["a", "b/c"]
    assert found["b/c"] == machine(2)


def test_a_file_in_a_directory_that_is_no_model_is_passed_over_with_a_warning(tmp_path):
    (tmp_path / "readme.txt").write_text("hello")
    write(machine(), tmp_path / "a.model", "tinysvm")
    with pytest.warns(SkippedFileWarning, match=r"readme\.txt is no model file"):
        assert list(gm.load(tmp_path)) == ["a"]


def test_a_damaged_model_in_a_directory_is_named(tmp_path):
    (tmp_path / "a.model").write_text("svm_type c_svc\nwhat is this\n")
    with pytest.raises(gm.FormatError, match=r"a\.model:2:1: unknown header"):
        gm.load(tmp_path)


def test_files_of_one_space_count_alike_though_one_does_not_show_its_zero(tmp_path):
    head = b"svm_type c_svc\nkernel_type linear\nnr_class 2\ntotal_sv 1\nrho 0\nlabel 1 -1\nnr_sv 1 0\nSV\n"
    (tmp_path / "a").write_bytes(head + b"1 0:1 3:1\n")
    (tmp_path / "b").write_bytes(head + b"1 2:1 3:1\n")
    found = gm.load(tmp_path)
    assert found.first_id == 0
    (tmp_path / "data.svm").write_bytes(b"1 0:1 2:1\n")
    rows, _ = read_rows_for(found["b"], tmp_path / "data.svm")
    assert [found[name].compile().decision_function(rows).tolist() for name in "ab"] == [[1.0], [1.0]]


def test_an_archive_that_unpacks_without_end_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("gristmill.base.packed._PLENTY", 1000)
    monkeypatch.setattr("gristmill.base.packed._RATIO", 2)
    with zipfile.ZipFile(tmp_path / "bomb.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.model", b"x" * 1_000_000)
    with pytest.raises(gm.FormatError, match="unpack to more than"):
        gm.load(tmp_path / "bomb.zip")
    (tmp_path / "bomb.gz").write_bytes(gzip.compress(b"x" * 1_000_000))
    with pytest.raises(gm.FormatError, match="unpack to more than"):
        gm.load(tmp_path / "bomb.gz")


def archive_of(path, members):
    if path.suffix == ".zip":
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, content in members.items():
                archive.writestr(name, content)
    else:
        with tarfile.open(path, "w:gz") as archive:
            for name, content in members.items():
                about = tarfile.TarInfo(name)
                about.size = len(content)
                archive.addfile(about, io.BytesIO(content))
    return path


@pytest.mark.parametrize("kind", ["zip", "tar.gz"])
def test_thousands_of_files_in_an_archive_take_time_in_proportion(tmp_path, kind):
    """Opened for each of them this took 19 and 25 seconds."""
    path = archive_of(tmp_path / f"many.{kind}", {f"file {n}": b"" for n in range(4000)} | {"b": b"(S a)"})
    begin = time.process_time()
    with pytest.warns(SkippedFileWarning) as warned, pytest.raises(gm.FormatError, match="no model files"):
        gm.load(path)
    assert time.process_time() - begin < 5
    assert "3,991 more files are no model files" in str(warned[-1].message)
    assert len(warned) == 11


@pytest.mark.parametrize("kind", ["zip", "tar.gz"])
def test_the_files_of_an_archive_are_bounded_in_sum(tmp_path, monkeypatch, kind):
    monkeypatch.setattr("gristmill.base.packed._PLENTY", 130_000)
    monkeypatch.setattr("gristmill.base.packed._RATIO", 1)
    members = {f"{n}.gz": gzip.compress(b"x" * 9000) for n in range(10)}
    with pytest.warns(SkippedFileWarning), pytest.raises(gm.FormatError, match="no model files"):
        gm.load(archive_of(tmp_path / f"some.{kind}", members))
    path = archive_of(tmp_path / f"many.{kind}", members | {f"{n}.gz": gzip.compress(b"x" * 9000) for n in "abcdef"})
    with pytest.raises(gm.FormatError, match=r"unpack to more than 130,000, the limit .* unpack it first"):
        gm.load(path)


@pytest.mark.parametrize("kind", ["zip", "tar.gz"])
def test_an_archive_of_too_many_files_is_refused_by_name(tmp_path, monkeypatch, kind):
    monkeypatch.setattr("gristmill.machines.formats.folders.MOST_MEMBERS", 3)
    path = archive_of(tmp_path / f"many.{kind}", dict.fromkeys("abcd", b""))
    with pytest.raises(gm.FormatError, match="more than 3 members: unpack it and name the folder") as caught:
        gm.load(path)
    assert caught.value.path == str(path)


def test_loops_of_links_in_a_directory_are_passed_over(tmp_path):
    write(machine(), tmp_path / "a.model", "tinysvm")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    (tmp_path / "up").symlink_to(tmp_path)
    assert list(gm.load(tmp_path)) == ["a"]
    with pytest.raises(OSError, match="loop"):
        gm.load(tmp_path / "loop")


def test_files_that_give_the_same_name_are_refused(tmp_path):
    for ending in ("model", "bin"):
        write(machine(), tmp_path / f"a.{ending}", "libsvm")
    with pytest.raises(gm.FormatError, match="two files give a machine called 'a'"):
        gm.load(tmp_path)


def test_an_empty_directory_is_refused(tmp_path):
    with pytest.raises(gm.FormatError, match="no model files"):
        gm.load(tmp_path)


def test_a_damaged_archive_is_refused(tmp_path):
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        archive.writestr("a.model", "x" * 100)
    (tmp_path / "bad.zip").write_bytes(data.getvalue()[:60])
    with pytest.raises(gm.FormatError, match=r"bad\.zip: the archive is damaged"):
        gm.load(tmp_path / "bad.zip")


@pytest.mark.parametrize(
    ("machines", "reason"),
    [
        ({"": machine()}, "names that are strings"),
        ({"a": 3}, "expected a Machine"),
        ({"a": machine(first_id=0), "b": machine(first_id=1)}, "differ in first_id"),
        (
            {"a": machine(feature_names=list("abcdefghij")), "b": machine(feature_names=list("jihgfedcba"))},
            "differ in feature_names",
        ),
    ],
)
def test_what_is_no_collection_is_refused(machines, reason):
    with pytest.raises(ValueError, match=reason):
        gm.Machines(machines)


def test_other_formats_hold_one_machine(tmp_path):
    with pytest.raises(ValueError, match="holds one machine"):
        write(gm.Machines({"a": machine()}), tmp_path / "m", "libsvm")


def test_one_machine_of_many_is_chosen_by_name(tmp_path):
    gm.Machines({"a": machine(1), "b": machine(2)}).save(tmp_path / "m")
    assert read_machine(tmp_path / "m", "b") == machine(2)
    with pytest.raises(ValueError, match="say which: a, b"):
        read_machine(tmp_path / "m")
    machine().save(tmp_path / "one")
    with pytest.raises(ValueError, match="single machine"):
        read_machine(tmp_path / "one", "a")


def test_the_command_line_converts_inspects_and_predicts_with_collections(tmp_path, capsys):
    (tmp_path / "models").mkdir()
    for n in range(3):
        write(machine(n), tmp_path / "models" / f"m{n}.model", "tinysvm")
    assert run(["convert", str(tmp_path / "models"), str(tmp_path / "all")]) == 0
    assert run(["inspect", str(tmp_path / "all"), "--json"]) == 0
    assert set(json.loads(capsys.readouterr().out)["machines"]) == {"m0", "m1", "m2"}
    assert run(["inspect", str(tmp_path / "models")]) == 0
    assert "m2" in capsys.readouterr().out
    x = [{0, 3}, {1}]
    gm.write_svmlight(tmp_path / "data", x, [1, -1])
    assert run(["predict", str(tmp_path / "all"), str(tmp_path / "data"), "--machine", "m1", "--scores"]) == 0
    scores = [float(line) for line in capsys.readouterr().out.split()]
    assert scores == pytest.approx(machine(1).compile().decision_function(x).tolist())


# --- compiling --------------------------------------------------------------------------------------------------------


def test_scorers_of_a_collection_have_a_report(many):
    steps = []
    scorers = many.compile("expanded", progress=lambda done, total: steps.append((done, total)))
    assert steps == [(n, 500) for n in range(1, 501)]
    report = scorers.report()
    assert (report.machines, report.engines, report.exact) == (500, {"expanded": 500}, True)
    assert report.nbytes == scorers.nbytes == sum(scorer.nbytes for scorer in scorers.values())
    assert report.conjunctions == sum(scorer.report().conjunctions for scorer in scorers.values())
    assert "3,000 support examples" in str(report)
    assert "conjunctions" in str(report)
    assert many.compile("direct").report().conjunctions is None
    assert not many.compile("expanded", sigma=0.5).exact


def test_options_of_compiling_reach_every_machine_and_errors_name_one(many):
    with pytest.raises(ValueError, match=r"machine 'state/0': .*max_bytes=10"):
        many.compile("inverted", max_bytes=10)
    with pytest.raises(ValueError, match="belongs to one machine"):
        many.compile(cache="x")


@pytest.fixture(scope="module", params=[3_000, 100_000, 2**31 - 2])
def over_a_wide_space(request, tmp_path_factory):
    """The width of the space, the last of 500 machines over it and one of its support rows, and the file of all."""
    rng, kernel, width = np.random.default_rng(0), gm.PolynomialKernel(2), request.param
    ids = [set(rng.integers(0, width, 10).tolist()) for _ in range(5000)]
    machines = {str(n): gm.Machine(kernel, ids[10 * n : 10 * n + 10], np.ones(10), 0.1) for n in range(500)}
    path = tmp_path_factory.mktemp("wide") / "many"
    gm.Machines(machines).save(path)
    return width, machines["499"], ids[4990], path


@pytest.mark.parametrize("engine", ["auto", "direct", "inverted", "bits", "expanded", "split"])
def test_hundreds_of_machines_over_a_wide_space_are_small_and_quick(engine, over_a_wide_space):
    """Checklist 3.16: what a machine takes follows from what it holds, not from the largest id of the space."""
    width, last, row, path = over_a_wide_space
    start = time.perf_counter()
    scorers = gm.load(path).compile(engine)
    seconds = time.perf_counter() - start
    assert scorers.nbytes < 500 * (100_000 if width < 4096 else 30_000)  # a table where ids are small, else a hash
    assert seconds < 5  # a fraction of one; room for a busy machine
    x = [row | {width - 1}]
    wanted = last.compile("direct").decision_function(x)
    assert scorers["499"].decision_function(x) == pytest.approx(wanted)
