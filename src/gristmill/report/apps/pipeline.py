"""Reports on text pipelines: how good each column is from raw text; the parser on what the stages before it find."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from gristmill import _core
from gristmill.apps.parsing.scores import ParseScores
from gristmill.apps.pipeline.pipeline import TextPipeline
from gristmill.apps.pipeline.stages import overwritten
from gristmill.display.markup import joined
from gristmill.display.numbers import in_percent
from gristmill.display.page import note
from gristmill.report.apps.content import ReportContent, ReportRequest, score_line, score_table
from gristmill.report.apps.parser import parser_content
from gristmill.report.page import Section

_SHOWN = {
    "sentences": "sentences",
    "tokens": "tokens",
    "words": "words",
    "upos": "parts of speech (UPOS)",
    "xpos": "the treebank's parts of speech (XPOS)",
    "ufeats": "features",
    "lemmas": "lemmas",
    "uas": "heads (UAS)",
    "las": "heads and relations (LAS)",
    "mlas": "of content words, with tags and features (MLAS)",
    "blex": "of content words, with lemmas (BLEX)",
}


def pipeline_content(pipeline: TextPipeline, text: _core.Conllu, request: ReportRequest) -> ReportContent:
    """The parser's report on words of the treebank with tags and lemmas that were found; before it, all scores."""
    if "parser" not in pipeline.stages_:
        raise ValueError(f"the pipeline has no parser: report on one of its stages, {', '.join(pipeline.stages_)}")
    before = {name: app for name, app in pipeline.stages_.items() if name != "parser"}
    content = parser_content(pipeline.stages_["parser"], overwritten(text, before), request)
    if not request.labels:
        return content
    given = "text" if "tokenizer" in pipeline.stages_ else "words"
    scores = pipeline.evaluate(text, given=given)
    tiles = tuple((name.upper(), in_percent(getattr(scores, name).f1)) for name in ("las", "upos", "lemmas"))
    return replace(content, sections=(_section(scores, given), *content.sections), tiles=(*tiles, content.tiles[-1]))


def _section(scores: ParseScores, given: str) -> Section:
    start = "raw text" if given == "text" else "the words of the treebank"
    lines = (score_line(what, getattr(scores, name)) for name, what in _SHOWN.items())
    table = score_table(f"From {start}", "column", lines)
    hint = note(
        "A word counts where its characters are those of a word of the treebank. The sections below are about the "
        "parser, on the words of the treebank with the tags and lemmas that the stages before it find."
    )
    figures: dict[str, Any] = {name: getattr(scores, name).as_dict() for name in _SHOWN}
    return Section("columns", "Columns", joined(table, hint), figures)
