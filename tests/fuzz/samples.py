"""Sound inputs of every format, made from a source of random numbers: `random.Random`, or one that hypothesis draws."""

from __future__ import annotations

import bz2
import contextlib
import gzip
import io
import lzma
import tarfile
import zipfile
from pathlib import Path

import numpy as np

import gristmill as gm
from gristmill.machines.formats import format_named
from gristmill.machines.probability import Density, Laplace, Sigmoid
from tests.oracle import yamcha_files

GOLDEN = Path(__file__).parents[1] / "golden"
LABELS = ("S", "NP", "VP", "D", "N", "V", "the", "dog", "barks", "a*1", "*", "-LRB-", "日本", "x\\)")
PLAIN = LABELS[:-1]  # without escapes, which other programs do not have
WORDS = ("the", "mill", "grinds", "grain", "McDonald's", "1990", "また", "行き", "たい", "a,b", "U.S.")
COLUMN_KERNELS = (
    *(gm.PolynomialKernel(1, 1, 0), gm.PolynomialKernel(2), gm.PolynomialKernel(3, 0.5, 1.25)),
    *(gm.RBFKernel(0.5), gm.SigmoidKernel(0.5, -0.25), gm.TanimotoKernel(), gm.CosineKernel(), gm.DiceKernel()),
    *(gm.Normalized(gm.PolynomialKernel(2)), gm.ConjunctionKernel()),
)
TREE_KERNELS = (
    *(gm.SubtreeKernel(), gm.SubsetTreeKernel(), gm.SubsetTreeKernel(leaves=True), gm.PartialTreeKernel()),
    *(gm.PartialTreeKernel(max_children=5), gm.OrderedTreeKernel(), gm.ProductionTreeKernel()),
    *(gm.Normalized(gm.SubsetTreeKernel()), gm.Normalized(gm.PartialTreeKernel(single_nodes=False))),
)
SIGMOID = Sigmoid(np.array([-1.5, -2.0, -0.5]), np.array([0.0, 0.25, -0.125]))
KINDS = (  # of machines on rows: outputs, and what is said of them
    (1, {"classes": [-1, 1], "provenance": {"a": [1, "b"]}}),
    (3, {"classes": [4, -1, 7], "scheme": "ovo", "probability": SIGMOID}),
    (3, {"classes": [4, -1, 7], "scheme": "ovr"}),
    (1, {"classes": [-1, 1], "scheme": "one-class", "probability": Density(np.array([-1.0, 0.5]))}),
    (1, {"probability": Laplace(np.array([0.4]))}),
    (1, {"classes": ["no", "yes"], "feature_names": [f"f{at}" for at in range(1000)]}),
)

# --- rows and trees ---------------------------------------------------------------------------------------------------


def id_lists(rng, rows):
    features = rng.choice([3, 10, 1000])
    return [sorted({rng.randrange(features) for _ in range(rng.randrange(7))}) for _ in range(rows)]


def number(rng):
    return rng.choice([1, 1, 0.5, -0.25, 3, 1e-3, 1e5, rng.random()])


def tree(rng, labels=LABELS, depth=0):
    """(S (NP dog) x)"""
    below = rng.randrange(1, 4) if depth < 4 else 0
    inside = [tree(rng, labels, depth + 1) if rng.random() < 0.6 else rng.choice(labels) for _ in range(below)]
    return f"({' '.join([rng.choice(labels), *inside])})"


def pairs(rng, first=1):
    return " ".join(f"{one + first}:{number(rng):g}" for one in id_lists(rng, 1)[0])


def svmlight(rng):
    extras = rng.choice(["", "", "qid:{} ", "cost:0.5 sid:{} "])
    return _lines(
        f"{rng.choice([1, -1, '+1', 0.5])} {extras.format(rng.randrange(5))}{pairs(rng)}{rng.choice(['', ' # why'])}"
        for _ in range(rng.randrange(1, 6))
    )


def svmlight_tk(rng):
    def line():
        one = f"{rng.choice([1, -1])} |BT| {tree(rng, PLAIN)} "
        two = f"|BT| {tree(rng, PLAIN)} |ET| {pairs(rng)} |BV| {pairs(rng)} |EV|"
        return one + rng.choice([two, "|ET|"])

    return _lines(line() for _ in range(rng.randrange(1, 5)))


def klp(rng):
    return _lines(
        f"{rng.choice(['NUM', 'LOC'])} |BS:q| Where ? |ES| |BV:bow| how:1.0 far:{number(rng)} |EV| "
        f"|BT:t| {tree(rng, PLAIN)} |ET| |BDV| 1 {number(rng)} |EDV|"
        for _ in range(rng.randrange(1, 4))
    )


def trees(rng):
    labelled = rng.random() < 0.5
    return _lines((f"{rng.choice([1, -1])}\t" if labelled else "") + tree(rng) for _ in range(rng.randrange(1, 5)))


def sentences(rng):
    return _lines(f"d\t{at}\t{tree(rng)}" for at in range(rng.randrange(1, 5)))


def propositions(rng):
    return _lines(f"d\t{at}\t1\tsee.01\t0-0:ARG0 1-1:V 2-{rng.randrange(2, 5)}:ARG1" for at in range(3))


