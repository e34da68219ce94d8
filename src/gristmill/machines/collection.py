"""Many machines in one file, by name: over one feature space as those of a parser, or in groups, one a space."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import TYPE_CHECKING, Any

from gristmill.base.lazy import late
from gristmill.display.words import counted
from gristmill.machines.machine import Machine

if TYPE_CHECKING:
    from gristmill.base.files import PathLike
    from gristmill.base.progress import Progress
    from gristmill.scoring.scorers import Scorers

_SHOWN = 20  # machines that a notebook lists


class Machines(Mapping[str, Machine]):
    """A collection of machines, in order, each with a name.

    Parameters
    ----------
    machines : mapping of str to Machine
        All over the same features: where they have feature names, these must be the same names, and where they know
        how data files count features, they must count alike.

    Examples
    --------
    >>> import gristmill as gm
    >>> yes = gm.Machine(gm.PolynomialKernel(2), gm.ids([[0, 1]]), [1.0], 0.0)
    >>> no = gm.Machine(gm.PolynomialKernel(2), gm.ids([[2]]), [-1.0], 0.0)
    >>> both = gm.Machines({"yes": yes, "no": no})
    >>> scorers = both.compile()
    >>> scorers["yes"].decision_function(gm.ids([[0, 1, 2]]))
    array([9.])
    """

    def __init__(self, machines: Mapping[str, Machine]) -> None:
        self._machines = dict(machines)
        for name, machine in self._machines.items():
            if not isinstance(name, str) or not name:
                raise ValueError(f"machines have names that are strings and not empty, got {name!r}")
            if not isinstance(machine, Machine):
                raise ValueError(f"{name!r}: expected a Machine, got {type(machine).__name__}")
        self.feature_names: tuple[str, ...] | None = self._shared("feature_names")
        self.first_id: int | None = self._shared("first_id")

    def _shared(self, attribute: str) -> Any:
        """The one value that all polynomial machines have that have any; other kernels may have rows of their own."""
        found = {name: getattr(machine, attribute) for name, machine in self.items() if machine.explains_features}
        known = {name: value for name, value in found.items() if value is not None}
        for name, value in known.items():
            first = next(iter(known))
            if value is not known[first] and value != known[first]:
                raise ValueError(f"machines {first!r} and {name!r} differ in {attribute}: they are not over one space")
        return next(iter(known.values()), None)

    def __getitem__(self, name: str) -> Machine:
        return self._machines[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._machines)

    def __len__(self) -> int:
        return len(self._machines)

    def compile(self, engine: str = "auto", *, progress: Progress | None = None, **options: Any) -> Scorers:
        """A scorer for each machine.

        Parameters
        ----------
        engine : str
            'auto' chooses for each machine on its own.
        progress : callable or None
            Called with (machines done, machines in all).
        **options
            Those of `Machine.compile`, for every machine (`max_bytes` too), but for `cache`, which is one machine's.
        """
        scorers: Scorers = late("gristmill.scoring.scorers:compile_machines")(self, engine, progress, **options)
        return scorers

    def save(self, path: PathLike) -> None:
        """Write all machines to one safetensors file, whole or not at all."""
        from gristmill.machines.store import save

        save(self, path)

    def __repr__(self) -> str:
        support = sum(machine.n_support for machine in self.values())
        return f"Machines({counted(len(self), 'machine')}, {counted(support, 'support example')})"

    def _repr_html_(self) -> str:
        from gristmill.display.page import note, notebook
        from gristmill.display.tables import table

        rows = [(name, str(one.kernel), one.n_classes, one.n_support) for name, one in islice(self.items(), _SHOWN)]
        heads = "machine", "kernel", "classes", "support examples"
        more = len(self) - _SHOWN
        rest = note(counted(more, "more machine")) if more > 0 else None
        return notebook(table(f"Machines ({len(self):,})", heads, rows, numeric=(2, 3)), rest)


class MachineGroups(Machines):
    """Machines over several feature spaces, such as those of the stages of a text pipeline.

    The machine of a group of one has the group's name, that of a group of several the name group/machine.

    Parameters
    ----------
    groups : mapping of str to Machine or Machines
        In order; the machines of a group are over one space.

    Examples
    --------
    >>> import gristmill as gm
    >>> tagger = gm.Machine(gm.PolynomialKernel(2), gm.ids([[0]]), [1.0], 0.0, feature_names=["word=the"])
    >>> parser = gm.Machine(gm.PolynomialKernel(2), gm.ids([[0]]), [1.0], 0.0, feature_names=["s0.upos=DET"])
    >>> list(MachineGroups({"tagger": tagger, "parser": Machines({"all": parser})}))
    ['tagger', 'parser/all']
    """

    def __init__(self, groups: Mapping[str, Machine | Machines]) -> None:
        self.groups = dict(groups)
        self._machines = dict[str, Machine]()
        self.feature_names = self.first_id = None
        for name, group in self.groups.items():
            if not isinstance(name, str) or not name:
                raise ValueError(f"groups have names that are strings and not empty, got {name!r}")
            if not isinstance(group, Machine | Machines) or isinstance(group, MachineGroups):
                raise ValueError(f"{name!r}: expected a Machine or Machines, got {type(group).__name__}")
            own = {name: group} if isinstance(group, Machine) else {f"{name}/{one}": group[one] for one in group}
            if twice := sorted(own.keys() & self._machines.keys()):
                raise ValueError(f"two machines are called {twice[0]!r}")
            self._machines |= own
