"""From an app and sentences, of files or from Python, to the content of a report."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from gristmill import _core
from gristmill.apps.columns import BOM, columns_of, read_columns
from gristmill.apps.parsing.parser import DependencyParser
from gristmill.apps.parsing.tree import conllu_of, sentences_of
from gristmill.apps.parsing.treebank import is_path, read_conllu, tags_of_conllu
from gristmill.apps.pipeline.pipeline import TextPipeline
from gristmill.apps.roles.labeller import RoleLabeller
from gristmill.apps.segmentation.files import is_conllu, segmented_bytes, segmented_conllu, with_narrow_gaps
from gristmill.apps.segmentation.segmenter import Segmenter
from gristmill.apps.tagging.tagger import Tagger
from gristmill.base.errors import FormatError, naming
from gristmill.base.files import PathLike, display_name, read_bytes
from gristmill.data.formats.kinds import CONLLU, SEGMENTED, TEXT
from gristmill.data.formats.reading import reading
from gristmill.report.apps.content import ReportContent, ReportRequest
from gristmill.report.apps.parser import parser_content
from gristmill.report.apps.pipeline import pipeline_content
from gristmill.report.apps.roles import roles_content
from gristmill.report.apps.segmenter import segmenter_content
from gristmill.report.apps.tagger import tagger_content

SentenceApp = Tagger | Segmenter | DependencyParser | TextPipeline | RoleLabeller


def app_content(app: SentenceApp, source: Any, request: ReportRequest) -> ReportContent:
    """The content of a report; `source` is the X of `make_report`."""
    app.machine_  # noqa: B018 - NotFittedError
    content = _content(app, source, request)
    if not len(content.evaluation):
        raise ValueError("there are no examples to report on")
    return content


def _content(app: SentenceApp, source: Any, request: ReportRequest) -> ReportContent:
    if isinstance(app, Tagger):
        return tagger_content(app, read_tagged(app, source, request.labels), request)
    if isinstance(app, Segmenter):
        return segmenter_content(app, read_segmented(source, request.labels), request)
    if isinstance(app, DependencyParser):
        return parser_content(app, read_parsed(source, request.labels), request)
    if isinstance(app, TextPipeline):
        return pipeline_content(app, read_parsed(source, request.labels), request)
    if not isinstance(source, tuple) or len(source) != 2:
        raise ValueError(f"a role labeller takes (sentences, propositions), got {type(source).__name__}")
    sentences, propositions = source
    return roles_content(app, sentences, list(propositions), request)


def read_tagged(tagger: Tagger, source: Any, labels: bool) -> _core.Columns:
    """Sentences, the tag in the last column if there are labels; CoNLL-U where the tagger has learned from that."""
    model = tagger.engine_.model
    with _naming(source):
        if model.conllu is not None and is_path(source):
            return _read_conllu_tags(source, model.conllu, labels)
        columns = read_columns(source, encoding=model.encoding) if is_path(source) else columns_of(source)
        if labels:
            with _explaining_labels():
                tagger.engine_.check_gold(columns)
        return columns


def _read_conllu_tags(path: PathLike, column: str, labels: bool) -> _core.Columns:
    text = read_conllu(path)
    if not labels:
        return text.columns.picked([0])
    with _explaining_labels():
        return tags_of_conllu(text, column)


def read_segmented(source: Any, labels: bool) -> _core.CharacterLines:
    """Segmented text if there are labels, else text without boundaries; CoNLL-U has them in any case."""
    with _naming(source):
        if not is_path(source):
            return _lines(segmented_bytes(source), labels)
        with reading(source, SEGMENTED if labels else TEXT, CONLLU) as looked:
            text = looked.content(read_bytes(source)).removeprefix(BOM)
        if is_conllu(text):
            return _core.CharacterLines(b"".join(segmented_conllu([text])), True)
        return _lines(text, labels)


def _lines(text: bytes, segmented: bool) -> _core.CharacterLines:
    return _core.CharacterLines(b"".join(with_narrow_gaps([text])) if segmented else text, segmented)


def read_parsed(source: Any, labels: bool) -> _core.Conllu:
    """Sentences, all of which have trees if there are labels."""
    with _naming(source):
        text = read_conllu(source) if is_path(source) else conllu_of(sentences_of(source))
        if labels:
            with _explaining_labels():
                text.heads()
        return text


def _naming(source: Any) -> contextlib.AbstractContextManager[None]:
    return naming(display_name(source)) if is_path(source) else contextlib.nullcontext()


@contextlib.contextmanager
def _explaining_labels() -> Iterator[None]:
    """Adds to errors about missing labels how to do without them."""
    try:
        yield
    except FormatError as error:
        message = f"{error.message}; without labels (labels=False, --ignore-labels) answers are shown without metrics"
        raise FormatError(message, error.path, error.line, error.column) from error
