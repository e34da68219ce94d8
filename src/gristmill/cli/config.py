"""Configuration files: options of a command as TOML, `degree = 2`.

A key is the long name of an option. A value is read as the command line would read it; a list stands for an option that
may be repeated, or has commas between its values.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping
from typing import Any

import click

from gristmill.base.errors import FormatError
from gristmill.base.files import decoded, display_name, read_bytes, write_bytes
from gristmill.cli.command import Option, options_of, suggested

_NUMBER = re.compile(r"-?\d[\d.]*")


def read_config(path: str, command: click.Command, title: str) -> dict[str, Any]:
    """The values of a file, by the names of parameters; an unknown key is an error."""
    shown = display_name(path)
    try:
        table = tomllib.loads(decoded(read_bytes(path)))
    except tomllib.TOMLDecodeError as error:
        raise FormatError(str(error), shown) from error
    options = {option.key: option for option in options_of(command)}
    for key in table.keys() - options.keys():
        raise FormatError(f"`{title}` has no option --{key}; {suggested(key, sorted(options))}", shown)
    return {str(options[key].name): _value(options[key], value, shown) for key, value in table.items()}


def _value(option: Option, value: Any, shown: str) -> Any:
    """As the parser of the command line gives it: a bool, a text or a list of texts."""
    if option.is_flag:
        if isinstance(value, bool):
            return value
        raise FormatError(f"{option.key} must be true or false, got {value!r}", shown)
    parts = value if isinstance(value, list) else [value]
    if not all(isinstance(part, str | int | float) for part in parts) or isinstance(value, bool):
        raise FormatError(f"{option.key} must be a text, a number or a list of these, got {value!r}", shown)
    return list(map(str, parts)) if option.multiple else ",".join(map(str, parts))


def write_config(path: str, command: click.Command, values: Mapping[str, Any]) -> None:
    """Write what was given for the options of a command."""
    lines = [
        f"{option.key} = {_toml(values[name])}\n" for option in options_of(command) if (name := option.name) in values
    ]
    write_bytes(path, "".join(lines).encode())


def _toml(value: Any) -> str:
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_toml, value))}]"
    if isinstance(value, bool):
        return str(value).lower()
    if _NUMBER.fullmatch(value) and value == str(_number(value)):
        return str(value)
    return json.dumps(value, ensure_ascii=False)


def _number(text: str) -> float | None:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return None
