"""Exported C: compiled without a warning, it scores and decides as the definition does."""

from __future__ import annotations

import re
import subprocess

import numpy as np
import pytest

import gristmill as gm
from gristmill.exporting.program import Program
from tests.exporting.programs import WARNINGS, assert_right, built, exported_text, found, run_c
from tests.exporting.random_machines import random_machine, rows_for

SEEDS = range(25)  # every kernel with every scheme


OPTIONS = [{}, {"bits": 16}, {"bits": 16, "definition": False}, {"bits": 53}]
COMPILERS = [
    ("gcc", "-O0"),
    pytest.param("gcc", "-O3 -march=native -ffp-contract=fast", marks=pytest.mark.slow),
    pytest.param("gcc", "-O1 -m32 -msse2 -mfpmath=sse", marks=pytest.mark.slow),
    pytest.param("clang", "-O2 -ffp-contract=fast", marks=pytest.mark.slow),
    pytest.param("clang", "-O1 -fsanitize=address,undefined -fno-sanitize-recover=all", marks=pytest.mark.slow),
]


@pytest.mark.parametrize(("compiler", "flags"), COMPILERS)
def test_scores_and_labels_are_the_definitions(compiler, flags, tmp_path):
    check_compiler(compiler, flags.split(), tmp_path)
    machines = [random_machine(seed) for seed in SEEDS]
    options = [OPTIONS[seed % len(OPTIONS)] for seed in SEEDS]
    texts = [exported_text(machines[at], tmp_path, name=f"m{at}", **options[at]) for at in SEEDS]
    rows = [rows_for(machine, seed) for seed, machine in enumerate(machines)]
    program = built(texts, tmp_path, compiler=compiler, flags=flags.split())
    answers = iter(run_c(program, [(at, row) for at in SEEDS for row in rows[at]]))
    for at in SEEDS:
        own = [next(answers) for _ in rows[at]]
        made = Program.of(machines[at], **options[at])
        assert_right(machines[at], made, rows[at], own, certain=options[at].get("definition", True))


def check_compiler(compiler, flags, folder):
    """Skip where it cannot make such programs here."""
    (folder / "empty.c").write_text("#include <stdint.h>\nint main(void) { return 0; }\n", encoding="utf-8")
    command = [found(compiler), *flags, str(folder / "empty.c"), "-o", str(folder / "empty")]
    if subprocess.run(command, capture_output=True, check=False).returncode != 0:
        pytest.skip(f"{compiler} {' '.join(flags)} makes no programs here")


def tied(outputs=1):
    """0.1 + 0.2 - 0.3 is not 0 in doubles, so the order of the support rows decides."""
    rows = gm.ids([[0], [1], [2]])
    coef = np.repeat([[0.1], [0.2], [-0.3]], outputs, axis=1)
    return gm.Machine(gm.PolynomialKernel(1, coef0=0.0), rows, coef, np.zeros(outputs), classes=["a", "b"])


def test_where_tables_leave_a_label_open_the_support_rows_decide(tmp_path):
    machine, row = tied(), [0, 1, 2]
    assert machine.compile("direct").decision_function(gm.ids([row]))[0] > 0
    with_rows, without = (
        exported_text(machine, tmp_path, name=f"m{at}", definition=d) for at, d in ((0, True), (1, False))
    )
    sure, open_ = run_c(built([with_rows, without], tmp_path), [(0, row), (1, row)])
    assert (sure.label, sure.certain) == (1, True)
    assert not open_.certain
    assert abs(open_.scores[0]) <= open_.bound


def test_rows_may_be_in_any_order_and_repeat_features(tmp_path):
    machine = random_machine(0)
    row = machine.rows.one(int(machine.rows.lengths.argmax())).ids.tolist()
    program = built([exported_text(machine, tmp_path)], tmp_path)
    plain, other = run_c(program, [(0, row), (0, [*reversed(row), *row, 4_000_000_000])])
    assert plain == other


