"""The player of a model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gristmill.apps import DependencyParser, RoleLabeller, Segmenter, Tagger, TreeClassifier
from gristmill.data.rows import Binarize
from gristmill.explanations.models import machine_of
from gristmill.machines.structured import StructuredMachine
from gristmill.scoring.scorer import Scorer
from gristmill.web.adapters.base import Player
from gristmill.web.adapters.rows import RowsPlayer
from gristmill.web.adapters.sentences import ParserPlayer, SegmenterPlayer, TaggerPlayer
from gristmill.web.adapters.trees import TreeClassifierPlayer, TreeMachinePlayer, tree_field
from gristmill.web.limits import Limits

if TYPE_CHECKING:
    from gristmill.apps.loading import Model


def player_of(model: Model | Scorer, limits: Limits, *, engine: str = "auto", binarize: Binarize = 0.0) -> Player:
    """The model, compiled, behind the face that the server asks; ValueError for a model that it cannot ask.

    Programs are compiled as they were opened; `engine` and `binarize` are for machines.
    """
    if isinstance(model, Tagger):
        return TaggerPlayer(model, limits)
    if isinstance(model, Segmenter):
        return SegmenterPlayer(model, limits)
    if isinstance(model, DependencyParser):
        return ParserPlayer(model, limits)
    if isinstance(model, TreeClassifier):
        return TreeClassifierPlayer(model, limits)
    if isinstance(model, RoleLabeller):
        raise ValueError("the playground has no page for a role labeller: use `gristmill roles run`")
    machine = machine_of(model)
    if isinstance(machine, StructuredMachine):
        tree_field(machine.kernel)
        return TreeMachinePlayer(model if isinstance(model, Scorer) else machine.compile(engine), limits)
    scorer = model if isinstance(model, Scorer) else machine.compile(engine, binarize=binarize)
    return RowsPlayer(scorer, limits, binarize)
