"""What a parser needs beside its machines, kept where they came from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from gristmill.apps.filled_columns import check_shares
from gristmill.apps.loading import command_of, wrong_model
from gristmill.apps.parsing.actions import action_of
from gristmill.apps.parsing.chunks import UNITS, UnitsModel
from gristmill.apps.parsing.pseudo_projective import marks_of
from gristmill.apps.parsing.settings import ALGORITHMS, columns_of, is_of_units, parsed
from gristmill.apps.parsing.tree import COLUMNS
from gristmill.apps.templates.configurations import parse_address
from gristmill.base.checks import check_choice
from gristmill.base.errors import FormatError, naming
from gristmill.base.files import PathLike, display_name
from gristmill.machines.collection import Machines
from gristmill.machines.formats import load
from gristmill.machines.machine import Machine

KEY = "parser"
ONLY = "all"  # the name of a machine that decides alone


@dataclass(frozen=True)
class Split:
    """Which machine decides: by a cell of a word."""

    address: str
    column: str
    machines: Mapping[str, str] = field(default_factory=dict)  # of values
    other: str = ONLY

    def __post_init__(self) -> None:
        if not isinstance(self.address, str) or not isinstance(self.column, str):
            raise ValueError(f"machines are split by a cell of a word, got {self.address!r:.40}, {self.column!r:.40}")
        parse_address(self.address)
        if not isinstance(self.machines, Mapping) or not all(isinstance(one, str) for one in self.machines.values()):
            raise ValueError(f"machines of values must have names, got {self.machines!r:.60}")


@dataclass(frozen=True)
class ParserModel:
    """How rows are made of configurations, and trees of actions."""

    algorithm: str
    templates: str
    relations: tuple[str, ...]  # that machines know, those of lifted arcs too
    root: str  # the relation of roots
    common: str  # the commonest relation, for arcs that no machine knows one for
    lifted: bool = False  # some of the relations tell how arcs were lifted
    split: Split | None = None
    units: UnitsModel | None = None
    filled: Mapping[str, float] | None = None  # shares of training words by column; None in files of older releases

    def __post_init__(self) -> None:
        check_choice("algorithm", self.algorithm, tuple(ALGORITHMS))
        words = [*self.relations, self.root, self.common]
        if not all(isinstance(one, str) and one and not set(one) & set("\t\r\n") for one in words):
            raise ValueError(f"relations must be words, got {words!r:.60}")
        if len(set(self.relations)) != len(self.relations) or self.common not in self.relations:
            raise ValueError("relations must differ, and the commonest be one of them")
        if not isinstance(self.templates, str):
            raise ValueError(f"templates must be text, got {self.templates!r:.60}")
        parsed(self.templates, self.algorithm)
        if self.lifted:
            marks_of(self.relations)
        if self.split is not None:
            check_choice("the column to split by", self.split.column, columns_of(self.algorithm))
        if is_of_units(self.algorithm) != (self.units is not None):
            raise ValueError(f"units do not fit the algorithm {self.algorithm!r}")
        if self.filled is not None:
            if not isinstance(self.filled, Mapping) or not set(self.filled) <= set(COLUMNS):
                raise ValueError(f"shares must be of columns {', '.join(COLUMNS)}, got {self.filled!r:.60}")
            check_shares(self.filled.values())

    def provenance(self) -> dict[str, Any]:
        return {KEY: asdict(self)}

    @classmethod
    def of_mapping(cls, known: Mapping[str, Any]) -> ParserModel:
        split, units = known.get("split"), known.get("units")
        parts = {
            "relations": tuple(known.get("relations", ())),
            "split": None if split is None else Split(**split),
            "units": None if units is None else UnitsModel(**units),
        }
        return cls(**dict(known) | parts)


def split_of(text: str | None) -> Split | None:
    """What machines are to be split by, such as b0.upos; ValueError if it is no cell of a word."""
    if text is None:
        return None
    address, dot, column = text.rpartition(".") if isinstance(text, str) else ("", "", "")
    if not dot:
        raise ValueError(f"expected a cell of a word to split by, such as b0.upos, got {text!r}")
    return Split(str(parse_address(address)), column)


def load_model(path: PathLike) -> tuple[Machines, ParserModel]:
    """A saved parser; FormatError for other files."""
    machines = load(path)
    if not isinstance(machines, Machines) or command_of(machines) != "parse":
        raise wrong_model(machines, path, "a dependency parser")
    with naming(display_name(path)):
        return machines, model_of(machines)


def model_of(machines: Mapping[str, Machine]) -> ParserModel:
    """What machines remember of the parser that they were learned by; FormatError if it is none."""
    first = next(iter(machines.values()), None)
    known = first.provenance.get(KEY) if isinstance(first, Machine) else None
    if not isinstance(known, Mapping):
        raise FormatError("machines, but not those of a parser: those come from `gristmill parse train`")
    try:
        model = ParserModel.of_mapping(known)
        _check(machines, model)
    except (TypeError, ValueError) as error:
        raise FormatError(f"not a sound parser: {error}") from error
    return model


def links_of(machines: Mapping[str, Machine]) -> dict[str, Machine]:
    """The machines that decide on actions."""
    return {name: machine for name, machine in machines.items() if name != UNITS}


def _check(machines: Mapping[str, Machine], model: ParserModel) -> None:
    number = {name: at for at, name in enumerate(model.relations)}
    for name, machine in links_of(machines).items():
        if machine.feature_names is None or machine.classes is None or machine.classes.dtype.kind != "U":
            raise ValueError(f"machine {name!r} has no names of features, or no actions")
        for action in machine.classes.tolist():
            action_of(action, number)
    wanted = {ONLY} if model.split is None else {*model.split.machines.values(), model.split.other}
    if not wanted <= set(links_of(machines)):
        raise ValueError(f"there are no machines {sorted(map(str, wanted - set(links_of(machines))))} for actions")
    if model.units is not None:
        model.units.check(machines.get(UNITS), number)
