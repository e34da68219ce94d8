"""Programs that the formats come from."""

from tests.machines.formats.conftest import svm_classify_tk

__all__ = ["svm_classify_tk"]
