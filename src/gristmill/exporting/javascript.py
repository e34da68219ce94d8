"""A program as a file of JavaScript: a script that is a CommonJS module too, or an ES module."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from importlib.resources import files
from typing import Any

import numpy as np

from gristmill.exporting.c_source import single_weights
from gristmill.exporting.definition import Definition
from gristmill.exporting.extras import named_features, probability_kind, probability_numbers
from gristmill.exporting.program import Program, largest
from gristmill.exporting.promises import about
from gristmill.exporting.self_test import SelfTest
from gristmill.machines.machine import Machine
from gristmill.machines.schemes import Scheme

_RULES = {Scheme.ONE_VS_REST: "largest", Scheme.ONE_VS_ONE: "votes", Scheme.REGRESSION: "none"}
_WIDTHS = {"u8": 2**8, "u16": 2**16, "u32": 2**32}
_USE = {
    "predict": "predict(ids)   the class; of regression the score, or an array of them",
    "decide": "decide(ids)    { class, certain }: its number in `classes`, and whether it is gristmill's for certain",
    "score": "score(ids)     { scores, bound }: a number for each output, and how far they may be off",
    "probabilities": "probabilities(ids)   of the classes",
    "feature": "feature(name)  the id of a feature, or undefined",
    "selfTest": "selfTest()     { ok, ... }: whether embedded rows get what gristmill gives them",
}

_HEAD = """
{about}
//
// A row is an array of feature ids (columns from 0) in any order; ids that the machine does not know count for nothing.
//
{use}
//
// {loading}
"""
_SCRIPT = "Loaded by require, or as a script, which defines `{name}`. `node FILE --self-test` runs the self-test."
_MODULE = "An ES module: import {{ predict }} from this file."
_MAIN = """
if (typeof module === "object" && module.exports) {
  module.exports = model;
  if (require.main === module && process.argv.includes("--self-test")) {
    const found = model.selfTest();
    console.log(`self-test of ${found.rows} rows: ${found.wrong} wrong labels, digest of scores ` +
      `${found.digest.toString(16)}, expected ${found.expected.toString(16)}: ${found.ok ? "ok" : "FAILED"}`);
    process.exitCode = found.ok ? 0 : 1;
  }
} else {
  globalThis.NAME = model;
}
"""


def js_source(
    program: Program, test: SelfTest, name: str, *, names: bool = False, module: bool = False
) -> Iterator[str]:
    """The text, in parts; a script defines `name`."""
    parts = ["machine"] + ["probability"] * (probability_kind(program.machine) is not None) + ["names"] * names
    exported = ", ".join(_interface(program, names))
    yield _head(program, names, (_MODULE if module else _SCRIPT).format(name=name))
    yield '"use strict";\n' if module else '"use strict";\n(() => {\n'
    yield f"const DATA = {json.dumps(_data(program, test, names), allow_nan=False)};\n\n"
    yield from ((files("gristmill.exporting") / "templates" / f"{part}.js").read_text("utf-8") for part in parts)
    yield f"\nexport {{ {exported} }};\n" if module else f"\nconst model = {{ {exported} }};"
    yield "" if module else _MAIN.replace("NAME", name) + "})();\n"


def _interface(program: Program, names: bool) -> Iterator[str]:
    yield "predict"
    yield from ("decide", "classes") if program.class_names else ()
    yield "score"
    yield from ("probabilities",) if probability_kind(program.machine) is not None else ()
    yield from ("feature",) if names else ()
    yield "selfTest"


def _head(program: Program, names: bool, loading: str) -> str:
    use = [_USE[part] for part in _interface(program, names) if part in _USE]
    lines = ("\n".join(f"//{line}".rstrip() for line in some) for some in (_led(about(program)), _led(use, 3)))
    return _HEAD.lstrip().format(**dict(zip(("about", "use"), lines, strict=True)), loading=loading)


def _led(lines: list[str], blanks: int = 1) -> list[str]:
    return [" " * blanks + line for line in lines]


def _data(program: Program, test: SelfTest, names: bool) -> dict[str, Any]:
    machine, doubt, definition = program.machine, program.scale.doubt, program.definition
    return {
        "classes": [] if machine.classes is None else machine.classes.tolist(),
        "rule": _RULES.get(machine.scheme, "sign") if program.class_names else "none",
        "zeroClass": machine.zero_class,
        "unit": 2.0**-program.scale.exponent,
        "doubts": [0.0] * 3 if doubt is None else [doubt.constant, doubt.linear, doubt.square],
        "base": program.base.tolist(),
        "features": _whole(program.features),
        "levels": _levels(program),
        "definition": None if definition is None else _definition(definition),
        "probability": _probability(machine),
        "names": named_features(program) if names else [],
        "test": {
            "rows": test.rows,
            "classes": [] if test.classes is None else test.classes.tolist(),
            "digest": test.digest,
        },
    }


def _levels(program: Program) -> list[dict[str, Any]]:
    kind = next(name for name, bits in (("i8", 8), ("i16", 16), ("i32", 32), ("f64", 64)) if _fits(program, bits))
    made = []
    for level, weights in zip(program.levels, program.weights, strict=True):
        own: dict[str, Any] = {"mask": max(level.size - 1, 0), "step": level.step, "ranks": _whole(level.ranks)}
        own["counts"] = _whole(np.diff(level.starts))
        if program.machine.n_outputs > 1:
            own |= {"widths": _whole(np.diff(level.weights.indptr)), "outputs": _whole(level.weights.indices)}
            own["weights"] = _packed(kind, weights)
        else:
            own["weights"] = _packed(kind, single_weights(level, weights))
        made.append(own)
    return made


def _probability(machine: Machine) -> dict[str, Any]:
    numbers = {name: values.tolist() for name, values in probability_numbers(machine).items()}
    return {"kind": probability_kind(machine), **numbers}


def _fits(program: Program, bits: int) -> bool:
    return bool(largest(program.weights) < 2 ** (bits - 1))


def _definition(found: Definition) -> dict[str, Any]:
    return {
        "lengths": _whole(np.diff(found.starts)),
        "ranks": _whole(found.ranks),
        "widths": _whole(np.diff(found.first)),
        "outputs": _whole(found.outputs),
        "coef": _packed("f64", found.coef),
        "kernel": _packed("f64", found.kernel),
        "intercept": _packed("f64", found.intercept),
    }


def _whole(values: Any) -> list[str]:
    """Numbers from 0 on, in as few bytes as the largest needs."""
    most = int(values.max(initial=0))
    return _packed(next(kind for kind, width in _WIDTHS.items() if most < width), values)


def _packed(kind: str, values: Any) -> list[str]:
    """Their type and their bytes, the lowest first."""
    return [kind, base64.b64encode(np.asarray(values).astype(f"<{kind[0]}{int(kind[1:]) // 8}").tobytes()).decode()]
