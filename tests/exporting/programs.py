"""Exported files, run: by compilers of C and by node, with rows from standard input."""

from __future__ import annotations

import json
import math
import shutil
import subprocess
from dataclasses import dataclass

import pytest

import gristmill as gm

WARNINGS = ["-std=c99", "-pedantic", "-Wall", "-Wextra", "-Wshadow", "-Wconversion", "-Werror"]
_MAIN = """
#include <stdio.h>
static uint32_t ids[100000];
int main(void) {
  unsigned which;
  size_t size;
  while (scanf("%u %zu", &which, &size) == 2) {
    for (size_t i = 0; i < size; ++i) if (scanf("%u", &ids[i]) != 1) return 1;
    switch (which) { CASES }
  }
  return 0;
}
"""
_CASE = """
case NUMBER: {
  double scores[MNUMBER_OUTPUTS], bound;
  int certain = 1, label = mNUMBER_score(ids, size, scores, &bound);
#if MNUMBER_CLASSES > 0
  if (label == 0) label = mNUMBER_decide(ids, size, &certain);
#endif
  printf("%d %d %a", label, certain, bound);
  for (size_t o = 0; o < MNUMBER_OUTPUTS; ++o) printf(" %a", scores[o]);
  printf("\\n");
  break;
}
"""


@dataclass(frozen=True)
class Answer:
    """Of one row; `label` is the number of the class, of regression 0."""

    label: int
    certain: bool
    bound: float
    scores: list[float]


def found(program):
    """Where a program is; the test is skipped without it."""
    path = shutil.which(program)
    if path is None:
        pytest.skip(f"no {program} on PATH")
    return path


def built(sources, folder, *, compiler="gcc", flags=("-O1",)):
    """One program of several machines, whose names are m0, m1, ..."""
    for number, source in enumerate(sources):
        (folder / f"m{number}.c").write_text(source, encoding="utf-8")
    included = "".join(f'#include "m{number}.c"\n' for number in range(len(sources)))
    cases = "".join(_CASE.replace("NUMBER", str(number)) for number in range(len(sources)))
    (folder / "main.c").write_text(included + _MAIN.replace("CASES", cases), encoding="utf-8")
    program = folder / "program"
    command = [found(compiler), *WARNINGS, *flags, str(folder / "main.c"), "-o", str(program), "-lm"]
    subprocess.run(command, check=True, timeout=300)
    return program


def run_c(program, rows_of_machines):
    """The answers for pairs of the number of a machine and a row."""
    lines = (" ".join(map(str, [number, len(row), *row])) for number, row in rows_of_machines)
    text = "\n".join(lines) + "\n"
    out = subprocess.run([str(program)], input=text, capture_output=True, text=True, check=True, timeout=300).stdout
    return [_answer(line.split()) for line in out.splitlines()]


def _answer(words):
    label, certain, *numbers = words
    bound, *scores = map(float.fromhex, numbers)
    return Answer(int(label), certain == "1", bound, scores)


def exported_text(machine, folder, end="c", name="m0", **options):
    path = folder / f"{name}.{end}"
    gm.export(machine, path, name=name, **options)
    return path.read_text(encoding="utf-8")


class Node:
    """A process that loads exported scripts and answers for rows: starting one for each would take long."""

    _SERVER = """
    require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
      const { path, rows } = JSON.parse(line), model = require(path);
      const labels = rows.map((row) => model.decide ? model.decide(row) : { class: 0, certain: true });
      const shares = model.probabilities ? rows.map((row) => model.probabilities(row)) : null;
      const answers = rows.map((row, i) => ({ ...labels[i], ...model.score(row), answer: model.predict(row) }));
      console.log(JSON.stringify({ answers, shares, test: model.selfTest(), keys: Object.keys(model) }));
    });
    """

    def __init__(self):
        command = [found("node"), "-e", self._SERVER]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, path, rows):
        """The answers of an exported file, its self-test, ..."""
        self.process.stdin.write(json.dumps({"path": str(path), "rows": rows}) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def close(self):
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait(timeout=60)


def as_answers(told):
    return [Answer(one["class"], one["certain"], one["bound"], one["scores"]) for one in told["answers"]]


def assert_right(machine, program, rows, answers, *, certain=True):
    """Scores are the program's bits and within the bound of the definition's; labels are the definition's."""
    wanted = machine.compile("direct").decision_function(gm.ids(rows)).reshape(len(rows), machine.n_outputs)
    labels = machine.decision.classes(wanted) if machine.classes is not None else [0] * len(rows)
    for row, answer, scores, label in zip(rows, answers, wanted.tolist(), labels, strict=True):
        sums = program.sums(row)[0].tolist()
        assert answer.scores == [math.ldexp(total, -program.scale.exponent) for total in sums]
        assert all(abs(got - want) <= answer.bound for got, want in zip(answer.scores, scores, strict=True))
        assert answer.certain or not certain
        if answer.certain:
            assert answer.label == label, (row, answer, scores)
