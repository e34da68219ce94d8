"""gristmill demo: the point of it all, on data that every machine has."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from gristmill.cli.options import json_option
from gristmill.cli.screen import percent, table
from gristmill.display.numbers import in_percent

if TYPE_CHECKING:
    from gristmill.cli.demo.compare import Comparison


@click.command()
@click.option("--examples", type=click.IntRange(100), default=4000, show_default=True, help="Tokens to train on.")
@json_option
def demo(examples: int, as_json: bool) -> None:
    """Train scikit-learn's SVC(kernel="poly"), accelerate it, compare; then learn the same online.

    Two tasks: handwritten digits (binarised), and names in the source of Python's standard library: is it a call, an
    attribute, a parameter, an assignment target or a load, judged by the tokens around it? Takes half a minute.
    """
    from gristmill.cli.demo import compare, digits, tokens

    for load in (digits.load, lambda: tokens.load(examples)):
        task = load()
        if not as_json:
            click.echo(f"{task.title}: {len(task.y_train)} examples to train on, {len(task.y_test)} to answer ...")
        result = compare.run(task)
        if as_json:
            click.echo(json.dumps(asdict(result)))
            continue
        _show(result)
    if not as_json:
        click.echo("One line did it:  svc = gristmill.accelerate(svc)")
        click.echo("And for learning: gristmill.OnlineKernelClassifier(degree=2, C=0.1).fit(X, y)")


def _show(result: Comparison) -> None:
    title = f"{result.title}: {result.n_support} support vectors, accuracy {in_percent(result.accuracy)}"
    cells = [
        (r.engine, f"{r.microseconds:,.1f}", f"{r.speedup:,.0f}x", f"{r.largest_difference:.1e}", percent(r.agreement))
        for r in result.lines
    ]
    table(title, ["engine", "us an example", "speed-up", "largest difference of scores", "labels agree"], cells)
    cells = [
        (r.learner, f"{r.seconds:.2f}", f"{r.speedup:,.3g}x", percent(r.accuracy), f"{r.n_support:,}")
        for r in result.learners
    ]
    table(f"{result.title}: learning", ["learner", "seconds", "speed-up", "accuracy", "support vectors"], cells)
