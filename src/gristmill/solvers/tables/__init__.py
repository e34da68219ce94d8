"""Tables of weights: kernel machines over discrete fields, trained in the primal."""

from gristmill.solvers.tables.choosing import choose
from gristmill.solvers.tables.model import TableModel
from gristmill.solvers.tables.plan import TablePlan
from gristmill.solvers.tables.settings import TableSettings
from gristmill.solvers.tables.training import TableFit, TableTask, train

__all__ = ["TableFit", "TableModel", "TablePlan", "TableSettings", "TableTask", "choose", "train"]
