"""A program as a file of C99."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from importlib.resources import files
from itertools import chain
from typing import Any

import numpy as np

from gristmill.exporting.definition import Definition
from gristmill.exporting.extras import PROBABILITIES, named_features, probability_kind, probability_numbers
from gristmill.exporting.levels import Level
from gristmill.exporting.program import Program, largest
from gristmill.exporting.promises import about
from gristmill.exporting.self_test import SelfTest
from gristmill.machines.machine import Machine
from gristmill.machines.schemes import Scheme

_RULES = {Scheme.ONE_VS_REST: 1, Scheme.ONE_VS_ONE: 2}  # others go by the sign
_A_LINE = 16  # numbers
_DENSE = 4  # ids are the places of a table if no more than so many of them are unknown for each known one

_USE = {
    "labels": """
  int model_predict(ids, size)                 the number of the class; its name is in model_classes
  int model_decide(ids, size, &certain)        the same, and whether that class is gristmill's for certain""",
    "scores": """
  int model_score(ids, size, scores, &bound)   the scores, and how far they may be off (NULL: do not say)""",
    "probabilities": """
  int model_probabilities(ids, size, out)      the probabilities of the classes; link with -lm""",
    "names": """
  int64_t model_feature(name)                  the id of a feature, or -1""",
}
_DECLARED = {
    "labels": """extern const char *const model_classes[MODEL_CLASSES];
int model_predict(const uint32_t *ids, size_t size);
int model_decide(const uint32_t *ids, size_t size, int *certain);
""",
    "scores": "int model_score(const uint32_t *ids, size_t size, double *scores, double *bound);\n",
    "probabilities": "int model_probabilities(const uint32_t *ids, size_t size, double *out);\n",
    "names": "int64_t model_feature(const char *name);\n",
}
_HEAD = """
/*
{about}
 *
 * A row is an array of feature ids (columns from 0) in any order; ids that the machine does not know count for nothing.
 *
{use}
 *
 * Functions of rows return MODEL_TOO_LONG for one of more than MODEL_LONGEST known features. Nothing is allocated, and
 * nothing is changed: threads may share it. Compile with -DSELF_TEST for a program that checks itself; for declarations
 * alone, define MODEL_DECLARATIONS and include this file.
 */
"""


def c_source(program: Program, test: SelfTest, name: str, *, names: bool = False) -> Iterator[str]:
    """The text, in parts; what it defines begins with `name`."""
    interface = ["labels"] * bool(program.class_names) + ["scores"]
    interface += ["probabilities"] * (probability_kind(program.machine) is not None) + ["names"] * names
    parts = [_head(program, interface), _tables(program), _definition(program), _self_test(test), _template("machine")]
    parts += [_probability(program.machine)] if "probabilities" in interface else []
    parts += [_names(program)] if names else []
    for text in chain.from_iterable((*parts, ["#endif\n"])):
        yield _named(text, name)


def _named(text: str, name: str) -> str:
    return re.sub(r"\bMODEL_", f"{name.upper()}_", re.sub(r"\bmodel_", f"{name}_", text))


def _template(name: str) -> Iterator[str]:
    yield (files("gristmill.exporting") / "templates" / f"{name}.c").read_text(encoding="utf-8")


# --- declarations -----------------------------------------------------------------------------------------------------


def _head(program: Program, interface: Sequence[str]) -> Iterator[str]:
    use = [line for part in interface for line in _USE[part].strip("\n").split("\n")]
    lines = ("\n".join(f" * {line}".rstrip() for line in some) for some in (about(program), use))
    yield _HEAD.lstrip().format(**dict(zip(("about", "use"), lines, strict=True)))
    yield "#include <stddef.h>\n#include <stdint.h>\n\n"
    yield f"#define MODEL_OUTPUTS {program.machine.n_outputs}\n#define MODEL_CLASSES {len(program.class_names)}\n"
    yield "#define MODEL_TOO_LONG (-2)\n\n"
    yield from (_DECLARED[part] for part in interface)
    yield "\n#ifndef MODEL_DECLARATIONS\n#include <float.h>\n#include <string.h>\n\n"


