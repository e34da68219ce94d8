"""What a lemmatizer and a splitter work with: a machine that chooses edit scripts, compiled, and its templates."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field

import numpy as np

from gristmill import _core
from gristmill.apps.decisions import Decision, SentenceExplanation
from gristmill.apps.editing.examples import Cells, alone
from gristmill.apps.editing.scripts import read_script
from gristmill.apps.filled_columns import ColumnCheck, check_shares
from gristmill.apps.learning import Learning, decidable, keep_learned, learn, named
from gristmill.apps.templates import Templates, parse_templates
from gristmill.base.arrays import Int32s
from gristmill.base.progress import Progress
from gristmill.base.threads import resolve_jobs
from gristmill.data.rows import Rows
from gristmill.explanations.shapley import Explainer
from gristmill.machines.machine import Machine
from gristmill.scoring.deciding import classes_among, labeller, trusted_scores
from gristmill.scoring.scorer import Scorer

UNCHANGED = "keep:="  # the script that leaves a form as it is


@dataclass(frozen=True)
class EditModel:
    """How rows are made of words, and which forms have a script that nothing is to be decided about."""

    templates: str
    columns: Sequence[str]  # names of them, as templates count them
    shares: Sequence[float]  # of training words that have something there
    known: Mapping[str, Sequence[str]] = field(default_factory=dict)  # forms by their script

    def __post_init__(self) -> None:
        if not isinstance(self.templates, str):
            raise ValueError(f"templates must be text, got {self.templates!r:.60}")
        if not all(isinstance(name, str) for name in self.columns) or len(self.columns) != len(self.shares):
            raise ValueError(f"expected names of columns, with a share of each, got {self.columns!r:.60}")
        check_shares(self.shares)
        for script, forms in self.known.items():
            read_script(script)
            if not isinstance(forms, Sequence) or not all(isinstance(form, str) for form in forms):
                raise ValueError(f"expected a list of the forms with the script {script!r:.60}, got {forms!r:.60}")
        self.parsed()

    def parsed(self) -> Templates:
        parsed = parse_templates(self.templates, len(self.columns))
        if any(look.distance != 0 for look in parsed.looks):
            raise ValueError(
                f"each word is decided alone: templates can look at row 0 only, got {self.templates!r:.80}"
            )
        return parsed

    @functools.cached_property
    def scripts(self) -> dict[str, str]:
        """Of the forms that are known."""
        return {form: script for script, forms in self.known.items() for form in forms}


def edit_model(key: str, machine: Machine) -> EditModel:
    """What the machine of an app remembers of it; an error if that is not sound."""
    model = EditModel(**machine.provenance[key])
    if machine.feature_names is None or machine.classes is None:
        raise ValueError("expected names of features, and edit scripts as classes")
    for script in machine.classes.tolist():
        read_script(script)
    return model


def learn_scripts(
    key: str,
    model: EditModel,
    words: Sequence[Cells],
    scripts: Sequence[str],
    how: Learning,
    keep: Callable[[Machine, int], None],
    *,
    n_jobs: int | None,
    progress: Progress | None,
) -> None:
    """Learn to choose the scripts of words; `keep` takes the machine, and how many features there were."""
    classes = sorted(set(scripts))
    place = {script: number for number, script in enumerate(classes)}
    labels = np.array([place[script] for script in scripts], dtype=np.int32)
    names, window = _core.Strings([]), model.parsed().compile(classes)
    columns = alone(words, len(model.columns))
    offsets, ids = _core.extract_rows(window, columns, labels, names, True, False, progress)
    task = decidable(Rows(offsets, ids, n_features=len(names)), labels, classes, (UNCHANGED, "lower:="))
    keep_learned(
        lambda: learn(*task, how, n_jobs=n_jobs, progress=progress),
        lambda machine: keep(named(machine, names.words(), {key: asdict(model)}), len(names)),
    )


class EditEngine:
    """Chooses scripts of words and applies them. Safe to share between threads. Compiled when first needed."""

    def __init__(self, machine: Machine, model: EditModel, engine: str | Scorer, what: str) -> None:
        """With an engine by its name, or the machine compiled already, as it may be with options."""
        self.model = model
        self._machine, self._engine = machine, engine
        self.scripts: list[str] = np.asarray(machine.classes).tolist()
        self._window = model.parsed().compile(self.scripts)
        used = {look.column for look in model.parsed().looks if look.column is not None}
        places = {name: place for place, name in enumerate(model.columns) if place in used}
        shares = {name: model.shares[place] for name, place in places.items()}
        advice = "Fill in what is missing, or train without it."
        self.check_columns = ColumnCheck(what, "words", places, shares, advice)

    @functools.cached_property
    def scorer(self) -> Scorer:
        return self._engine if isinstance(self._engine, Scorer) else self._machine.compile(self._engine)

    @functools.cached_property
    def _names(self) -> _core.Strings:
        return _core.Strings(list(self._machine.feature_names or ()))

    @functools.cached_property
    def _decoder(self) -> _core.Decoder:
        return _core.Decoder(self._window, self._names, labeller(self.scorer))

    @functools.cached_property
    def explainer(self) -> Explainer:
        return Explainer(self._machine)

    def results(self, words: Sequence[Cells], n_jobs: int | None = None, progress: Progress | None = None) -> list[str]:
        """What the best scripts that can be applied make of the words' forms."""
        columns = alone(words, len(self.model.columns))
        chosen = self._decoder.decode(columns, resolve_jobs(n_jobs), progress)
        named = zip(words, chosen.tolist(), strict=True)
        found = [read_script(self.scripts[number]).apply(cells[0]) for cells, number in named]
        impossible = np.flatnonzero([result is None for result in found])
        if len(impossible):
            rows = self._rows(columns, chosen)
            for at in impossible.tolist():
                found[at] = self._best_possible(rows.take(np.array([at])), words[at][0])
        return [cells[0] if result is None else result for cells, result in zip(words, found, strict=True)]

    def _best_possible(self, row: Rows, form: str) -> str | None:
        results = [read_script(script).apply(form) for script in self.scripts]
        possible = np.array([result is not None for result in results])
        if not possible.any():
            return None
        best = int(classes_among(self.scorer, row, trusted_scores(self.scorer, row), possible)[0])
        return results[best]

    def _rows(self, columns: _core.Columns, chosen: Int32s) -> Rows:
        """What the machine sees of each word."""
        offsets, ids = _core.extract_rows(self._window, columns, chosen, self._names, False, False)
        return Rows(offsets, ids, n_features=len(self._names))

    def explain(self, words: Sequence[Cells], *, interactions: bool = False) -> SentenceExplanation:
        """Why the words became what they are."""
        columns = alone(words, len(self.model.columns))
        chosen = self._decoder.decode(columns)
        explained = self.explainer(self._rows(columns, chosen), interactions=interactions)
        forms = tuple(cells[0] for cells in words)
        steps = tuple(
            Decision.of(explained[at], at, forms[at], self.scripts[number]) for at, number in enumerate(chosen.tolist())
        )
        return SentenceExplanation(forms, steps, words=tuple(self.results(words)))
