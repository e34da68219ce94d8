"""The adapter of a model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gristmill.apps import DependencyParser, RoleLabeller, Segmenter, Tagger, TextPipeline, TreeClassifier
from gristmill.data.rows import Binarize
from gristmill.explanations.models import machine_of
from gristmill.scoring.scorer import Scorer
from gristmill.web.adapters.base import ModelAdapter
from gristmill.web.adapters.rows import RowsAdapter
from gristmill.web.adapters.sentences import ParserAdapter, PipelineAdapter, SegmenterAdapter, TaggerAdapter
from gristmill.web.adapters.tables import TableAdapter
from gristmill.web.adapters.trees import TreeClassifierAdapter, TreeMachineAdapter, tree_field
from gristmill.web.limits import Limits

if TYPE_CHECKING:
    from gristmill.apps.loading import Model


def choose_adapter(
    model: Model | Scorer, limits: Limits, *, engine: str = "auto", binarize: Binarize = 0.0
) -> ModelAdapter:
    """The adapter of a model, compiled; ValueError for a model that has none.

    Apps are compiled as they were loaded; `engine` and `binarize` are for machines.
    """
    if isinstance(model, Tagger):
        return TaggerAdapter(model, limits)
    if isinstance(model, Segmenter):
        return SegmenterAdapter(model, limits)
    if isinstance(model, DependencyParser):
        return ParserAdapter(model, limits)
    if isinstance(model, TextPipeline):
        return PipelineAdapter(model, limits)
    if isinstance(model, TreeClassifier):
        return TreeClassifierAdapter(model, limits)
    if isinstance(model, RoleLabeller):
        raise ValueError("the playground has no page for a role labeller: use `gristmill roles run`")
    machine = machine_of(model)
    if not machine.explains_features:
        tree_field(machine.kernel)
        return TreeMachineAdapter(model if isinstance(model, Scorer) else machine.compile(engine), limits)
    scorer = model if isinstance(model, Scorer) else machine.compile(engine, binarize=binarize)
    if machine.encoding is not None:
        return TableAdapter(scorer, limits)
    return RowsAdapter(scorer, limits, binarize)
