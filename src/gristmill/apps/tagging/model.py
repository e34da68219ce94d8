"""What a tagger needs beside its machine, kept where the machine came from; or read from a model of YamCha."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from gristmill.apps.columns import check_encoding
from gristmill.apps.filled_columns import check_shares
from gristmill.apps.loading import command_of, wrong_model
from gristmill.apps.tagging.chunks import SCHEMES
from gristmill.apps.templates import Templates, parse_templates
from gristmill.base.checks import check_choice, check_positive_int
from gristmill.base.errors import FormatError, naming
from gristmill.base.files import PathLike, display_name
from gristmill.machines.formats import load
from gristmill.machines.machine import Machine

KEY = "tagger"
DIRECTIONS = ("forward", "backward")
CONLLU_COLUMNS = ("upos", "xpos")  # that are tags


@dataclass(frozen=True)
class TaggerModel:
    """How rows are made of tokens, and tags of classes."""

    templates: str
    direction: str
    columns: int  # of a token, the tag not counted
    scheme: str | None = None  # that comes out, if it is not that of the classes
    encoding: str = "utf-8"  # of files, unless something else is said
    conllu: str | None = None  # the column of CoNLL-U that tags are of, if they are
    filled: Sequence[float] | None = None  # shares of training tokens by column; None in files of older releases

    def __post_init__(self) -> None:
        if not isinstance(self.templates, str):
            raise ValueError(f"templates must be text, got {self.templates!r}")
        check_encoding(self.encoding)
        check_choice("direction", self.direction, DIRECTIONS)
        check_positive_int("columns", self.columns)
        if self.scheme is not None:
            check_choice("scheme", self.scheme, SCHEMES)
        if self.conllu is not None:
            check_choice("conllu", self.conllu, CONLLU_COLUMNS)
        if self.filled is not None:
            if not isinstance(self.filled, Sequence) or len(self.filled) != self.columns:
                raise ValueError(f"there must be a share of each of {self.columns} columns, got {self.filled!r:.60}")
            check_shares(self.filled)
        self.parsed()

    def parsed(self) -> Templates:
        return parse_templates(self.templates, self.columns)

    def provenance(self) -> dict[str, Any]:
        return {KEY: asdict(self)}


def load_model(path: PathLike) -> tuple[Machine, TaggerModel]:
    """A saved tagger, or a model of YamCha; FormatError for other files."""
    machine = load(path)
    if not isinstance(machine, Machine) or command_of(machine) != "tag":
        raise wrong_model(machine, path, "a tagger")
    with naming(display_name(path)):
        return machine, model_of(machine)


def model_of(machine: Machine) -> TaggerModel:
    """What a machine remembers of the tagger it was learned by; FormatError if it is none."""
    known = machine.provenance.get(KEY)
    is_yamcha = str(machine.provenance.get("format", "")).startswith("yamcha")
    if not isinstance(known, Mapping) and not is_yamcha:
        raise FormatError("a machine, but not that of a tagger: those come from `gristmill tag train` or YamCha")
    try:
        model = TaggerModel(**known) if isinstance(known, Mapping) else _of_yamcha(machine.provenance)
        if machine.feature_names is None or machine.classes is None or machine.classes.dtype.kind != "U":
            raise FormatError("a tagger's machine has names of features, and tags")
    except (TypeError, ValueError) as error:
        raise FormatError(f"not a sound tagger: {error}") from error
    return model


def _of_yamcha(provenance: Mapping[str, Any]) -> TaggerModel:
    parameters = provenance.get("parameters", {})
    words = [f"F:{place}" for place in parameters.get("features", "").split()]
    words += [f"B:{place}" for place in parameters.get("bow_features", "").split()]
    words += [f"T:{row}" for row in parameters.get("tag_features", "").split()]
    return TaggerModel(
        " ".join(words),
        parameters.get("parsing_direction", "forward"),
        int(parameters.get("column_size", 1)),
        encoding=provenance.get("encoding", "utf-8"),
    )
