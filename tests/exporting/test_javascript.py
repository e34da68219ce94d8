"""Exported JavaScript: it scores and decides as the definition does, and as the exported C."""

from __future__ import annotations

import json
import subprocess

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gristmill as gm
from gristmill.exporting.program import Program
from gristmill.machines.probability import CoupledSigmoid, Density, Sigmoid, Softmax
from tests.exporting.programs import Node, as_answers, assert_right, built, exported_text, found
from tests.exporting.random_machines import COEFS, random_machine, rows_for


@pytest.fixture(scope="module")
def node():
    process = Node()
    yield process
    process.close()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("exported")


_NUMBER = iter(range(10**9))


def ask(node, folder, machine, rows, **options):
    name = f"m{next(_NUMBER)}"
    gm.export(machine, folder / f"{name}.js", **options)
    return node.ask(folder / f"{name}.js", rows)


@given(seed=st.integers(0, 10**6), bits=st.sampled_from([None, 16, 53]), definition=st.booleans())
def test_scores_and_labels_are_the_definitions(node, folder, seed, bits, definition):
    machine, options = random_machine(seed), {"bits": bits, "definition": definition}
    rows = rows_for(machine, seed)
    told = ask(node, folder, machine, rows, **options)
    assert told["test"]["ok"]
    assert_right(machine, Program.of(machine, **options), rows, as_answers(told), certain=definition)
    if machine.classes is not None:
        assert [one["answer"] for one in told["answers"]] == [f"c{one['class']}" for one in told["answers"]]


PROBABILITIES = [
    ("binary", 1, 2, Sigmoid(np.array([-1.5]), np.array([0.2]))),
    ("binary", 1, 2, CoupledSigmoid(np.array([-1.5]), np.array([0.2]))),
    ("binary", 1, 2, Softmax()),
    ("one-vs-rest", 3, 3, Softmax()),
    ("one-vs-rest", 3, 3, Sigmoid(np.array([-1.5, 2.0, -400.0]), np.array([0.2, 0.0, 1.0]))),
    ("one-vs-one", 6, 4, Sigmoid(np.linspace(-3, 1, 6), np.linspace(-1, 1, 6))),
    ("one-class", 1, 2, Density(np.linspace(-1, 1, 10))),
]


def with_probability(scheme, outputs, classes, probability):
    rng = np.random.default_rng(outputs)
    return gm.Machine(
        gm.PolynomialKernel(2),
        gm.ids([[0, 1], [1, 2], [3]]),
        rng.choice(COEFS, size=(3, outputs)),
        np.zeros(outputs),
        list(range(classes)),
        scheme,
        probability=probability,
    )


@pytest.mark.parametrize("parts", PROBABILITIES)
def test_probabilities_are_the_machines(parts, node, folder, tmp_path):
    machine = with_probability(*parts)
    rows = [[], [0], [1, 2], [0, 1, 2, 3], [0, 3]]
    wanted = machine.compile().predict_proba(gm.ids(rows))
    np.testing.assert_allclose(ask(node, folder, machine, rows, bits=53)["shares"], wanted, rtol=1e-9, atol=1e-12)


def test_probabilities_of_c_are_those_of_javascript(node, folder, tmp_path):
    machines, rows = [with_probability(*parts) for parts in PROBABILITIES], [[], [0], [1, 2], [0, 1, 2, 3], [0, 3]]
    sources = [exported_text(machine, tmp_path, name=f"m{at}", bits=53) for at, machine in enumerate(machines)]
    built(sources, tmp_path)  # without a warning
    lines = "".join(_printing(at, machine.n_classes, rows) for at, machine in enumerate(machines))
    included = "".join(f'#include "m{at}.c"\n' for at in range(len(machines)))
    (tmp_path / "p.c").write_text(
        f"{included}#include <stdio.h>\nint main(void) {{\n{lines}return 0; }}\n", encoding="utf-8"
    )
    subprocess.run([found("gcc"), str(tmp_path / "p.c"), "-o", str(tmp_path / "p"), "-lm"], check=True)
    out = subprocess.run([str(tmp_path / "p")], capture_output=True, text=True, check=True).stdout.split()
    wanted = [
        share for machine in machines for row in ask(node, folder, machine, rows, bits=53)["shares"] for share in row
    ]
    np.testing.assert_allclose([float(word) for word in out], wanted, rtol=1e-12)


def _printing(number, classes, rows):
    calls = (
        f"{{ const uint32_t ids[] = {{{','.join(map(str, [*row, 99]))}}}; double p[{classes}]; "
        f"m{number}_probabilities(ids, {len(row)}, p); "
        f'for (int c = 0; c < {classes}; ++c) printf("%.17g\\n", p[c]); }}\n'
        for row in rows
    )
    return "".join(calls)


PAGE = """  // what loads a script sees its globals, and there is no module
const page = require("node:vm").createContext({ atob });
require("node:vm").runInContext(require("node:fs").readFileSync(PATH, "utf8"), page);
console.log(JSON.stringify(page.model.predict([0])));
"""


@pytest.mark.parametrize(
    ("end", "code"),
    [
        ("js", "console.log(JSON.stringify(require(PATH).predict([0])))"),
        ("js", PAGE),
        ("mjs", "import(PATH).then((model) => console.log(JSON.stringify(model.predict([0]))))"),
    ],
)
def test_a_script_a_module_or_an_es_module(end, code, tmp_path):
    machine = gm.Machine(gm.ConjunctionKernel(), gm.ids([[0]]), [1.0], 0.0, classes=[False, True])
    path = tmp_path / f"model.{end}"
    gm.export(machine, path)
    command = [found("node"), "-e", code.replace("PATH", json.dumps(str(path)))]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == "true\n"


def test_a_script_checks_itself(tmp_path):
    path = tmp_path / "model.js"
    gm.export(random_machine(3), path)
    run = lambda: subprocess.run([found("node"), str(path), "--self-test"], capture_output=True, text=True, check=False)  # noqa: E731
    assert run().returncode == 0
    path.write_text(path.read_text().replace('"base": [', '"base": [1'))
    assert (run().returncode, "FAILED" in run().stdout) == (1, True)


def test_names_of_features(node, tmp_path):
    machine = gm.Machine(gm.ConjunctionKernel(), gm.ids([[2]], n_features=3), [1.0], 0.0, feature_names=["a", "b", "ä"])
    gm.export(machine, tmp_path / "model.js", names=True)
    code = f"const m = require({json.dumps(str(tmp_path / 'model.js'))}); console.log(m.feature('ä'), m.feature('a'))"
    assert (
        subprocess.run([found("node"), "-e", code], capture_output=True, text=True, check=True).stdout
        == "2 undefined\n"
    )