# --- text -------------------------------------------------------------------------------------------------------------


def columns(rng):
    width = rng.randrange(1, 4)
    gap = rng.choice([" ", "\t"])
    return _sentences(rng, lambda at, size: gap.join([*rng.choices(WORDS, k=width), rng.choice(["O", "B-NP", "I-NP"])]))


def conllu(rng):
    def word(at, size):
        head = 0 if at == 0 else rng.randrange(1, at + 1)
        features = rng.choice(["_", "Case=Nom|Number=Sing"])
        token = rng.choice(WORDS)
        return f"{at + 1}\t{token}\t{token.lower()}\tNOUN\tNN\t{features}\t{head}\t{'root' if at == 0 else 'dep'}\t_\t_"

    return b"# sent_id = 1\n" + _sentences(rng, word)


def text(rng):
    return _lines(rng.choice(["", " "]).join(rng.choices(WORDS, k=rng.randrange(9))) + "." for _ in range(4))


def templates(rng):
    of_crfpp = ("U00:%x[-1,0]", "U01:%x[0,0]/%x[1,1]", "B", "# what")
    of_ours = ("F:-1..1:0 T:-1", "F:0:0:prefix:3", "F:0:1", "# what", "T:-2")
    lines = rng.choice([of_crfpp, of_ours])
    return _lines([lines[0], *rng.choices(lines, k=rng.randrange(4))])


def table(rng):
    gap = rng.choice(",;\t|")
    cells = ("34", "1.5", "own", '"a ""b"", c"', "?", "NA", "", "2024-05-01", "-1e3", "inf", "true", "Müller")
    names = [f"column{at}" for at in range(rng.randrange(1, 5))]
    return _lines([gap.join(names), *(gap.join(rng.choices(cells, k=len(names))) for _ in range(rng.randrange(5)))])


def _lines(lines):
    return "".join(f"{line}\n" for line in lines).encode()


def _sentences(rng, token):
    text = ""
    for _ in range(rng.randrange(1, 4)):
        size = rng.randrange(1, 6)
        text += "".join(f"{token(at, size)}\n" for at in range(size)) + "\n"
    return text.encode()


# --- machines ---------------------------------------------------------------------------------------------------------


def row_machine(rng, kernels=COLUMN_KERNELS):
    """A machine on rows: of two classes or several, for numbers or for one class."""
    rows, kernel = rng.randrange(2, 7), rng.choice(kernels)
    support = gm.ids(id_lists(rng, rows))
    kinds = KINDS if isinstance(kernel, gm.PolynomialKernel) else KINDS[:1]
    outputs, options = rng.choice(kinds)
    coef = np.array([_column(rng, outputs) for _ in range(rows)])
    return gm.Machine(kernel, support, coef, _column(rng, outputs), **options)


def tree_machine(rng, kernels=TREE_KERNELS):
    rows = rng.randrange(1, 5)
    forest = gm.Forest.from_strings([tree(rng) for _ in range(rows)], marks=False)
    return gm.Machine(rng.choice(kernels), forest, _column(rng, rows), 0.25, [-1, 1])


def mixed_machine(rng):
    """On trees and vectors side by side."""
    rows = rng.randrange(1, 5)
    forest = gm.Forest.from_strings([tree(rng) for _ in range(rows)])
    kernel = gm.PolynomialKernel(2).on("v") + 0.5 * gm.SubsetTreeKernel().on("t")
    examples = gm.Examples(t=forest, v=[set(row) for row in id_lists(rng, rows)])
    return gm.Machine(kernel, examples, _column(rng, rows), 0.25, [-1, 1])


def collection(rng):
    return gm.Machines({name: row_machine(rng, COLUMN_KERNELS[1:2]) for name in "ab"})


def _column(rng, rows):
    return [number(rng) * rng.choice([1, -1]) for _ in range(rows)]


# --- model files ------------------------------------------------------------------------------------------------------


def golden(*names):
    files = [(GOLDEN / name).read_bytes() for name in names]
    return lambda rng: rng.choice(files)


def of_format(name):
    """Models of a format of another program."""
    known = format_named(name)
    kernels = tuple(kernel for kernel in COLUMN_KERNELS if isinstance(kernel, known.KERNELS))

    def make(rng):
        while True:
            with contextlib.suppress(ValueError):  # a kind of machine that the format cannot hold
                return known.write(row_machine(rng, kernels))

    return make


def yamcha_older(rng):
    classes, features = [b"A", b"B"], {b"x": [0, 1], b"y": [1]}
    return yamcha_files.older(classes, [(0, 1, 0.5)], (2, 1.0, 1.0), features, [{0: number(rng), 1: 2.0}])


def archive(rng):
    """A zip or tar, packed once more or not, with a few models or very many files."""
    members = rng.choice([1, 2, 3, 3, 200])
    model = of_format("libsvm")
    files = {f"{at}.model": model(rng) if at < 3 else b"" for at in range(members)}
    packed = rng.choice([_zipped, _tarred])(files)
    return rng.choice([bytes, bytes, gzip.compress, bz2.compress, lzma.compress])(packed)


def _zipped(files):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(zipfile.ZipInfo(name), data)
    return out.getvalue()


def _tarred(files):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for name, data in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    return out.getvalue()
