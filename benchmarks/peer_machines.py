"""Machines that other programs train, written in their formats and read by ours: LIBSVM's and opal's."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from sklearn.svm import SVC

import gristmill as gm
from benchmarks import conll, links
from benchmarks.examples import Data, sample
from benchmarks.measure import Missing
from benchmarks.peers import Files, found, run
from gristmill.machines.formats import read_machine, write

LIBSVM_TRAIN = 20_000  # examples; opal has all
PASSES = 5


@dataclass(frozen=True)
class Case:
    """A machine to be trained: on what, of which degree, by whom, and with which C."""

    task: str
    load: Callable[[], tuple[Data, Data]]
    degree: int
    trainer: str
    C: float

    def __str__(self) -> str:
        return f"{self.task} d={self.degree}, {self.trainer}"


CASES = (
    Case("BaseNP", conll.load, 2, "LIBSVM", 0.001),
    Case("BaseNP", conll.load, 3, "LIBSVM", 0.001),
    Case("BaseNP", conll.load, 2, "opal", 0.005),
    Case("BaseNP", conll.load, 3, "opal", 0.001),
    Case("links", links.load, 2, "opal", 0.001),
)


def trained(case: Case, folder: Path, size: int | None = None) -> Path:
    """The machine as a file in its trainer's format; learned from `size` examples at most."""
    train = case.load()[0] if size is None else sample(case.load()[0], size)
    if case.trainer == "opal":
        return train_opal(train, case.degree, case.C, folder)
    return train_libsvm(sample(train, LIBSVM_TRAIN), case.degree, case.C, folder)


def train_opal(data: Data, degree: int, C: float, folder: Path) -> Path:
    """PA-I, averaged, ten passes."""
    if not found("opal"):
        raise Missing("opal is not on PATH, and the machine is one that it trains")
    examples, nothing = write_examples(folder / "opal.train", data), write_nothing(folder)
    kernel = ["-t", "1", "-d", str(degree)]
    run(["opal", *kernel, "-c", str(C), "-a", "-i", "10", "-p", str(examples), "opal.model", str(nothing)], folder)
    return folder / "opal.model"


def train_libsvm(data: Data, degree: int, C: float, folder: Path) -> Path:
    """By svm-train, or where that is absent by scikit-learn, which has LIBSVM inside."""
    path = folder / "libsvm.model"
    if found("svm-train"):
        examples = write_examples(folder / "libsvm.train", data)
        kernel = ["-t", "1", "-d", str(degree), "-g", "1", "-r", "1", "-c", str(C)]
        run(["svm-train", "-q", "-m", "1000", *kernel, str(examples), path.name], folder)
    else:
        svc = SVC(kernel="poly", degree=degree, gamma=1.0, coef0=1.0, C=C, cache_size=1000).fit(*data)
        learned = gm.from_sklearn(svc)
        parts = learned.support, learned.coef, learned.intercept, learned.classes
        write(gm.Machine(learned.kernel, *parts, first_id=1), path, "libsvm")
    return path


def read(path: Path) -> gm.Machine:
    """The machine, by our own reader; its rows have the ids of the data files, less one."""
    machine = read_machine(path)
    assert (machine.first_id, np.asarray(machine.classes).tolist()) == (1, [-1, 1]), machine
    return machine


def write_files(case: Case, folder: Path) -> Files:
    train, test = case.load()
    files = Files(folder / "train", folder / "test", folder / "repeated", write_nothing(folder))
    write_examples(files.train, train)
    write_examples(files.test, test)
    files.repeated.write_bytes(files.test.read_bytes() * PASSES)
    return files


def write_examples(path: Path, data: Data) -> Path:
    """svmlight's format; pecco knows the label 1 as +1 only."""
    gm.write_svmlight(path, *data)
    path.write_bytes(re.sub(rb"(?m)^1(?= |$)", b"+1", path.read_bytes()))
    return path


def write_nothing(folder: Path) -> Path:
    path = folder / "nothing"
    path.touch()
    return path