# --- tables -----------------------------------------------------------------------------------------------------------


def _tables(program: Program) -> Iterator[str]:
    machine, doubt = program.machine, program.scale.doubt
    yield f"#define MODEL_FEATURES {len(program.features)}u\n#define MODEL_DEGREE {len(program.levels)}\n"
    yield f"#define MODEL_RULE {_RULES.get(machine.scheme, 0)}\n#define MODEL_ZERO_CLASS {machine.zero_class}\n"
    yield f"#define MODEL_DEFINITION {int(program.definition is not None)}\n"
    yield f"#define MODEL_UNIT {_double(2.0**-program.scale.exponent)}\n\n"
    if program.class_names:
        yield f"const char *const model_classes[MODEL_CLASSES] = {{{', '.join(map(_text, program.class_names))}}};\n"
    yield from _feature_ids(program)
    yield _array("int64_t", "model_base", program.base)
    yield _array("double", "model_doubts", [0.0] * 3 if doubt is None else [doubt.constant, doubt.linear, doubt.square])
    yield from _levels(program)


def _feature_ids(program: Program) -> Iterator[str]:
    features, count = program.features, len(program.features)
    width = int(features.max(initial=0)) + 1
    dense = width <= _DENSE * count + 1024
    yield f"#define MODEL_DENSE_IDS {width if dense else 0}\n"
    if dense:
        ranks = np.full(width, count)
        ranks[features] = np.arange(count)
    else:
        ranks = np.argsort(features)
        yield _array("uint32_t", "model_ids", features[ranks])
    yield _array(_unsigned(count), "model_ranks", ranks)


def _levels(program: Program) -> Iterator[str]:
    several = program.machine.n_outputs > 1
    rank, weight = _unsigned(len(program.features)), _signed(largest(program.weights))
    output = _unsigned(program.machine.n_outputs)
    yield "\ntypedef struct {\n  uint32_t mask, step;\n  const uint32_t *starts;\n"
    yield f"  const {rank} *ranks;\n  const {weight} *weights;\n"
    yield f"  const uint32_t *first;\n  const {output} *outputs;\n}} model_level;\n" if several else "} model_level;\n"
    for depth, (level, weights) in enumerate(zip(program.levels, program.weights, strict=True)):
        if depth:
            yield _array("uint32_t", f"model_starts_{depth}", level.starts)
            yield _array(rank, f"model_ranks_{depth}", level.ranks)
        if several:
            yield _array("uint32_t", f"model_first_{depth}", level.weights.indptr)
            yield _array(output, f"model_outputs_{depth}", level.weights.indices)
            yield _array(weight, f"model_weights_{depth}", weights)
        else:
            yield _array(weight, f"model_weights_{depth}", single_weights(level, weights))
    entries = ",\n".join(_level(depth, level, several) for depth, level in enumerate(program.levels))
    yield f"static const model_level model_levels[MODEL_DEGREE] = {{\n{entries}}};\n\n"


def single_weights(level: Level, weights: Any) -> Any:
    """One for each place, 0 where a conjunction has none."""
    whole = np.zeros(len(level), dtype=np.int64)
    whole[np.diff(level.weights.indptr) > 0] = weights
    return whole


def _level(depth: int, level: Level, several: bool) -> str:
    names = [f"model_starts_{depth}", f"model_ranks_{depth}"] if depth else ["NULL", "NULL"]
    names += [f"model_weights_{depth}"]
    names += [f"model_first_{depth}", f"model_outputs_{depth}"] if several else []
    return f"  {{{max(level.size - 1, 0)}u, {level.step}u, {', '.join(names)}}}"


def _definition(program: Program) -> Iterator[str]:
    if program.definition is not None:
        yield from _definition_of(program.definition, len(program.features), program.machine.n_outputs)


