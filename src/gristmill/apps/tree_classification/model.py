"""The file of a tree classifier: its machine, with settings where that came from; the vocabulary names its columns."""

from __future__ import annotations

from typing import Any

from gristmill.apps.loading import wrong_model
from gristmill.apps.provenance import with_provenance
from gristmill.apps.tree_classification.words import WordBag
from gristmill.base.errors import FormatError, naming
from gristmill.base.files import PathLike, display_name
from gristmill.data.examples import Examples
from gristmill.data.forest import Forest
from gristmill.data.rows import Rows
from gristmill.kernels import Kernel, Normalized, PolynomialKernel, from_spec, to_spec
from gristmill.machines.formats import load
from gristmill.machines.machine import Machine
from gristmill.machines.store import sound

TREES, WORDS = "trees", "words"  # the fields of an example

_KEY, _VERSION = "tree_classifier", 1
_OTHER = "a model, but not a tree classifier: those come from `gristmill classify-trees train`"
_BAG = Normalized(PolynomialKernel(1, 1.0, 0.0))


def joined_kernel(trees: Kernel, words: float) -> Kernel:
    """The kernel of trees and that of their words, with shares that add up to 1."""
    if words in (0, 1):
        return _BAG.on(WORDS) if words else trees
    return (1 - words) * trees.on(TREES) + words * _BAG.on(WORDS)


def with_words(forest: Forest, bag: WordBag) -> Examples:
    """Trees and their words."""
    return Examples(**{TREES: forest, WORDS: bag.rows(forest)})


def save_model(path: PathLike, machine: Machine, trees: Kernel, settings: dict[str, Any]) -> None:
    """Write it, whole or not at all."""
    known = {**settings, "version": _VERSION, "kernel": to_spec(trees)}
    with_provenance(machine, {_KEY: known}).save(path)


def load_model(path: PathLike) -> tuple[Machine, Kernel, dict[str, Any]]:
    """The machine, the kernel of trees and the settings; FormatError for other files."""
    machine = load(path)
    if not isinstance(machine, Machine) or not isinstance(machine.provenance.get(_KEY), dict):
        raise wrong_model(machine, path, "a tree classifier")
    with naming(display_name(path)):
        return machine, *settings_of(machine)


def settings_of(machine: Machine) -> tuple[Kernel, dict[str, Any]]:
    """The kernel of trees and the settings that the machine of a tree classifier remembers; FormatError if unsound."""
    settings = machine.provenance[_KEY]
    known = dict(settings)
    version = known.pop("version", None)
    if version != _VERSION:
        raise FormatError(f"a tree classifier of version {version!r}; this release reads {_VERSION}: upgrade gristmill")
    with sound("tree classifier"):
        kernel = from_spec(known.pop("kernel"))
        _check(machine, joined_kernel(kernel, known["word_weight" if "word_weight" in known else "words"]))
    return kernel, known


def vocabulary_of(machine: Machine) -> tuple[str, ...]:
    """The names of the columns; empty where words do not count."""
    rows = machine.support[WORDS] if isinstance(machine.support, Examples) else None
    return rows.feature_names or () if isinstance(rows, Rows) else ()


def _check(machine: Machine, kernel: Kernel) -> None:
    if machine.kernel != kernel:
        raise ValueError(f"expected the kernel {kernel!r}, got {machine.kernel!r}")
    if machine.classes is None:
        raise ValueError("the machine has no classes")
    if not isinstance(machine.support, Forest) and not vocabulary_of(machine):
        raise ValueError("there is no vocabulary")
