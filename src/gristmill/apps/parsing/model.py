"""What a parser needs in addition to its machines: algorithm, templates, actions; kept in their provenance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, NamedTuple

import numpy as np

from gristmill import _core
from gristmill.apps.filled_columns import check_shares
from gristmill.apps.parsing.chunks import CHUNKS, ChunkModel
from gristmill.apps.parsing.pseudo_projective import marks_of
from gristmill.apps.parsing.tree import COLUMNS
from gristmill.apps.templates.configurations import ConfigurationTemplates, parse_address, parse_configurations
from gristmill.base.arrays import Int32s, Int64s
from gristmill.base.checks import check_choice
from gristmill.machines.machine import Machine

KEY = "parser"
ONLY = "all"  # the name of a machine that decides alone
_FILE_NAMES = {"chunks": "units"}  # of parts of the model that files call otherwise

ALGORITHMS = {
    "arc-standard": _core.System.arc_standard,
    "arc-eager": _core.System.arc_eager,
    "swap": _core.System.swap,
    "head-final": _core.System.head_final,
    "cascaded": _core.System.cascade,
}
MALT_NAMES = {
    "nivrestandard": "arc-standard",
    "nivreeager": "arc-eager",
    "stackproj": "arc-standard",
    "stackeager": "swap",
    "stacklazy": "swap",
}
ORACLES = ("static", "dynamic")
PSEUDO_PROJECTIVE = ("arc-standard", "arc-eager")  # whose crossing arcs may be lifted

# The head word of a chunk, then words with a role: function words behind it, words before it, punctuation.
_ROLES = ("", "last-", "prior-", "before-", "first-", "mark-")
CHUNK_COLUMNS = tuple(f"{role}{column}" for role in _ROLES for column in COLUMNS)

_STANDARD = """
{s0,s1,b0}.{form:lower,upos,xpos,lemma}
{s0,s1,b0}.feats:parts
{s2,b1,b2}.{form:lower,upos}
s3.upos
{s0,s1}.{ldep,rdep}.{upos,deprel,form:lower}
{s0,s1}.{ldep2,rdep2}.deprel
{s0,s1}.{lefts,rights}
distance(s0,s1)
"""
_EAGER = """
{s0,b0}.{form:lower,upos,xpos,lemma}
{s0,b0}.feats:parts
{s1,b1,b2}.{form:lower,upos}
b3.upos s2.upos
s0.{ldep,rdep}.{upos,deprel,form:lower}
b0.ldep.{upos,deprel,form:lower}
s0.deprel s0.head.{upos,form:lower} s1.deprel
s0.{ldep2,rdep2}.deprel b0.ldep2.deprel
s0.{lefts,rights} b0.lefts
distance(s0,b0)
"""
_CHUNK_LINKS = """
{s0,b0}.{lemma,upos,xpos,form:suffix:1}
{s0,b0}.{last-form,last-xpos,prior-form,mark-form,first-form,before-form}
{s1,b1}.{lemma,upos,last-form,last-xpos,mark-form} b1.xpos
{s2,b2}.{upos,last-form}
{s0,b0}.{ldep,ldep2}.{last-form,upos,mark-form,deprel}
{s0,b0}.lefts
distance(s0,b0)
"""
_TEMPLATES = {
    "arc-standard": _STANDARD,
    "swap": _STANDARD,
    "arc-eager": _EAGER,
    "head-final": _CHUNK_LINKS,
    "cascaded": _CHUNK_LINKS,
}


def algorithm_of(name: str) -> str:
    """Our own name; ValueError where it is neither ours nor MaltParser's for one that we have."""
    found = MALT_NAMES.get(name, name) if isinstance(name, str) else None
    if found not in ALGORITHMS:
        known = ", ".join([*ALGORITHMS, *MALT_NAMES])
        raise ValueError(f"algorithm must be one of {known}, got {name!r}")
    return found


def default_templates(algorithm: str) -> str:
    return _TEMPLATES[algorithm]


def links_chunks(algorithm: str) -> bool:
    """Whether it links chunks of words, not words."""
    return algorithm in ("head-final", "cascaded")


def columns_of(algorithm: str) -> tuple[str, ...]:
    """What templates see: cells of words; of chunks, cells of words that have a role in them."""
    return CHUNK_COLUMNS if links_chunks(algorithm) else COLUMNS


def parsed(templates: str, algorithm: str) -> ConfigurationTemplates:
    return parse_configurations(templates, columns_of(algorithm))


# --- actions ----------------------------------------------------------------------------------------------------------

Action = tuple[_core.Move, int]

_WITH_RELATION = (_core.Move.left, _core.Move.right)


