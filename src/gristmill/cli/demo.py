"""gristmill demo: scikit-learn's SVC and the same machine here, on two tasks.

Handwritten digits; and names in the source of Python's standard library, where the truth comes from `ast` and the
features are the tokens around the name.
"""

from __future__ import annotations

import ast
import io
import json
import sysconfig
import time
import tokenize
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from typing import Any

import click
import numpy as np
from numpy.typing import NDArray

from gristmill.cli.command import Command, option
from gristmill.cli.options import json_option
from gristmill.cli.screen import percent, table
from gristmill.display.numbers import in_percent

WINDOW = 3
MODULES = (
    "argparse ast calendar cmd codecs collections configparser copy csv dataclasses datetime difflib doctest enum "
    "fractions ftplib functools gettext heapq inspect ipaddress locale mailbox optparse pathlib pdb pickle pprint "
    "random shutil smtplib statistics string subprocess tarfile tempfile textwrap threading traceback typing uuid "
    "weakref zipfile"
).split()

Place = tuple[int, int]  # line, column
ROUNDS = 3
ONLINE_C = 0.1


@click.command(cls=Command)
@option("--size", type=click.IntRange(100), default=4000, help="Tokens to train on.")
@json_option
def demo(size: int, as_json: bool) -> None:
    """Train scikit-learn's SVC(kernel="poly"), accelerate it, compare; then learn the same online.

    Two tasks: handwritten digits (binarised), and names in the source of Python's standard library: is it a call, an
    attribute, a parameter, an assignment target or a load, by the tokens around it? Takes half a minute.

    \b
    Examples:
      gristmill demo
      gristmill demo --size 500 --json
    """
    for load in (digits, lambda: names_in_source(size)):
        task = load()
        if not as_json:
            click.echo(f"{task.title}: {len(task.y_train)} examples to train on, {len(task.y_test)} to answer ...")
        result = compare(task)
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


# --- the tasks --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Task:
    """Data split in two, and the parameters of the SVC that suits them."""

    title: str
    X_train: Any
    y_train: NDArray[Any]
    X_test: Any
    y_test: NDArray[Any]
    svc: dict[str, Any]


def split(title: str, X: Any, y: NDArray[Any], n_train: int, svc: dict[str, Any]) -> Task:
    """Shuffle by a fixed seed and cut."""
    order = np.random.default_rng(0).permutation(len(y))
    train, test = order[:n_train], order[n_train:]
    return Task(title, X[train], y[train], X[test], y[test], svc)


def digits() -> Task:
    """1,797 images of 8 x 8 pixels, ten classes."""
    from sklearn.datasets import load_digits

    images, labels = load_digits(return_X_y=True)
    pixels = (images > 7).astype(np.float64)
    return split("digits", pixels, labels, 900, {"degree": 3, "gamma": 0.05, "coef0": 1.0, "C": 1.0})


def names_in_source(n_train: int) -> Task:
    """Examples from a few dozen modules, as many again (at most 10,000) to answer."""
    examples = [example for path in _sources() for example in read_source(path.read_text(encoding="utf-8"))]
    order = np.random.default_rng(0).permutation(len(examples))[: n_train + 10_000]
    chosen = [examples[at] for at in order]
    if len(chosen) <= n_train:
        raise ValueError(f"the standard library here has {len(chosen)} names; a smaller --size is needed")
    labels = np.array([label for label, _ in chosen])
    X = _encode([features for _, features in chosen])
    return split("names in Python source", X, labels, n_train, {"degree": 2, "gamma": 1.0, "coef0": 1.0, "C": 0.01})


def _sources() -> list[Path]:
    folder = Path(sysconfig.get_paths()["stdlib"])
    places = [folder / f"{name}.py" for name in MODULES] + [folder / name / "__init__.py" for name in MODULES]
    return [path for path in places if path.exists()]


def _encode(rows: list[list[str]]) -> object:
    import scipy.sparse as sp

    ids: dict[str, int] = {}
    columns = [[ids.setdefault(feature, len(ids)) for feature in row] for row in rows]
    offsets = np.cumsum([0, *map(len, columns)])
    flat = np.concatenate([np.array(row, dtype=np.int32) for row in columns])
    X = sp.csr_matrix((np.ones(len(flat)), flat, offsets), shape=(len(rows), len(ids)))
    X.sort_indices()
    return X


