"""The command line of `gristmill train`: letters as LIBSVM spells them, and which options go together."""

from __future__ import annotations

import errno
import itertools
import os
import re
from pathlib import Path
from typing import Any

import click

from gristmill.cli.learning_options import ONLINE
from gristmill.cli.sections import SectionCommand, SectionOption, given

_WEIGHT = re.compile(r"-w(.+)")


class TrainCommand(SectionCommand):
    """Knows `-w1 2`, and `-h` with and without a number."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        end = args.index("--") if "--" in args else len(args)
        return super().parse_args(ctx, [*_respelled(args[:end]), *args[end:]])


def _respelled(args: list[str]) -> list[str]:
    """-w1 2 as --weight=1=2, and as --help an -h that says nothing about shrinking."""
    found: list[str] = []
    words = itertools.pairwise([*args, ""])
    for word, following in words:
        weight = _WEIGHT.fullmatch(word)
        if word == "-h" and following not in ("0", "1"):
            found.append("--help")
        elif weight is not None and not following:
            raise click.UsageError(f"{word} needs a factor, as in {word} 2")
        elif weight is not None:
            found.append(f"--weight={weight[1]}={following}")
            next(words, None)
        else:
            found.append(word)
    return found


def check_together(ctx: click.Context, *, online: bool) -> None:
    """Refuse options of the other way of learning."""
    sections = {str(param.name): _section(param) for param in ctx.command.params}
    wrong = [
        spelled
        for name, spelled in given(ctx).items()
        if sections[name] and (sections[name] == ONLINE) != online and name != "online"
    ]
    if wrong and online:
        raise click.UsageError(f"{', '.join(wrong)}: of batch SVMs, not with --online")
    if wrong:
        raise click.UsageError(f"{', '.join(wrong)}: of online learning, with --online only")


def check_place(model: str) -> None:
    """Refuse a MODEL that cannot be written: better now than after hours."""
    if model == "-":
        return
    number = errno.EISDIR if Path(model).is_dir() else 0 if Path(model).resolve().parent.is_dir() else errno.ENOENT
    if number:
        raise OSError(number, os.strerror(number), model)


def check_apart(target: str, *inputs: str) -> None:
    """Refuse to replace what is read by something else, whatever links lead to it."""
    for path in inputs:
        if "-" in (target, path) or not Path(target).is_file() or not Path(path).exists():
            continue
        if os.path.samefile(target, path):  # noqa: PTH121 - of names as they were given
            raise click.UsageError(f"{target} is read, and would be replaced: name another file to write to")


def _section(param: click.Parameter) -> Any:
    return param.section if isinstance(param, SectionOption) else ""
