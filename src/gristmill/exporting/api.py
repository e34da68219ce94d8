"""export: a machine as one file of source text that needs nothing else."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from gristmill.base.files import PathLike, writing
from gristmill.base.progress import Progress
from gristmill.data.rows import Rows
from gristmill.display.numbers import memory
from gristmill.display.words import counted, lined
from gristmill.explanations.models import model_of
from gristmill.exporting.c_source import c_source
from gristmill.exporting.expansion import MOST_WEIGHTS
from gristmill.exporting.javascript import js_source
from gristmill.exporting.program import Program
from gristmill.exporting.promises import promises
from gristmill.exporting.self_test import SelfTest

Language = Literal["c", "js", "mjs"]
_LANGUAGES: dict[str, Language] = {".c": "c", ".h": "c", ".js": "js", ".cjs": "js", ".mjs": "mjs"}


@dataclass(frozen=True)
class Exported:
    """What was written, and what it promises. Made by `export`.

    Parameters
    ----------
    language : {'c', 'js', 'mjs'}
    nbytes : int
        The size of the file.
    conjunctions : int
        That are stored with their weights.
    exponent : int
        Scores are whole numbers times ``2**-exponent``.
    exact : bool
        Whether every score is the machine's own, without rounding.
    labels : str
        'always': those of gristmill, wherever scores are; 'beyond the bound': wherever they are further from a decision
        than the bound of their row; 'none': of regression.
    rows, open_rows : int or None
        Rows of `data`, and how many of them are nearer to a decision than their bound, at most.
    promises : tuple of str
        The same in words.
    """

    language: Language
    nbytes: int
    conjunctions: int
    exponent: int
    exact: bool
    labels: str
    rows: int | None
    open_rows: int | None
    promises: tuple[str, ...]

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)

    def __str__(self) -> str:
        facts = [("file", memory(self.nbytes)), ("conjunctions", f"{self.conjunctions:,}")]
        facts.append(("promise", " ".join(line for line in self.promises if line)))
        if self.rows is not None:
            facts.append(
                ("data", f"{counted(self.rows, 'row')}, {self.open_rows:,} nearer to a decision than the bound")
            )
        return lined(facts)


def export(
    model: Any,
    path: PathLike,
    *,
    language: Language | None = None,
    name: str | None = None,
    bits: int | None = None,
    definition: bool = True,
    names: bool = False,
    data: Any = None,
    max_weights: int = MOST_WEIGHTS,
    progress: Progress | None = None,
) -> Exported:
    """Write a machine as one file of C99 or JavaScript that needs nothing else.

    Weights become whole numbers, whose sums are the same on every platform. The file states how far scores may be off,
    and checks itself: `cc -DSELF_TEST model.c && ./a.out`, or `node model.js --self-test`.

    Parameters
    ----------
    model : Machine, fitted estimator, fitted scikit-learn SVC and its like, or what has one inside
        With a polynomial kernel of degree 1 to 12 on binary rows (gamma > 0, coef0 >= 0), or a conjunction kernel.
    path : path or '-'
    language : {'c', 'js', 'mjs'} or None
        'js' is a script that is a CommonJS module too, 'mjs' an ES module. None: by the end of the path.
    name : str or None
        What names in the file begin with. None: the name of the file.
    bits : {16, 32, 53} or None
        Of a weight. None: 32, and where scores are the answer 53.
    definition : bool
        Whether the support rows are written as well, which decide where the weights' rounding could change a label:
        labels are then those of gristmill always. Where nothing is rounded they are not needed.
    names : bool
        Whether the names of features are written as well.
    data : rows like those to be scored, or None
        Says how many of them are nearer to a decision than the bound. The file tests itself on the first of them.
    max_weights : int
        ValueError where the machine has more.
    progress : callable or None
        Called with (done, total) while conjunctions are mined.

    Examples
    --------
    >>> import tempfile, gristmill as gm
    >>> machine = gm.Machine(gm.PolynomialKernel(2), gm.ids([[0, 1], [2]]), [1.0, -0.5], -1.0, classes=["no", "yes"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     exported = gm.export(machine, folder + "/model.c")
    >>> exported.conjunctions, exported.exact, exported.labels
    (4, True, 'always')
    """
    chosen = _language(path, language)
    prefix = _prefix(path, name)
    found = model_of(model)
    program = Program.of(found.machine, bits=bits, definition=definition, most=max_weights, progress=progress)
    rows = None if data is None else found.examples(data)
    test = SelfTest.of(program, rows)
    with writing(path) as out:
        nbytes = sum(out.write(text.encode()) for text in _source(program, test, chosen, prefix, names))
    return Exported(
        chosen,
        nbytes,
        program.n_conjunctions,
        program.scale.exponent,
        program.scale.doubt is None,
        _labels(program),
        None if rows is None else len(rows),
        None if rows is None else open_rows(program, rows),
        tuple(promises(program)),
    )


def _source(program: Program, test: SelfTest, language: Language, prefix: str, names: bool) -> Iterator[str]:
    if language == "c":
        return c_source(program, test, prefix, names=names)
    return js_source(program, test, prefix, names=names, module=language == "mjs")


def _language(path: PathLike, language: Language | None) -> Language:
    end = Path(os.fspath(path)).suffix
    known = _LANGUAGES.get(end) if language is None else language
    if known is None or known not in _LANGUAGES.values():
        got = f"a path that ends in {end!r}" if language is None else repr(language)
        raise ValueError(f"the language is 'c', 'js' or 'mjs', by the end of the path or by language=; got {got}")
    return known


def _prefix(path: PathLike, name: str | None) -> str:
    if name is None:
        stem = re.sub(r"\W", "_", Path(os.fspath(path)).stem, flags=re.ASCII)
        return stem if re.match(r"[A-Za-z]", stem) else "model"
    if not re.fullmatch(r"[A-Za-z]\w*", name, re.ASCII):
        raise ValueError(f"name must be a letter, then letters, digits and '_', got {name!r}")
    return name


def _labels(program: Program) -> str:
    if not program.machine.scheme.has_labels:
        return "none"
    return "always" if program.scale.doubt is None or program.definition is not None else "beyond the bound"


def open_rows(program: Program, rows: Rows) -> int:
    """Rows nearer to a decision than their bound, if each had all conjunctions that a row of its length can have."""
    scale, machine = program.scale, program.machine
    if scale.doubt is None or not machine.scheme.has_labels:
        return 0
    lengths, which = np.unique(rows.lengths, return_inverse=True)
    most = [min(_conjunctions(int(length), len(program.levels)), program.n_conjunctions) for length in lengths]
    bounds = np.ldexp([scale.doubt.of(count) for count in most], -scale.exponent)[which]
    scores = machine.compile().decision_function(rows).reshape(len(rows), machine.n_outputs)
    return int(machine.decision.unsure(scores, bounds[:, None]).sum())


def _conjunctions(length: int, degree: int) -> int:
    total, choices = 0, 1
    for size in range(1, min(degree, length) + 1):
        choices = choices * (length - size + 1) // size
        total += choices
    return total
