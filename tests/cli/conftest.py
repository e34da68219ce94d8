"""Programs that models of ours are compared with."""

from formats.conftest import svm_classify_tk

__all__ = ["svm_classify_tk"]
