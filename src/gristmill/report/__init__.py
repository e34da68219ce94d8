"""Reports: all that is known of a model and how it does on some data, as one page to keep."""

from gristmill.report.api import known_of, make_report, report_of
from gristmill.report.evaluation_result import Known, Sources, Wishes
from gristmill.report.page import Report
from gristmill.report.section import Section

__all__ = ["Known", "Report", "Section", "Sources", "Wishes", "known_of", "make_report", "report_of"]