def test_a_row_of_too_many_known_features_is_an_error(tmp_path):
    machine = gm.Machine(gm.ConjunctionKernel(), gm.ids([[0], [1], [2]]), [1.0, 2.0, 4.0], 0.0, classes=[0, 1])
    program = built([exported_text(machine, tmp_path)], tmp_path, flags=["-DM0_LONGEST=2"])
    assert [answer.label for answer in run_c(program, [(0, [0, 1, 2]), (0, [0, 0, 1, 1, 9]), (0, [])])] == [-2, 1, 0]


@pytest.mark.parametrize("rows", [[], [[]]])
def test_machines_without_features_are_constants(rows, tmp_path):
    kernels = [gm.PolynomialKernel(2), gm.ConjunctionKernel()]
    machines = [gm.Machine(kernel, gm.ids(rows), [0.1] * len(rows), 0.3, classes=[0, 1]) for kernel in kernels]
    program = built([exported_text(one, tmp_path, name=f"m{at}") for at, one in enumerate(machines)], tmp_path)
    for at, machine in enumerate(machines):
        assert_right(machine, Program.of(machine), [[], [0, 5]], run_c(program, [(at, []), (at, [0, 5])]))


def test_ids_far_apart_are_searched_for(tmp_path):
    machine = gm.Machine(gm.ConjunctionKernel(), gm.ids([[7], [2_000_000_000], [7, 90_000]]), [1.0, 2.0, 4.0], 0.0)
    text = exported_text(machine, tmp_path)
    assert len(text) < 20_000
    rows = [[], [7], [2_000_000_000], [7, 90_000], [6, 8, 90_001, 2_000_000_001]]
    assert [answer.scores for answer in run_c(built([text], tmp_path), [(0, row) for row in rows])] == [
        [0.0],
        [1.0],
        [2.0],
        [5.0],
        [0.0],
    ]


@pytest.mark.parametrize("seed", [0, 6, 12])
def test_the_file_checks_itself(seed, tmp_path):
    text = exported_text(random_machine(seed), tmp_path)
    assert _self_test(text, tmp_path).returncode == 0
    result = _self_test(re.sub(r"(m0_base\[\d+\] = \{\nINT64_C\()", r"\g<1>1 + ", text), tmp_path)
    assert result.returncode == 1
    assert "FAILED" in result.stdout


def _self_test(text, folder):
    (folder / "self.c").write_text(text, encoding="utf-8")
    command = [found("gcc"), *WARNINGS, "-DSELF_TEST", str(folder / "self.c"), "-o", str(folder / "self"), "-lm"]
    subprocess.run(command, check=True)
    return subprocess.run([str(folder / "self")], capture_output=True, text=True, check=False)


def test_fast_mathematics_is_refused(tmp_path):
    path = tmp_path / "m.c"
    path.write_text(exported_text(tied(), tmp_path), encoding="utf-8")
    result = subprocess.run(
        [found("gcc"), "-ffast-math", "-c", str(path), "-o", "/dev/null"], capture_output=True, check=False
    )
    assert result.returncode != 0
    assert b"IEEE 754" in result.stderr


def test_declarations_alone_and_names_of_any_spelling(tmp_path):
    machine = tied().replace(classes=['say "no"?', "näh\\\n"], feature_names=["ä=1", 'b"', "c d"])
    exported_text(machine, tmp_path, names=True)
    (tmp_path / "main.c").write_text(
        '#define M0_DECLARATIONS\n#include "m0.c"\n#include <stdio.h>\nint main(void) {\n'
        '  printf("%d %d %d %s%s", (int)m0_feature("\\303\\244=1"), (int)m0_feature("c d"), (int)m0_feature("c"), '
        "m0_classes[0], m0_classes[1]);\n  return 0;\n}\n",
        encoding="utf-8",
    )
    files = [str(tmp_path / name) for name in ("main.c", "m0.c")]
    subprocess.run([found("gcc"), *WARNINGS, *files, "-o", str(tmp_path / "main"), "-lm"], check=True)
    out = subprocess.run([str(tmp_path / "main")], capture_output=True, check=True).stdout.decode()
    assert out == '0 2 -1 say "no"?näh\\\n'
