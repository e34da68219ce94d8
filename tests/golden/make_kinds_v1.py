"""Makes machines and apps of version 1 that no other file here holds, and kinds-v1.json with what they must answer.

Run once, by a release that writes version 1; never again, so that later releases prove they still read the files.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

import gristmill as gm
from gristmill.apps.roles import RoleLabeller
from tests.apps.parsing.small_treebanks import plain, sentences
from tests.apps.roles.labelled_sentences import PROPOSITIONS, TREES

HERE = Path(__file__).parent
TEXT = ["また 行き たい 、 そんな 店 です 。", "海 を 見 たい 。", "海 が 見え た 。", "この 店 は また 行き たい 。"]
NEW_TEXT = ["この海を見たい。", "また店を見た。", ""]
SUPPORT = ["(S (NP*1 (D the) (N dog)) (VP (V barks)))", "(S (NP (N Zoë)) (VP*2 (V sang)))", "(leaf)"]
NEW = [*SUPPORT, "(S (NP (D the) (N cat)) (VP (V sang)))", "(X (Y unheard) (Z of))"]
VECTORS = gm.ids([[0, 2], [1], []], n_features=4)
NEW_VECTORS = gm.ids([[0, 2], [1], [], [0, 1, 2], [3]], n_features=4)
COEF = np.array([[0.75, -1.0], [-0.5, 0.125], [0.0, 2.0]])


def machines() -> dict[str, tuple[gm.Machine, object]]:
    """By name, each with data to score."""
    forest, new = (gm.Forest.from_strings(trees, marks=True) for trees in (SUPPORT, NEW))
    both = gm.SubsetTreeKernel(decay=0.5).on("trees") + 0.25 * gm.PolynomialKernel(2).on("vectors")
    fields, given = gm.Examples(trees=forest, vectors=VECTORS), gm.Examples(trees=new, vectors=NEW_VECTORS)
    of_rows = gm.Normalized(gm.PolynomialKernel(3, 0.5, 1.0))
    return {
        "trees-v1": (gm.Machine("ptk", forest, COEF[:, 0], 0.5, classes=["no", "yes"]), new),
        "fields-v1": (gm.Machine(both, fields, COEF, [0.0, -0.25]), given),
        "normalized-rows-v1": (
            gm.Machine(of_rows, VECTORS, COEF[:, 1], -0.25, classes=[-1, 1], zero_class=1),
            NEW_VECTORS,
        ),
    }


def main() -> None:
    expected: dict[str, object] = {}
    for name, (machine, data) in machines().items():
        machine.save(HERE / f"{name}.safetensors")
        expected[name] = machine.compile("direct").decision_function(data).tolist()
    rows = gm.Machine(gm.PolynomialKernel(2), VECTORS, COEF[:, 0], 0.0, feature_names=list("abcd"))
    gm.Machines({"rows": rows, "trees": machines()["trees-v1"][0]}).save(HERE / "machines-v1.safetensors")
    segmenter = gm.apps.Segmenter().fit(TEXT)
    segmenter.save(HERE / "segmenter-v1.safetensors")
    expected["segmenter-v1"] = [segmenter.segment(text) for text in NEW_TEXT]
    parser = gm.apps.DependencyParser(C=0.5, epochs=5).fit(sentences(20))
    parser.save(HERE / "parser-v1.safetensors")
    found = parser.parse(plain(sentences(5, seed=1)))
    expected["parser-v1"] = [[(word.head, word.deprel) for word in tree] for tree in found]
    labeller = RoleLabeller().fit(TREES, PROPOSITIONS)
    labeller.save(HERE / "roles-v1.safetensors")
    expected["roles-v1"] = [[list(one) for one in found.arguments] for found in labeller.label(TREES, PROPOSITIONS)]
    (HERE / "kinds-v1.json").write_text(json.dumps(expected, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