class ActionRows(NamedTuple):
    """Rows of configurations, and what to do in each."""

    offsets: Int64s
    ids: Int32s
    moves: Int32s
    relations: Int32s
    sentences: Int32s
    values: Int32s  # of the cell that machines are split by
    skipped: int  # sentences whose tree the algorithm cannot give

    def joined(self, other: ActionRows) -> ActionRows:
        """The rows of both, which are of the same sentences."""
        offsets = np.concatenate([self.offsets, other.offsets[1:] + self.offsets[-1]])
        return ActionRows(
            offsets,
            np.concatenate([self.ids, other.ids]),
            np.concatenate([self.moves, other.moves]),
            np.concatenate([self.relations, other.relations]),
            np.concatenate([self.sentences, other.sentences]),
            np.concatenate([self.values, other.values]),
            self.skipped,
        )


def numbered_actions(rows: ActionRows, relations: Sequence[str]) -> tuple[list[str], Int32s]:
    """Names of actions that occur, sorted, and their numbers row by row."""
    codes = rows.moves.astype(np.int64) * (len(relations) + 1) + rows.relations + 1
    used, numbers = np.unique(codes, return_inverse=True)
    parts = (divmod(code, len(relations) + 1) for code in used.tolist())
    names = [action_name((_core.Move(move), relation - 1), relations) for move, relation in parts]
    order = sorted(range(len(names)), key=names.__getitem__)
    place = np.empty(len(names), dtype=np.int32)
    place[order] = np.arange(len(names), dtype=np.int32)
    return [names[at] for at in order], place[numbers.reshape(-1)]


def action_name(action: Action, relations: Sequence[str]) -> str:
    move, relation = action
    return move.name.upper() if relation < 0 else f"{move.name.upper()}:{relations[relation]}"


def action_of(name: str, number: dict[str, int]) -> Action:
    """An action by its name; ValueError if it is none."""
    spelled, colon, relation = name.partition(":")
    move = getattr(_core.Move, spelled.lower(), None) if spelled.isupper() else None
    if (
        not isinstance(move, _core.Move)
        or (move in _WITH_RELATION) != bool(colon)
        or (colon and relation not in number)
    ):
        raise ValueError(f"{name!r} is no action of a parser")
    return move, number[relation] if colon else -1


# --- the model --------------------------------------------------------------------------------------------------------


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
    chunks: ChunkModel | None = None
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
        if links_chunks(self.algorithm) != (self.chunks is not None):
            raise ValueError(f"chunks do not fit the algorithm {self.algorithm!r}")
        if self.filled is not None:
            if not isinstance(self.filled, Mapping) or not set(self.filled) <= set(COLUMNS):
                raise ValueError(f"shares must be of columns {', '.join(COLUMNS)}, got {self.filled!r:.60}")
            check_shares(self.filled.values())

    def provenance(self) -> dict[str, Any]:
        return {KEY: {_FILE_NAMES.get(name, name): value for name, value in asdict(self).items()}}

    @classmethod
    def of_mapping(cls, known: Mapping[str, Any]) -> ParserModel:
        split, chunks = known.get("split"), known.get(_FILE_NAMES["chunks"])
        parts = {
            "relations": tuple(known.get("relations", ())),
            "split": None if split is None else Split(**split),
            "chunks": None if chunks is None else ChunkModel(**chunks),
        }
        rest = {name: value for name, value in known.items() if name != _FILE_NAMES["chunks"]}
        return cls(**rest | parts)


def split_of(text: str | None) -> Split | None:
    """What machines are to be split by, such as b0.upos; ValueError if it is no cell of a word."""
    if text is None:
        return None
    address, dot, column = text.rpartition(".") if isinstance(text, str) else ("", "", "")
    if not dot:
        raise ValueError(f"expected a cell of a word to split by, such as b0.upos, got {text!r}")
    return Split(str(parse_address(address)), column)


def model_of(machines: Mapping[str, Machine]) -> ParserModel:
    """What machines remember of the parser that they were learned by; an error if that is not sound."""
    known = next(iter(machines.values())).provenance.get(KEY)
    if not isinstance(known, Mapping):
        raise ValueError("the first machine does not say what the parser is")
    model = ParserModel.of_mapping(known)
    _check(machines, model)
    return model


def links_of(machines: Mapping[str, Machine]) -> dict[str, Machine]:
    """The machines that decide on actions."""
    return {name: machine for name, machine in machines.items() if name != CHUNKS}


def _check(machines: Mapping[str, Machine], model: ParserModel) -> None:
    number = {name: at for at, name in enumerate(model.relations)}
    for name, machine in links_of(machines).items():
        if machine.feature_names is None or machine.classes is None or machine.classes.dtype.kind != "U":
            raise ValueError(f"machine {name!r} has no names of features, or no actions")
        for action in machine.classes.tolist():
            action_of(action, number)
    needed = {ONLY} if model.split is None else {*model.split.machines.values(), model.split.other}
    if not needed <= set(links_of(machines)):
        raise ValueError(f"there are no machines {sorted(map(str, needed - set(links_of(machines))))} for actions")
    if model.chunks is not None:
        model.chunks.check(machines.get(CHUNKS), number)
