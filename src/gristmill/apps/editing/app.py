"""What the lemmatizer and the splitter share: parameters, learning, files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, ClassVar

from gristmill.apps.base import App
from gristmill.apps.editing.engine import EditEngine, EditModel, edit_model, learn_scripts
from gristmill.apps.editing.examples import Cells
from gristmill.apps.learning import Learning, recovered_learning
from gristmill.base.checks import check_choice
from gristmill.base.progress import Progress
from gristmill.machines.machine import Machine
from gristmill.scoring.engines import ENGINES


@dataclass(eq=False, repr=False)
class EditApp(App[EditEngine]):
    """An app whose machine chooses edit scripts."""

    machine_: Machine = field(init=False)
    title: ClassVar[str]  # in messages: "the lemmatizer"
    looked_at: ClassVar[tuple[str, ...]]  # columns, as templates count them

    templates: str
    _: KW_ONLY
    solver: str = "online"
    multiclass: str = "auto"
    degree: int = 2
    C: float | None = None
    epochs: int = 10
    engine: str = "auto"
    n_jobs: int | None = None
    progress: Progress | None = None

    def check_settings(self) -> None:
        check_choice("engine", self.engine, ENGINES)
        self._learning()
        EditModel(self.templates, self.looked_at, [0.0] * len(self.looked_at))

    def _learning(self) -> Learning:
        return Learning(self.solver, self.multiclass, self.degree, self.C, self.epochs)

    def _fit(self, model: EditModel, words: Sequence[Cells], scripts: Sequence[str]) -> None:
        def keep(machine: Machine, features: int) -> None:
            self.n_features_ = features
            self._keep(machine, model)

        how = self._learning()
        learn_scripts(self.key, model, words, scripts, how, keep, n_jobs=self.n_jobs, progress=self.progress)

    def _compile(self, machine: Machine) -> EditEngine:
        return EditEngine(machine, self._state, self.engine, self.title)

    @classmethod
    def _read_state(cls, machines: Mapping[str, Machine]) -> EditModel:
        return edit_model(cls.key, *machines.values())

    @classmethod
    def recovered_params(cls, machines: Mapping[str, Machine]) -> dict[str, Any]:
        (machine,) = machines.values()
        return {"templates": edit_model(cls.key, machine).templates} | recovered_learning(machine)
