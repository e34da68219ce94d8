"""Options that several commands have, and what they stand for."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import click
from numpy.typing import NDArray

from gristmill.apps.loading import open_machine
from gristmill.base.files import display_name
from gristmill.cli.command import OUTPUT, arguments, declared, given, option
from gristmill.cli.kept_models import kept
from gristmill.cli.screen import note, progress_bar
from gristmill.data.rows import Binarize, check_binarize
from gristmill.machines.data_files import read_for
from gristmill.machines.machine import Machine
from gristmill.scoring.engines import ENGINES
from gristmill.scoring.scorer import Scorer

ENGINE_NAMES = (*ENGINES, "forest")
ALL_CORES = -1
SUFFIX = ".scorer"  # the compiled scorer of MODEL is MODEL.scorer

_Declared = Callable[[Any], Any]

# --- types ------------------------------------------------------------------------------------------------------------


class _BinarizeType(click.ParamType):  # type: ignore[type-arg]
    name = "threshold"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Binarize:
        words: dict[str, Binarize] = {"refuse": None, "keep": False}
        if value in words:
            return words[value]
        try:
            threshold = float(value)
            check_binarize(threshold)
        except ValueError:
            self.fail(f"{value!r} is not a number from 0 up to 1, 'refuse' or 'keep'", param, ctx)
        return threshold


class _BytesType(click.ParamType):  # type: ignore[type-arg]
    name = "size"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        if isinstance(value, int):
            return value
        found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([KMGT]?)(i?)B?", value.strip(), re.IGNORECASE)
        if found is None or (found[3] and not found[2]):
            self.fail(f"{value!r} is not a number of bytes, as 500M, 2G, 1.5GiB or 4000000", param, ctx)
        base = 1024 if found[3] else 1000
        return int(Decimal(found[1]) * base ** " KMGT".index(found[2].upper() or " "))


class _RareType(click.ParamType):  # type: ignore[type-arg]
    name = "rare"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """A whole number is a count, anything else a share."""
        if not isinstance(value, str):
            return value  # type: ignore[no-any-return]
        if value.isdecimal():
            return int(value)
        try:
            share = float(value[:-1]) / 100 if value.endswith("%") else float(value)
        except ValueError:
            share = -1.0
        if not 0 <= share <= 1:
            self.fail(f"{value!r} is neither a number of support vectors nor a share, as 0.5% or 0.005", param, ctx)
        return share


class _ListType(click.ParamType):  # type: ignore[type-arg]
    """Values with commas between."""

    name = "list"

    def __init__(self, one: click.ParamType) -> None:  # type: ignore[type-arg]
        self.one = one

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> list[Any]:
        parts = value.split(",") if isinstance(value, str) else value
        return [self.one.convert(part, param, ctx) for part in parts]

    def get_metavar(self, *_: Any, **__: Any) -> str:
        return "A,B,..."


class NumberOr(click.ParamType):  # type: ignore[type-arg]
    """A number, or one of some words."""

    name = "number"

    def __init__(self, *words: str) -> None:
        self.words = words

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if value in self.words:
            return value
        try:
            return float(value)
        except ValueError:
            *others, last = map(repr, self.words)
            words = f"a number, {', '.join(others)} nor {last}" if others else f"a number nor {last}"
            self.fail(f"{value!r} is neither {words}", param, ctx)


BYTES, RARE, list_of = _BytesType(), _RareType(), _ListType


# --- options ----------------------------------------------------------------------------------------------------------


def engine_option(names: tuple[str, ...] = ENGINE_NAMES, answers: str = "labels") -> _Declared:
    """--engine, of which all give the same answers."""
    also = "; trees have 'direct' and 'forest'" * (names == ENGINE_NAMES)
    return option(
        "--engine",
        type=click.Choice(names),
        default="auto",
        help=f"How to score: all give the same {answers}, 'auto' picks the fastest{also}.",
    )


def optional_engine(help: str) -> _Declared:
    """--engine for commands that compile only where an engine is named."""
    return option("--engine", type=click.Choice(ENGINE_NAMES), help=help)


def output_option(what: str) -> _Declared:
    """-o, the file that something is written to."""
    return option("-o", "--output", default="-", type=OUTPUT, help=f"The file to write {what} to.  [default: stdout]")


machine_option = option(
    *("--machine", "name"),
    metavar="NAME",
    advanced=True,
    help="Which machine of a collection (a directory, archive or file of many).",
)
jobs_option = option(
    *("-j", "--jobs"), type=int, default=ALL_CORES, help="Threads; they never change a result.  [default: all cores]"
)
json_option = option("--json", "as_json", is_flag=True, help="Print JSON, for programs.")
quiet_option = option("-q", "--quiet", is_flag=True, help="Print nothing unless something is wrong.")
seed_option = option(
    "--random-state", type=click.IntRange(0), default=0, advanced=True, help="The seed of orders and samples."
)
base_option = option(
    "--zero-based/--one-based",
    default=None,
    advanced=True,
    help="How data files count features. Needed only where the model does not say; then 1 is assumed.",
)
binarize_option = option(
    "--binarize",
    type=_BinarizeType(),
    default="0",
    metavar="T|refuse|keep",
    advanced=True,
    help="Data values other than 0 and 1: 1 above the threshold T, an error, or computed with (direct engine only).",
)

max_bytes_option = option(
    "--max-bytes",
    type=BYTES,
    metavar="SIZE",
    advanced=True,
    help="Memory the compiled model may take, as 500M or 2G.  [default: 4GiB]",
)
sigma_option = option(
    "--sigma",
    type=click.FloatRange(0),
    default=0.0,
    metavar="S",
    advanced=True,
    help="expanded: drop conjunctions that weigh less, as 0.001; faster, no longer exact; 0 keeps all.",
)
xi_option = option(
    "--xi",
    type=click.IntRange(1),
    default=1,
    advanced=True,
    help="expanded: drop conjunctions that fewer support vectors have; no longer exact; 1 keeps all.",
)
certified_option = option(
    "--certified",
    is_flag=True,
    advanced=True,
    help="With --sigma or --xi: exact labels all the same; where one is open, an exact engine decides.",
)
rare_option = option(
    "--rare",
    type=RARE,
    metavar="N|SHARE",
    advanced=True,
    help="split: features in fewer than N support vectors (or 0.5%, or 0.005 of them) are rare.  "
    "[default: 0.5%, or what fits]",
)


# --- compiling --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Compilation:
    """How to compile, by the names of the options."""

    engine: str | None
    max_bytes: int | None
    sigma: float
    xi: int
    certified: bool
    rare: float | None

    @property
    def options(self) -> dict[str, Any]:
        """For `Machine.compile`, besides the engine."""
        return {field.name: getattr(self, field.name) for field in fields(self) if field.name != "engine"}

    @property
    def is_default(self) -> bool:
        """True when no option was given."""
        return self == Compilation(None, None, 0.0, 1, False, None)

    def compile(self, machine: Machine, binarize: Binarize = 0.0, **others: Any) -> Scorer:
        """Build the scorer."""
        if not machine.explains_features and not replace(self, engine=None, max_bytes=None).is_default:
            raise ValueError("--sigma, --xi, --certified and --rare are for machines on rows; this one is on trees")
        with progress_bar("compiling") as progress:
            return machine.compile(
                self.engine or "auto", binarize=binarize, progress=progress, **self.options, **others
            )

    def compile_cached(self, machine: Machine, model: str, binarize: Binarize = 0.0) -> Scorer:
        """The scorer in the file MODEL.scorer if it was compiled in this way, else a new one. Writes nothing."""
        from gristmill.scoring.compile import cached_scorer
        from gristmill.scoring.options import CompileOptions

        path = scorer_path(model)
        if path is None or self.engine in ("direct", "inverted", "bits") or binarize is False:
            return self.compile(machine, binarize)
        options = CompileOptions(self.engine or "auto", binarize=binarize, **self.options)
        found = cached_scorer(machine, path, options)
        if isinstance(found, Scorer):
            return found
        note(f"{path} {found}: it is not used, the model is compiled anew")
        return self.compile(machine, binarize)


def scorer_path(model: str) -> Path | None:
    """The compiled scorer of a model file, if there is one."""
    path = Path(f"{model}{SUFFIX}")
    return path if model != "-" and path.is_file() else None


def compile_options(engine: _Declared | None = None) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command the options of compiling; it receives them as `how`."""

    def declare(command: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(command)
        def gathered(**arguments: Any) -> None:
            own = {field.name: arguments.pop(field.name) for field in fields(Compilation)}
            command(how=Compilation(**own), **arguments)

        others = [max_bytes_option, sigma_option, xi_option, certified_option, rare_option]
        found: Callable[..., None] = declared(gathered, [engine or engine_option(), *others])
        return found

    return declare


# --- scoring ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ScoringTask:
    """The arguments of a command, by the names of its parameters."""

    model: str
    data: str
    name: str | None
    how: Compilation
    jobs: int | None
    binarize: Binarize
    zero_based: bool | None

    def load(self, use: str = "run") -> Machine:
        """The machine; the error for the model of an app names its subcommand `use`."""
        found: Machine = kept(self.model, self.name, lambda: open_machine(self.model, self.name, use=use))
        return found

    def read(self, machine: Machine) -> tuple[Any, NDArray[Any]]:
        """The rows and labels, counted as the machine counts them; trees for a machine on trees."""
        with progress_bar("reading") as progress:
            return read_for(machine, self.data, zero_based=self.zero_based, progress=progress)

    def compile(self, machine: Machine) -> Scorer:
        """The machine, compiled, or the compiled scorer of its file."""
        make = lambda: self.how.compile_cached(machine, self.model, self.binarize)  # noqa: E731
        found: Scorer = kept(self.model, (self.name, self.how, self.binarize), make)
        return found


def scoring_task(command: Callable[..., None], data: Any = None) -> Callable[..., None]:
    """Give a command MODEL, DATA and the options of scoring; it receives them as `task`.

    `data` declares DATA where it is not one file.
    """

    @functools.wraps(command)
    def gathered(**arguments: Any) -> None:
        own = {field.name: arguments.pop(field.name) for field in fields(ScoringTask)}
        command(ScoringTask(**own), **arguments)

    options = [machine_option, compile_options(), jobs_option, binarize_option, base_option]
    found: Callable[..., None] = declared(gathered, [arguments("model"), data or arguments("data"), *options])
    return found


# --- checks -----------------------------------------------------------------------------------------------------------

_FOR_MACHINES = ("name", "binarize", "zero_based", "max_bytes", "sigma", "xi", "certified", "rare")


def refuse_machine_options(model: str, kind: str, *others: str) -> None:
    """UsageError where options were given that the app of a model has no use for."""
    for name, spelled in given(click.get_current_context()).items():
        if name in (*_FOR_MACHINES, *others):
            raise click.UsageError(f"{spelled} is not for {display_name(model)}, {kind}")
