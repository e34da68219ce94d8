"""Small models of every kind that the playground shows."""

from __future__ import annotations

from datetime import date, timedelta

import numpy as np

import gristmill as gm
from gristmill.apps import DependencyParser, Segmenter, Tagger, TreeClassifier
from tests.apps.parsing import small_treebanks as parser_tasks
from tests.apps.tagging import chunked_sentences as tagger_tasks

JAPANESE = ["この 海 を 見 たい 。", "また 海 が 見え た 。", "山 を 見 た 。", "この 山 が 見え た 。"]
TREES = [
    f"(Q {'(W Who) (N she)' if at % 2 else '(W Where) (N Rome)'} (V {('is', 'was')[at % 3 % 2]}))" for at in range(12)
]
STRANGE = ["<script>document.title = 'taken'</script>", "\u202eعربي", "🌾 grain", "\"&amp;'", "w=2", "__proto__"]


def foods():
    """Three classes, features with names."""
    names = ["salty", "sweet", "crunchy", "soft", "green", "round"]
    support = gm.ids([[0, 2], [0, 3], [1, 3], [1, 2, 5], [4, 5], [0, 4]])
    coef = np.random.default_rng(1).normal(size=(6, 3)).round(2)
    classes = ["bread", "cheese", "fruit"]
    return gm.Machine(gm.PolynomialKernel(2), support, coef, [0.1, -0.2, 0.05], classes, "ovr", feature_names=names)


def round_foods():
    """The same under a kernel that sees how long rows are."""
    return foods().replace(kernel=gm.RBFKernel(0.25))


def strange():
    """Two classes, and names that are no harmless words."""
    support = gm.ids([[0, 1, 5], [1, 2], [3, 4]])
    return gm.Machine(
        gm.PolynomialKernel(2), support, [1.0, -0.5, 2.0], 0.25, ["<b>no</b>", "ja"], feature_names=STRANGE
    )


def measures():
    """Names with blanks, one of which begins as others go on."""
    names = ["worst radius", "worst", "mean area of cells", "mean, in all"]
    support = gm.ids([[0, 1], [2], [3]])
    return gm.Machine(gm.PolynomialKernel(2), support, [1.0, -0.5, 0.25], 0.0, ["b", "m"], feature_names=names)


def numbered():
    """A number as the answer, features without names, values that count."""
    support = np.array([[0.5, 0, 1, 0], [0, 2, 0, 1], [1, 1, 0, 0.25]])
    return gm.Machine(gm.PolynomialKernel(2), support, [1.0, -0.5, 0.25], 0.125, scheme="regression")


def people():
    """A table with columns of all kinds."""
    rows = [
        {
            "age": 20 + at % 40,
            "housing": ("own", "rent", "free", "rent")[at % 4],
            "income": None if at % 10 == 3 else 1000.5 + 7 * (at % 23),
            "member": at % 3 == 0,
            "paid": None if at % 8 == 5 else at % 5 == 0,
            "joined": date(2021, 3, 1) + timedelta(at % 90),
        }
        for at in range(120)
    ]
    risk = ["bad" if row["age"] < 35 and row["housing"] == "rent" else "good" for row in rows]
    return gm.TableClassifier(C=1.0, degree=2, bins=8).fit(rows, risk).machine_


def trees():
    return TreeClassifier().fit(TREES, ["person" if at % 2 else "place" for at in range(12)])


def tagger():
    return Tagger(epochs=5).fit(tagger_tasks.sentences(20))


def parser():
    return DependencyParser(epochs=5).fit(parser_tasks.sentences(15))


def segmenter():
    return Segmenter().fit(JAPANESE)