def read_source(source: str) -> Iterator[tuple[str, list[str]]]:
    """(what the name is, features of the tokens around it) for every name of a source text."""
    roles = dict(_roles(ast.parse(source)))
    skipped = (tokenize.NL, tokenize.COMMENT, tokenize.ENCODING)
    tokens = [t for t in tokenize.generate_tokens(io.StringIO(source).readline) if t.type not in skipped]
    for at, token in enumerate(tokens):
        role = roles.get(_place(token))
        if role is not None:
            yield role, list(_features(tokens, at))


def _place(token: tokenize.TokenInfo) -> Place:
    # ast counts columns in bytes, tokenize in characters
    return token.start[0], len(token.line[: token.start[1]].encode())


def _features(tokens: list[tokenize.TokenInfo], at: int) -> Iterator[str]:
    for offset in range(-WINDOW, WINDOW + 1):
        if offset == 0:
            continue
        inside = 0 <= at + offset < len(tokens)
        text = tokens[at + offset].string if inside else "<none>"
        kind = tokenize.tok_name[tokens[at + offset].type] if inside else "<none>"
        yield f"{offset:+d} {text.strip() or kind}"
        yield f"{offset:+d} kind {kind}"


def _roles(tree: ast.Module) -> Iterator[tuple[Place, str]]:
    called = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    for node in ast.walk(tree):
        if isinstance(node, ast.arg):
            yield (node.lineno, node.col_offset), "parameter"
        elif isinstance(node, ast.Name):
            stored = isinstance(node.ctx, ast.Store)
            yield (node.lineno, node.col_offset), "target" if stored else "call" if id(node) in called else "load"
        elif isinstance(node, ast.Attribute) and node.end_lineno is not None and node.end_col_offset is not None:
            start = node.end_col_offset - len(node.attr.encode())
            yield (node.end_lineno, start), "call" if id(node) in called else "attribute"


# --- the comparison ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Line:
    """One engine."""

    engine: str
    microseconds: float  # an example, one thread, median of rounds
    speedup: float
    largest_difference: float
    agreement: float


@dataclass(frozen=True)
class Learned:
    """One way to learn."""

    learner: str
    seconds: float
    speedup: float
    accuracy: float
    n_support: int


@dataclass(frozen=True)
class Comparison:
    """One task."""

    title: str
    n_support: int
    accuracy: float
    lines: list[Line]
    learners: list[Learned]


def compare(task: Task) -> Comparison:
    """Train, accelerate, compare."""
    from sklearn.svm import SVC

    from gristmill.estimators import accelerate

    svc = SVC(kernel="poly", decision_function_shape="ovo", **task.svc)
    learning = _time(lambda: svc.fit(task.X_train, task.y_train), 1)
    labels, scores = svc.predict(task.X_test), svc.decision_function(task.X_test)
    base = _time(lambda: svc.predict(task.X_test), 1) / len(labels)
    lines = [Line("scikit-learn", 1e6 * base, 1.0, 0.0, 1.0)]
    for engine in ("direct", "inverted", "expanded"):
        fast = accelerate(svc, engine=engine)
        seconds = _time(lambda: fast.predict(task.X_test), ROUNDS) / len(labels)  # noqa: B023
        difference = float(np.abs(fast.decision_function(task.X_test) - scores).max())
        agreement = float(np.mean(fast.predict(task.X_test) == labels))
        lines.append(Line(engine, 1e6 * seconds, base / seconds, difference, agreement))
    accuracy = float(np.mean(labels == task.y_test))
    learners = [Learned("SVC", learning, 1.0, accuracy, len(svc.support_)), _learn_online(task, learning)]
    return Comparison(task.title, len(svc.support_), accuracy, lines, learners)


def _learn_online(task: Task, base: float) -> Learned:
    from gristmill.estimators import OnlineKernelClassifier

    model = OnlineKernelClassifier(**{name: task.svc[name] for name in ("degree", "gamma", "coef0")}, C=ONLINE_C)
    seconds = _time(lambda: model.fit(task.X_train, task.y_train), ROUNDS)
    accuracy = float(model.score(task.X_test, task.y_test))
    return Learned("OnlineKernelClassifier", seconds, base / seconds, accuracy, model.machine_.n_support)


def _time(call: Callable[[], Any], rounds: int) -> float:
    seconds = []
    for _ in range(rounds):
        start = time.perf_counter()
        call()
        seconds.append(time.perf_counter() - start)
    return median(seconds)
