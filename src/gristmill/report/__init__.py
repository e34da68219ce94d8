"""Reports: an evaluation of a model on data, as one page to keep and as figures."""

from gristmill.report.api import build_report, evaluate_model, make_report
from gristmill.report.evaluation_result import EvaluationResult, ReportOptions, Sources
from gristmill.report.page import Report, Section

__all__ = [
    "EvaluationResult",
    "Report",
    "ReportOptions",
    "Section",
    "Sources",
    "build_report",
    "evaluate_model",
    "make_report",
]
