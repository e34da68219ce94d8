"""Programs that models of ours are compared with, and files to explain."""

from tests.cli.explain_files import rows, trees
from tests.machines.formats.conftest import svm_classify_tk

__all__ = ["rows", "svm_classify_tk", "trees"]
