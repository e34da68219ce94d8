"""Makes tree-classifier-v1.safetensors and .json: a small tree classifier of version 1, with what it must answer.

Run once, by the release that introduced version 1; never again, so that later releases prove they still read the file.
"""

from __future__ import annotations

import json
from pathlib import Path

from gristmill.apps.tree_classification.classifier import TreeClassifier

HERE = Path(__file__).parent

KNOWN = {
    "(Q (W who) (V sang))": "person",
    "(Q (W Who) (V is) (N Zoë))": "person",
    "(Q (W where) (V is) (N Rome))": "place",
    "(Q (W where) (V \\(was\\)) (N Zoë))": "place",
    "(Q (W when) (V was) (N it))": "time",
    "(when)": "time",
}
NEW = [*KNOWN, "(Q (W Where) (V sang))", "(Q (X unheard) (Y of))", "(zoë)"]


def main() -> None:
    classifier = TreeClassifier(ngrams=2, word_weight=0.25).fit(list(KNOWN), list(KNOWN.values()))
    classifier.save(HERE / "tree-classifier-v1.safetensors")
    scores, labels = classifier.decision_function(NEW).tolist(), classifier.predict(NEW).tolist()
    expected = {"trees": NEW, "scores": scores, "labels": labels}
    (HERE / "tree-classifier-v1.json").write_text(json.dumps(expected) + "\n")


if __name__ == "__main__":
    main()
