"""Shapes: what a field adds to a score by itself, and what a pair of fields adds beyond both."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from gristmill.base.arrays import Floats
from gristmill.data.tables.fields import Field
from gristmill.display.bars import aligned, signed_bars
from gristmill.display.page import notebook
from gristmill.explanations.backgrounds import background_of
from gristmill.explanations.field_tables import Term, Weights, effects_of, tables_of
from gristmill.explanations.groups import groups_of
from gristmill.explanations.models import largest, model_of, output_names, output_number
from gristmill.explanations.shape_pictures import shape_pictures
from gristmill.machines.machine import Machine

_TOP = 12  # entries of a pair that are printed


@dataclass(frozen=True, eq=False)
class Shape:
    """What the bins of a field add to a score, or those of a pair or triple beyond fewer fields; made by `shape`.

    Parameters
    ----------
    fields : tuple of Field
    values : array of shape (bins of each field, ..., outputs)
        The mean over the background is 0 along each field, where the background is the distribution of fields.
    shares : tuple of arrays
        Of the rows of the background in the bins of each field.
    output_names : tuple of str
    magnitude : array of shape (outputs,)
        The mean ``|value|`` over the background.
    """

    fields: tuple[Field, ...]
    values: Floats
    shares: tuple[Floats, ...]
    output_names: tuple[str, ...]
    magnitude: Floats

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(own.name for own in self.fields)

    @property
    def bins(self) -> tuple[tuple[str, ...], ...]:
        """The words of the bins of each field."""
        return tuple(own.bins for own in self.fields)

    @property
    def heaviest_output(self) -> int:
        """The number of the output that it adds most to."""
        return int(np.argmax(self.magnitude))

    def table(self, output: int | str | None = None) -> Floats:
        """The values of one output; None: the only one."""
        if output is None and len(self.output_names) != 1:
            raise ValueError(f"say which output: one of {', '.join(map(repr, self.output_names))}")
        number = 0 if output is None else output_number(self.output_names, output)
        return np.asarray(self.values[..., number])

    def entries(self, output: int | str | None = None, top: int | None = None) -> list[tuple[str, float]]:
        """The words of entries, and what these add: bins of a field in their order, of several fields the heaviest."""
        table = self.table(output)
        cells = list(np.ndindex(table.shape))
        if len(self.fields) > 1:
            cells = [cells[at] for at in largest(table.ravel(), top)]
        return [(self._words(cell), float(table[cell])) for cell in cells]

    def _words(self, cell: tuple[int, ...]) -> str:
        return " & ".join(own.label(at) for own, at in zip(self.fields, cell, strict=True))

    def draw(self, output: int | str | None = None, top: int = _TOP) -> str:
        """Text with a bar for each bin of a field; of several fields the `top` entries that add most."""
        found = self.entries(output, top)
        bars = signed_bars(value for _, value in found)
        lines = [(words, f"{value:+.4g}", drawn) for (words, value), drawn in zip(found, bars, strict=True)]
        return "\n".join(aligned(lines, right=(1,)))

    def __str__(self) -> str:
        if len(self.output_names) == 1:
            return self.draw()
        return "\n\n".join(f"{name}\n{self.draw(at)}" for at, name in enumerate(self.output_names))

    def _repr_html_(self) -> str:
        return notebook(shape_pictures(self))

    def as_dict(self) -> dict[str, Any]:
        """As plain data for JSON."""
        return {
            "fields": list(self.names),
            "bins": [list(bins) for bins in self.bins],
            "shares": [own.tolist() for own in self.shares],
            "outputs": list(self.output_names),
            "magnitude": self.magnitude.tolist(),
            "values": self.values.tolist(),
        }

    def to_json(self) -> str:
        return json.dumps(self.as_dict(), allow_nan=False)

    def __repr__(self) -> str:
        bins = " x ".join(str(len(bins)) for bins in self.bins)
        return f"Shape({' & '.join(self.names)}, {bins} bins)"


class Shapes(Mapping[tuple[str, ...], Shape]):
    """All shapes of a machine, by the names of their fields, heaviest first; made by `shapes_of`.

    A score is `base` and an entry of each shape.
    """

    def __init__(self, machine: Machine, base: Floats, found: Mapping[Term, Floats], weights: Weights) -> None:
        assert machine.encoding is not None
        self.machine, self.base = machine, base
        self._fields, self._weights = machine.encoding.fields, weights
        shapes = [self._shape(term, effect) for term, effect in found.items()]
        order = sorted(range(len(shapes)), key=lambda at: -float(shapes[at].magnitude.sum()))
        self._shapes = {shapes[at].names: shapes[at] for at in order}

    def _shape(self, term: Term, effect: Floats) -> Shape:
        inside = (*(slice(-1) for _ in term), slice(None))  # no row of a table is in none of the bins
        weights = self._weights
        magnitude = np.tensordot(weights.of(term), np.abs(effect), len(term))
        shares = tuple(np.asarray(weights.of((field,))[:-1]) for field in term)
        fields = tuple(self._fields[field] for field in term)
        return Shape(fields, effect[inside], shares, output_names(self.machine), np.asarray(magnitude))

    def __getitem__(self, names: tuple[str, ...]) -> Shape:
        return self._shapes[names]

    def __iter__(self) -> Iterator[tuple[str, ...]]:
        return iter(self._shapes)

    def __len__(self) -> int:
        return len(self._shapes)

    def find(self, *names: str) -> Shape:
        """The shape of these fields, in any order; one that adds nothing is 0 everywhere. ValueError for unknown ones.

        A column is named where it has one field.
        """
        term = tuple(sorted({self._number(name) for name in names}))
        if not 0 < len(names) == len(term) <= 3:
            raise ValueError(f"a shape is of one to three different fields, got {list(names)}")
        own = tuple(self._fields[field].name for field in term)
        if own in self._shapes:
            return self._shapes[own]
        sizes = (len(self._fields[field].bins) + 1 for field in term)
        return self._shape(term, np.zeros((*sizes, self.machine.n_outputs)))

    def _number(self, name: str) -> int:
        for spelled in ([own.name for own in self._fields], [own.column for own in self._fields]):
            if spelled.count(name) == 1:
                return spelled.index(name)
        known = ", ".join(repr(own.name) for own in self._fields[:20])
        raise ValueError(f"the machine has no field {name!r}; it has {known}{', ...' * (len(self._fields) > 20)}")

    def of(self, size: int) -> list[Shape]:
        """Those of so many fields, heaviest first; what adds nothing is left out."""
        return [one for one in self._shapes.values() if len(one.fields) == size and one.magnitude.any()]

    def __repr__(self) -> str:
        return f"Shapes({len(self.of(1))} fields, {len(self.of(2))} pairs, {len(self.of(3))} triples)"


def shapes_of(model: Any, *, background: Any = None) -> Shapes:
    """All shapes of a model of tables; see `shape`.

    Examples
    --------
    >>> import gristmill as gm
    >>> from gristmill.explanations import shapes_of
    >>> table = [{"rooms": 1 + n % 5, "garden": n % 2 == 0} for n in range(60)]
    >>> price = [100.0 * row["rooms"] + 50.0 * row["garden"] * (row["rooms"] > 2) for row in table]
    >>> shapes = shapes_of(gm.TableRegressor(degree=2, C=100.0).fit(table, price))
    >>> list(shapes), shapes.base.round()
    ([('rooms',), ('garden',), ('rooms', 'garden')], array([315.]))
    """
    read = model_of(model)
    machine = read.machine
    tables = tables_of(machine) if machine.encoding is not None and machine.explains_features else None
    if tables is None:
        raise ValueError(
            "shapes are of machines that read tables and are sums of tables of up to three fields: a TableClassifier, "
            f"a TableRegressor, or a Machine with an encoding; got {machine!r}"
        )
    weights = background_of(background, read, groups_of("fields", machine)).joint(machine)
    effects = effects_of(tables, weights)
    return Shapes(machine, effects.base, effects.tables, weights)


def shape(model: Any, *fields: str, background: Any = None) -> Shape:
    """What a field adds to the score of a model of tables; of two or three fields what they add beyond fewer of them.

    The score is the base and an entry of each shape, exactly. The shape of a field is the mean score of rows that have
    the bin, all other fields coming from the background, less the mean score of the background. Against the
    distribution of fields this is the functional ANOVA: shapes have mean 0 along each of their fields, so a field has
    all of its effect and a pair has nothing of it.

    Parameters
    ----------
    model : TableClassifier, TableRegressor, or Machine with an encoding
    *fields : str
        The names of one to three fields, or of columns that have one field.
    background : rows, 'fields' or None
        As for `explain`; None is the distribution of fields in training.

    Returns
    -------
    Shape
        A curve in notebooks, a heat map for pairs; bars in print. `values` has the numbers.

    Examples
    --------
    >>> import gristmill as gm
    >>> table = [{"rooms": 1 + n % 5, "garden": n % 2 == 0} for n in range(60)]
    >>> price = [100.0 * row["rooms"] + 50.0 * row["garden"] * (row["rooms"] > 2) for row in table]
    >>> model = gm.TableRegressor(degree=2, C=1000.0, tol=1e-9).fit(table, price)
    >>> print(gm.shape(model, "garden"))
    garden = False  -15  ----------------------------------------
    garden = True   +15  ########################################
    >>> print(gm.shape(model, "rooms", "garden").draw(top=2))
    rooms = 1 & garden = False  +15  ########################################
    rooms = 1 & garden = True   -15  ----------------------------------------
    """
    return shapes_of(model, background=background).find(*fields)
