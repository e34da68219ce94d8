"""Many files on a cluster: --cluster of predict, classify-trees run and what annotates text: tag run, parse run, ...

Each file, or block of a large one, is a task in which a worker runs the command itself, on one input with one output:
answers do not depend on where they were made. Outputs appear whole or not at all.
"""

from __future__ import annotations

import contextlib
import io
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from gristmill.base.replacing import replacing, scratch_folder
from gristmill.cli.command import FILE, Command, Option
from gristmill.cli.kept_models import open_once
from gristmill.cli.places import check_apart
from gristmill.cli.screen import count, note, progress_line
from gristmill.display.words import counted

_OWN = ("cluster", "workers", "resume", "block_size")  # parameters that the command itself does not take
MEGABYTE = 1 << 20
_RETRIES = 2
_LOOK = 1 << 16  # bytes in which the end of a line or sentence is looked for at a time
_PACKED = (".gz", ".bz2", ".xz", ".zst")


class AnnotatingCommand(Command):
    """A command with the arguments MODEL and FILE...: one file, or with --cluster many and a folder as output.

    `separator` stands between what a block of a large file may hold: lines, or sentences. None: files stay whole, since
    what is written is numbered.
    """

    def __init__(self, *args: Any, separator: bytes | None = b"\n", **settings: Any) -> None:
        super().__init__(*args, **settings)
        self._separator = separator
        self.params += _cluster_options()

    def invoke(self, ctx: click.Context) -> Any:
        own = {name: ctx.params.pop(name) for name in _OWN}
        name = next(str(param.name) for param in self.params if isinstance(param, click.Argument) and param.nargs == -1)
        files = ctx.params.pop(name)
        if own["cluster"] is None:
            if own["resume"]:
                raise click.UsageError("--resume is for --cluster", ctx)
            if len(files) > 1:
                raise click.UsageError("one file at a time, or many with --cluster and a folder for -o", ctx)
            ctx.params[name] = files[0]
            return super().invoke(ctx)
        size = own["block_size"] * MEGABYTE
        asked = Annotation(ctx.command_path.split()[1:], dict(ctx.params), name, files, size, self._separator)
        return annotate(asked, own["cluster"], own["workers"], resume=own["resume"])


def files_argument(name: str) -> Callable[[Any], Any]:
    """One file, or several with --cluster."""
    return click.argument(name, type=FILE, nargs=-1, required=True)


def _cluster_options() -> list[click.Parameter]:
    section: dict[str, Any] = {"section": "Many files", "advanced": True}
    return [
        Option(
            ["--cluster"],
            metavar="local|ADDRESS|FILE",
            help="Annotate many files on a Dask cluster: on this machine, at an address, or of a scheduler file; -o is "
            "the folder for the outputs.",
            **section,
        ),
        Option(["--workers"], type=click.IntRange(1), help="Of `local`.  [default: one per core]", **section),
        Option(["--resume"], is_flag=True, help="Skip files whose output is there.", **section),
        Option(
            ["--block-size"],
            type=click.IntRange(1),
            default=256,
            help="Files that are not packed are cut into blocks of so many MB.",
            **section,
        ),
    ]


@dataclass(frozen=True)
class Annotation:
    """Files to be annotated by one command."""

    command: list[str]  # its words: tag run
    params: dict[str, Any]
    name: str  # of the parameter that is the file
    files: Sequence[str]
    block_size: int
    separator: bytes | None

    @property
    def model(self) -> str:
        return str(self.params["model"])

    def targets(self, folder: Path) -> list[Path]:
        """An output for each file, called as the file without the suffix of what packs it."""
        made = [folder / (Path(path).stem if Path(path).suffix in _PACKED else Path(path).name) for path in self.files]
        for target, path in zip(made, self.files, strict=True):
            if made.count(target) > 1:
                raise click.UsageError(f"several inputs would be written to {target}")
            check_apart(str(target), path)
        return made


@dataclass(frozen=True)
class Piece:
    """A file, or some of its lines."""

    source: str
    target: str
    begin: int = 0
    end: int | None = None  # None: to the end of the file


# --- on the client ----------------------------------------------------------------------------------------------------


def annotate(asked: Annotation, cluster: str, workers: int | None, *, resume: bool) -> None:
    """Run all files, report those that failed, and raise if there are any."""
    from gristmill.cluster.clients import opened
    from gristmill.cluster.models import SharedModel
    from gristmill.cluster.spread import for_workers, sent_once

    if asked.params["output"] == "-" or "-" in asked.files:
        raise click.UsageError("with --cluster outputs are files: -o FOLDER, and no standard input")
    folder = Path(asked.params["output"])
    folder.mkdir(parents=True, exist_ok=True)
    pairs = list(zip(map(str, asked.files), asked.targets(folder), strict=True))
    left = [(source, target) for source, target in pairs if not (resume and target.is_file())]
    begin, failed = time.perf_counter(), dict[str, str]()
    with opened(cluster, workers) as client, scratch_folder(folder) as parts:
        model = sent_once(client, for_workers(client, SharedModel.of(asked.model)))
        with progress_line("annotating") as line:
            for done, (source, error) in enumerate(_outcomes(client, model, asked, left, parts.absolute()), 1):
                if error is not None:
                    failed[source] = error
                if line is not None:
                    line(done, len(left), _said(done, len(left), time.perf_counter() - begin))
    _report(len(left), len(pairs) - len(left), failed, time.perf_counter() - begin)


