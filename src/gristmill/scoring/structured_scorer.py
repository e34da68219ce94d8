# SHIM
from gristmill.scoring.compile import cached_scorer
from gristmill.scoring.options import CompileOptions


def kept_tree_scorer(machine, path, max_bytes=None):
    return cached_scorer(machine, path, CompileOptions(max_bytes=max_bytes))
