"""python -m benchmarks [NAME ...]: run all or some claims and rewrite docs/results."""

from __future__ import annotations

import importlib
import sys

from benchmarks import render
from benchmarks.measure import Missing

CLAIMS = (
    *("import_cost", "load_models", "score_conll", "paper_tables", "load_and_classify"),
    *("beside_peers", "many_outputs", "engine_costs", "learn_beside_opal", "learning_tables"),
    *("tree_reading", "tree_rows", "tree_scoring", "tree_operator", "unseen_trees"),
    *("batch_svm", "tree_svm", "svm_baselines", "node_relations", "role_kernels"),
    *("cutting_planes", "planes_beside_smo", "planes_baselines"),
    *("boundary_samples", "boundary_costs", "boundary_kernels", "boundary_decay"),
    *("tune_questions", "question_classes", "pp_attachment"),
    *("chunking", "analyser_tables", "word_segmentation"),
    *("parsing", "parsing_engines", "parsing_peers"),
    *("explanations", "reports", "serving"),
)


def main(names: list[str]) -> None:
    for name in names or CLAIMS:
        if name not in CLAIMS:
            sys.exit(f"no benchmark {name!r}; there are {', '.join(CLAIMS)}")
        print(f"== {name}", flush=True)
        try:
            importlib.import_module(f"benchmarks.{name}").main()
        except Missing as reason:
            print(f"skipped: {reason}")
        finally:
            render.main()


if __name__ == "__main__":
    main(sys.argv[1:])
