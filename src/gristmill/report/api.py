"""`make_report`: from a model and data to a page."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gristmill.apps.tree_classification.classifier import TreeClassifier
from gristmill.base.progress import Progress
from gristmill.display.charts import canvas
from gristmill.explanations.models import model_of
from gristmill.report.apps.api import SentenceApp, app_content
from gristmill.report.apps.content import ReportRequest
from gristmill.report.evaluation_result import LARGEST, EvaluationResult, ReportOptions, Sources, truth_of
from gristmill.report.page import Report, Section, Tile, facts, head
from gristmill.report.sections import calibration, data, engines, learned, mistakes, model, quality, shapes
from gristmill.scoring.deciding import trusted_scores
from gristmill.scoring.scorer import Scorer

_SECTIONS: tuple[Callable[[EvaluationResult], Section | None], ...] = (
    quality.section,
    calibration.section,
    mistakes.section,
    learned.section,
    shapes.section,
    engines.section,
    data.section,
    model.section,
)


def make_report(
    model: Any,
    X: Any,
    y: Any = None,
    *,
    title: str | None = None,
    sources: Sources | None = None,
    examples: int = 2000,
    mistakes: int = 10,
    random_state: int = 0,
    engines: bool = True,
    labels: bool = True,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> Report:
    """Score examples once, and report quality, calibration, mistakes, what was learned, and speed.

    Needs matplotlib: ``pip install 'gristmill[report]'``.

    Parameters
    ----------
    model : Machine, or what has one
        A Scorer, a fitted estimator, a fitted scikit-learn SVC and its like, a Pipeline or search that ends in one, a
        TreeClassifier; or a Tagger, Segmenter, DependencyParser, TextPipeline or RoleLabeller.
    X : rows, trees or sentences
        As the model itself reads them (a list of lists is a table for estimators; `gristmill.ids` marks feature ids).
        For the last five: sentences with their true labels, as `fit` takes them, or the
        path of a file of such sentences. A RoleLabeller takes (sentences, propositions).
    y : sequence of labels or values, or None
        None, or nan, for examples without one. None: no metrics, unless sentences have their true labels.
    title : str or None
        The heading of the page.
    sources : Sources or None
        Names of model and data on the page.
    examples : int
        How many are explained and timed at most; all are scored.
    mistakes : int
        How many of the worst mistakes are shown.
    random_state : int
        Seed of the choice of examples, where not all are used.
    engines : bool
        Whether engines are compared, which takes some seconds.
    labels : bool
        False: true labels are ignored. Sentences need not have any then.
    n_jobs : int or None
        Threads; None is one, -1 all cores. Results are equal for any number, except times.
    progress : callable or None
        Called with (done, in all), first of examples, then of sections.

    Returns
    -------
    Report
        `save` writes the page, `as_dict` and `to_json` give the figures, notebooks show it.

    Examples
    --------
    >>> import gristmill as gm
    >>> from gristmill.report import make_report
    >>> names, classes = ["money", "bank", "river"], ["water", "finance"]
    >>> kernel = gm.PolynomialKernel(2)
    >>> machine = gm.Machine(kernel, gm.ids([[0, 1], [1, 2]]), [1.0, -0.5], 0.0, classes, feature_names=names)
    >>> report = make_report(machine, gm.ids([[0, 1], [2], [0]]), ["finance", "water", "water"], engines=False)
    >>> report.as_dict()["quality"]["accuracy"]
    0.6666666666666666
    >>> report.save("report.html")  # doctest: +SKIP
    """
    with canvas((1.0, 1.0)):  # before long work: it says what to install where charts cannot be drawn
        pass
    options = ReportOptions(examples, mistakes, random_state, engines, n_jobs)
    sources = sources or Sources(type(model).__name__, "data")
    if isinstance(model, SentenceApp):
        if y is not None:
            raise ValueError("sentences hold their true labels themselves: y must be None")
        content = app_content(model, X, ReportRequest(sources, options, labels, progress))
        return build_report(content.evaluation, title, progress, before=content.sections, tiles=content.tiles)
    return build_report(evaluate_model(model, X, y if labels else None, sources, options, progress), title, progress)


def evaluate_model(
    model: Any, X: Any, y: Any, sources: Sources, options: ReportOptions, progress: Progress | None = None
) -> EvaluationResult:
    """Score all examples; arguments are those of `make_report`."""
    scorer, found = _scorer_and_examples(model, X)
    if not len(found):
        raise ValueError("there are no examples to report on")
    truth = None if y is None else truth_of(scorer.machine, y)
    if y is not None and len(y) != len(found):
        raise ValueError(f"y must hold a label for each of {len(found)} examples, got {len(y)}")
    scores = trusted_scores(scorer, found, options.n_jobs, progress=progress)
    if not (np.abs(scores) <= LARGEST).all():
        raise ValueError(f"scores go beyond {LARGEST:g}: scale the coefficients down")
    return EvaluationResult(scorer, found, scores, truth, sources, options)


def build_report(
    evaluation: EvaluationResult,
    title: str | None = None,
    progress: Progress | None = None,
    *,
    before: Sequence[Section] = (),
    tiles: Sequence[Tile] = (),
) -> Report:
    """The page of an evaluation; `before` are sections and `tiles` numbers that come first."""
    sections = [*before]
    for done, make in enumerate(_SECTIONS):
        if progress is not None:
            progress(done, len(_SECTIONS))
        if (section := make(evaluation)) is not None:
            sections.append(section)
    title = title or f"Report on {evaluation.sources.model}"
    return Report(title, head(evaluation, title, tiles), tuple(sections), facts(evaluation, title))


def _scorer_and_examples(model: Any, X: Any) -> tuple[Scorer, Any]:
    """The model compiled, and X as the model itself reads it."""
    if isinstance(model, TreeClassifier):
        return model.scorer_, model.examples(X)
    reading = model_of(model).named_by(X)
    found = reading.examples(X)
    return reading.compiled(found), found