def _said(done: int, total: int, seconds: float) -> str:
    rate = done / max(seconds, 1e-9)
    return f"{done} of {total} files, {rate:.2g} a second, {count(round((total - done) / rate))} s left"


def _report(done: int, skipped: int, failed: Mapping[str, str], seconds: float) -> None:
    there = f", {counted(skipped, 'file')} there already" if skipped else ""
    note(f"{counted(done - len(failed), 'file')} annotated in {seconds:.1f} s{there}")
    for source, error in failed.items():
        note(f"{source} failed: {error}")
    if failed:
        raise click.ClickException(f"{counted(len(failed), 'file')} failed; the others are done: --resume tries again")


def _outcomes(
    client: Any, model: Any, asked: Annotation, files: Sequence[tuple[str, Path]], parts: Path
) -> Iterator[tuple[str, str | None]]:
    """Each file as soon as it is done, with the reason if it failed."""
    from gristmill.cluster.clients import distributed

    pieces = {source: list(_pieces(asked, source, target, parts)) for source, target in files}
    waiting: dict[str, set[Any]] = {}
    owner: dict[Any, str] = {}
    for source, some in pieces.items():
        futures = [client.submit(annotated, model, asked, piece, retries=_RETRIES, pure=False) for piece in some]
        waiting[source] = set(futures)
        owner |= dict.fromkeys(futures, source)
    errors: dict[str, str] = {}
    for future in distributed().as_completed(owner):
        source = owner[future]
        waiting[source].discard(future)
        if future.status != "finished":
            errors.setdefault(source, _reason(future))
        if not waiting[source]:
            if source not in errors:
                _join(pieces[source], dict(files)[source])
            yield source, errors.get(source)


def _reason(future: Any) -> str:
    error = future.exception()
    return str(error) or type(error).__name__


def _pieces(asked: Annotation, source: str, target: Path, parts: Path) -> Iterator[Piece]:
    """The whole file, or blocks of it; those that are several are written to files of their own first."""
    path = Path(source).absolute()
    size = path.stat().st_size if path.is_file() else 0
    stays = path.suffix in _PACKED or asked.separator is None
    cuts = [0] if stays else list(block_starts(path, size, asked.block_size, asked.separator or b""))
    if len(cuts) == 1:
        yield Piece(str(path), str(target.absolute()))
        return
    for number, (begin, end) in enumerate(zip(cuts, [*cuts[1:], size], strict=True)):
        yield Piece(str(path), str(parts / f"{target.name}.{number}"), begin, end)


def block_starts(path: Path, size: int, block_size: int, separator: bytes) -> Iterator[int]:
    """Where blocks of about so many bytes begin: 0, and places behind a separator."""
    yield 0
    with path.open("rb") if size > block_size else io.BytesIO() as file:
        at = block_size
        while at < size:
            file.seek(at)
            found = _behind(file, separator)
            if found is None or found >= size:
                return
            yield found
            at = found + block_size


def _behind(file: Any, separator: bytes) -> int | None:
    """The place behind the next separator."""
    read, start = b"", file.tell()
    while more := file.read(_LOOK):
        read += more
        if (at := read.find(separator)) >= 0:
            return int(start + at + len(separator))
    return None


def _join(pieces: Sequence[Piece], target: Path) -> None:
    """Outputs of blocks, one after the other, as one file that appears whole."""
    if len(pieces) == 1:
        return
    with replacing(target) as made, made.open("wb") as out:
        for piece in pieces:
            with Path(piece.target).open("rb") as part:
                shutil.copyfileobj(part, out)
            with contextlib.suppress(OSError):  # it goes with its folder
                Path(piece.target).unlink()


# --- on a worker ------------------------------------------------------------------------------------------------------


def annotated(model: Any, asked: Annotation, piece: Piece) -> int:
    """Run the command on a file or block; the size of its output."""
    from gristmill.cli import gristmill

    command: Any = gristmill
    with click.Context(gristmill) as context, open_once():
        for word in asked.command:
            command = command.get_command(context, word)
        with _source(piece) as source, click.Context(command, info_name=command.name, parent=context):
            command.callback(**asked.params | {"model": model.file(), asked.name: source, "output": piece.target})
    return Path(piece.target).stat().st_size


@contextlib.contextmanager
def _source(piece: Piece) -> Iterator[str]:
    """The path of the file, or of a copy of the block, which lies where others remove what a killed worker leaves."""
    if piece.end is None:
        yield piece.source
        return
    name = {"dir": Path(piece.target).parent, "suffix": Path(piece.source).suffix}
    with tempfile.NamedTemporaryFile(**name) as copy, Path(piece.source).open("rb") as file:
        file.seek(piece.begin)
        copy.write(file.read(piece.end - piece.begin))
        copy.flush()
        yield copy.name
