"""Which columns of words a parser has learned from: those that its templates, units and split look at."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from gristmill.apps.filled_columns import ColumnCheck, named_columns
from gristmill.apps.parsing.chunks import UNITS
from gristmill.apps.parsing.settings import columns_of, parsed
from gristmill.apps.parsing.tree import COLUMNS
from gristmill.apps.templates import Templates, parse_templates
from gristmill.apps.templates.configurations import ConfigurationItem, Seen
from gristmill.machines.machine import Machine

if TYPE_CHECKING:
    from gristmill.apps.parsing.model import ParserModel

_ADVICE = (
    "Fill in what is missing (UPOS and XPOS: --tagger, a model of `gristmill tag train --conllu`), or train a parser "
    "on a treebank in which it is empty too."
)


def column_check(model: ParserModel, machines: Mapping[str, Machine]) -> ColumnCheck:
    """Warns where columns are empty that the parser has learned from; a form is never empty."""
    used = {*_looked_at(model)} if model.filled is not None else {*_named(model, machines)}
    places = {column.upper(): place for place, column in enumerate(COLUMNS) if column in used - {"form"}}
    known = model.filled
    shares = {name: None if known is None else known.get(name.lower(), 0.0) for name in places}
    return ColumnCheck("the parser", "words", places, shares, _ADVICE)


def _looked_at(model: ParserModel) -> Iterator[str]:
    for item in parsed(model.templates, model.algorithm).items:
        yield from _columns_of_item(item, model)
    if model.split is not None:
        yield _of_word(model.split.column)
    if model.units is not None:
        yield from (COLUMNS[look.column] for look in _unit_templates(model).looks if look.column is not None)


def _named(model: ParserModel, machines: Mapping[str, Machine]) -> Iterator[str]:
    """The same for files of older releases, which keep no shares: columns that features were made of."""
    names = next(iter(machines.values())).feature_names or ()
    begins = {name.partition("=")[0] for name in names}
    for item in parsed(model.templates, model.algorithm).items:
        if item.name in begins:
            yield from _columns_of_item(item, model)
    if model.units is not None and UNITS in machines:
        yield from (COLUMNS[column] for column in named_columns(_unit_templates(model), names))


def _columns_of_item(item: ConfigurationItem, model: ParserModel) -> Iterator[str]:
    columns = columns_of(model.algorithm)
    for part in item.parts:
        if isinstance(part, Seen) and part.column is not None:
            yield _of_word(columns[part.column])


def _of_word(column: str) -> str:
    """That of words, of one that units have: last-form is the form of a word."""
    return column.rpartition("-")[2]


def _unit_templates(model: ParserModel) -> Templates:
    assert model.units is not None
    return parse_templates(model.units.templates, len(COLUMNS))
