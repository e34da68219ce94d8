"""The kernel of a batch SVM, from options and from what the examples are made of."""

from __future__ import annotations

from collections.abc import Container
from typing import Any

import click

from gristmill.cli.kernel_options import ROW_KERNELS, kernel_named
from gristmill.cli.train_data import TrainingData
from gristmill.data.examples import Examples
from gristmill.data.rows import Rows
from gristmill.kernels import Kernel, PolynomialKernel, TreeKernel
from gristmill.kernels.named import TREE_KERNELS
from gristmill.machines.formats.svmlight_tk_kernels import Combination
from gristmill.solvers.batch.settings import PRECOMPUTED

_TYPES = {0: "linear", 1: "poly", 4: PRECOMPUTED}
_REFUSED = {
    2: "radial basis functions are not offered: kernels here count what examples share",
    3: "a sigmoid is not offered: it is no kernel for most settings",
}
_TREE_TYPES = ("st", "sst", "sst-bow", "ptk")
_MOST_CHILDREN = 5  # of ptk, in SVM-light-TK
_SETTINGS_OF_TREES = ("decay", "mu", "weighting", "max_children")
_SETTINGS_OF_ROWS = ("degree", "gamma", "coef0")
_OF_FIELDS = ("combine", "vectors", "tree_weight", "normalise", "raw", "marks", "field")


def chosen_name(options: dict[str, Any]) -> str | None:
    """The kernel that -k, -t or -F names, which must agree."""
    kind, trees = options["kernel_type"], options["tree_type"]
    if kind in _REFUSED:
        raise click.UsageError(f"-t {kind}: {_REFUSED[kind]}; there are -t 0, 1, 4 and 5, and -k")
    named = {"-k": options["kernel"], "-t": _TYPES.get(kind), "-F": None if trees is None else _TREE_TYPES[trees]}
    chosen = {flag: name for flag, name in named.items() if name is not None}
    if len(set(chosen.values())) > 1:
        raise click.UsageError("; ".join(f"{flag} says {name}" for flag, name in chosen.items()))
    name = next(iter(chosen.values()), "sst" if kind == 5 else None)
    if kind == 5 and name in ROW_KERNELS:
        raise click.UsageError(f"-t 5 is for trees, --kernel {name} for rows")
    return name


def kernel_for(data: TrainingData, name: str | None, options: dict[str, Any], given: Container[str]) -> Kernel | str:
    """The kernel that compares these examples, or 'precomputed'."""
    if name == PRECOMPUTED:
        _refuse(given, (*_SETTINGS_OF_TREES, *_SETTINGS_OF_ROWS, *_OF_FIELDS), "kernels that are computed here")
        return PRECOMPUTED
    if not data.tree_fields and name in TREE_KERNELS:
        raise click.UsageError(f"there are no trees in DATA, for --kernel {name}")
    if data.vector_fields == [None]:
        _refuse(given, _OF_FIELDS, "kernels of trees")
        return kernel_named(name or "poly", options, given)
    return _combination(data, name, options, given)


def _combination(data: TrainingData, name: str | None, options: dict[str, Any], given: Container[str]) -> Kernel:
    name = name or ("sst" if data.tree_fields else "poly")
    combine = options["combine"] or ("V" if name in ROW_KERNELS else "T")
    if name in ROW_KERNELS and combine != "V":
        raise click.UsageError(f"--combine {combine} needs a kernel of trees, not --kernel {name}")
    trees, vectors = _fields(data, combine, options["field"])
    if combine == "T" and not options["combine"] and not options.get("quiet"):
        _note_vectors(data.X)
    if combine != "+":
        _refuse(given, ["tree_weight"], "--combine +")
    if options["raw"] and options["normalise"] is not None:
        raise click.UsageError("--raw or -N, not both")
    normalise = int(not options["raw"]) if options["normalise"] is None else options["normalise"]
    combined = Combination(
        _on_trees(name, combine, options, given),
        _on_vectors(name, combine, options, given),
        combine != "V",
        combine != "T",
        normalise in (1, 3),
        normalise in (2, 3),
        options["tree_weight"],
    )
    return combined.kernel(trees, vectors)


def _note_vectors(X: Any) -> None:
    """Trees alone are what SVM-light-TK compares, too, but nobody should have to find out."""
    fields = X.fields.values() if isinstance(X, Examples) else ()
    if any(isinstance(field, Rows) and len(field.ids) for field in fields):
        click.echo(
            "gristmill: note: the trees are compared, and the vectors beside them are not; --combine + takes both, "
            "--combine T says that this is meant",
            err=True,
        )


def _fields(data: TrainingData, combine: str, field: str | None) -> tuple[list[str | None], list[str | None]]:
    trees, vectors = data.tree_fields, data.vector_fields
    if combine != "V" and not trees:
        raise click.UsageError("there are no trees in DATA to compare")
    if combine != "T" and not vectors:
        raise click.UsageError("there are no vectors beside the trees of DATA; compare the trees, as with --kernel sst")
    if field is None:
        return trees, vectors
    names = ["tree" if name is None else name for name in trees]
    if combine == "V" or field not in names:
        raise click.UsageError(f"--tree {field}: the trees of DATA are {', '.join(names) or 'none'}")
    return [trees[names.index(field)]], vectors


def _on_trees(name: str, combine: str, options: dict[str, Any], given: Container[str]) -> TreeKernel:
    if combine == "V":
        _refuse(given, _SETTINGS_OF_TREES, "kernels of trees, --combine T or +")
        return Combination().trees
    if options["tree_type"] == 3 and options["max_children"] is None:
        options = options | {"max_children": _MOST_CHILDREN}
    rest = [key for key in _SETTINGS_OF_TREES if key in given]
    made = kernel_named(name, options, [*rest, *(key for key in _SETTINGS_OF_ROWS if key in given and combine == "T")])
    assert isinstance(made, TreeKernel)
    return made


def _on_vectors(name: str, combine: str, options: dict[str, Any], given: Container[str]) -> PolynomialKernel:
    if combine == "T":
        _refuse(given, ["vectors"], "--combine V or +")
        return Combination().vectors
    beside = options["vectors"]
    chosen = name if name in ROW_KERNELS else _TYPES[int(beside)] if beside.isdigit() else beside
    made = kernel_named(chosen, options, [key for key in _SETTINGS_OF_ROWS if key in given])
    assert isinstance(made, PolynomialKernel)
    return made


def _refuse(given: Container[str], names: Any, where: str) -> None:
    spelled = {"field": "--tree", "normalise": "-N"}
    wrong = [spelled.get(name, f"--{name.replace('_', '-')}") for name in names if name in given]
    if wrong:
        raise click.UsageError(f"{', '.join(wrong)}: of {where} only")
