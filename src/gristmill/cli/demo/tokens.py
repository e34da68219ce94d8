"""Names in the source of Python's standard library: what is each of them doing there?

The truth comes from `ast`, the features are the tokens around the name.
"""

from __future__ import annotations

import ast
import io
import sysconfig
import tokenize
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from gristmill.cli.demo.task import Task, split

WINDOW = 3
MODULES = (
    "argparse ast calendar cmd codecs collections configparser copy csv dataclasses datetime difflib doctest enum "
    "fractions ftplib functools gettext heapq inspect ipaddress locale mailbox optparse pathlib pdb pickle pprint "
    "random shutil smtplib statistics string subprocess tarfile tempfile textwrap threading traceback typing uuid "
    "weakref zipfile"
).split()

Place = tuple[int, int]  # line, column


def load(n_train: int) -> Task:
    """Examples from a few dozen modules, as many again (at most 10,000) to answer."""
    examples = [example for path in _sources() for example in read_source(path.read_text(encoding="utf-8"))]
    order = np.random.default_rng(0).permutation(len(examples))[: n_train + 10_000]
    chosen = [examples[at] for at in order]
    if len(chosen) <= n_train:
        raise ValueError(f"the standard library here has {len(chosen)} names; ask for fewer --examples")
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