def _definition_of(found: Definition, n_features: int, n_outputs: int) -> Iterator[str]:
    yield f"#define MODEL_SUPPORT_STARTS {len(found.starts)}\n#define MODEL_BY_OVERLAP {int(len(found.kernel) > 0)}\n"
    yield _array("uint32_t", "model_support_starts", found.starts)
    yield _array(_unsigned(n_features), "model_support_ranks", found.ranks)
    yield _array("uint32_t", "model_coef_starts", found.first)
    yield _array(_unsigned(n_outputs), "model_coef_outputs", found.outputs)
    yield _array("double", "model_coef", found.coef)
    if len(found.kernel):
        yield _array("double", "model_kernel", found.kernel)
    yield _array("double", "model_intercept", found.intercept)


def _self_test(test: SelfTest) -> Iterator[str]:
    yield f"#ifdef SELF_TEST\n#define MODEL_TEST_ROWS {len(test.rows)}\n"
    yield f"#define MODEL_TEST_DIGEST UINT32_C({test.digest})\n"
    yield _array("uint32_t", "model_test_starts", np.cumsum([0, *map(len, test.rows)]))
    yield _array("uint32_t", "model_test_ids", [at for row in test.rows for at in row])
    if test.classes is not None:
        yield _array("int", "model_test_classes", test.classes)
    yield "#endif\n\n"


# --- extras -----------------------------------------------------------------------------------------------------------


def _probability(machine: Machine) -> Iterator[str]:
    yield "\n" + "".join(f"#define MODEL_{kind.upper()} {at}\n" for at, kind in enumerate(PROBABILITIES))
    yield f"#define MODEL_PROBABILITY MODEL_{str(probability_kind(machine)).upper()}\n"
    arrays = {"a": "model_slopes", "b": "model_offsets", "marks": "model_marks"}
    for name, values in probability_numbers(machine).items():
        yield f"#define MODEL_{name.upper()} {len(values)}\n" + _array("double", arrays[name], values)
    yield from _template("probability")


def _names(program: Program) -> Iterator[str]:
    found = named_features(program)
    yield f"\n#define MODEL_NAMES {len(found)}\n"
    yield "static const char *const model_names[MODEL_NAMES + 1] = {\n"
    yield "".join(f"{_text(name)},\n" for name, _ in found) + '""};\n'
    yield _array("uint32_t", "model_named_ids", [at for _, at in found])
    yield from _template("names")


# --- spelling ---------------------------------------------------------------------------------------------------------


def _array(kind: str, name: str, values: Sequence[Any] | Any) -> str:
    """A constant array; C has none without elements."""
    listed = values.tolist() if hasattr(values, "tolist") else list(values)
    words = [_double(value) for value in listed] if kind == "double" else list(_whole(kind, listed))
    lines = (",".join(words[at : at + _A_LINE]) for at in range(0, len(words), _A_LINE))
    return f"static const {kind} {name}[{max(len(words), 1)}] = {{\n" + (",\n".join(lines) or "0") + "};\n"


def _whole(kind: str, values: Iterable[int]) -> Iterable[str]:
    return (f"INT64_C({value})" for value in values) if kind == "int64_t" else map(str, values)


def _double(value: float) -> str:
    return float(value).hex()


def _unsigned(largest_value: int) -> str:
    return "uint8_t" if largest_value < 2**8 else "uint16_t" if largest_value < 2**16 else "uint32_t"


def _signed(largest_value: int) -> str:
    return next(f"int{bits}_t" for bits in (8, 16, 32, 64) if largest_value < 2 ** (bits - 1))


def _text(text: str) -> str:
    """A string literal of UTF-8 bytes; what is not printable ASCII in octal."""
    plain = (chr(b) if 32 <= b < 127 and b not in b'"\\?' else f"\\{b:03o}" for b in text.encode())
    return f'"{"".join(plain)}"'
