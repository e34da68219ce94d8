"""Programs that models of ours are compared with, and files to explain."""

from explain_tasks import rows, trees
from formats.conftest import svm_classify_tk

__all__ = ["rows", "svm_classify_tk", "trees"]
