"""python -m benchmarks [NAME ...] [--quick] [--data DIR]: run all or some claims and write docs/results.

`papers` stands for all claims that measure something of the five papers, and writes docs/papers.md from them. With
--quick each takes a minute or so, and pages are written to benchmarks/out/quick: for a look, not for the record.
`tables` also reads the CSV files of the folder DIR, `labelling` names; `pipelines` takes its treebanks from there.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks import measure, papers, render

CLAIMS = (
    *("import_cost", "load_models", "score_conll", "paper_tables", "load_and_classify"),
    *("beside_peers", "many_outputs", "engine_costs", "learn_beside_opal", "learning_tables"),
    *("tree_reading", "tree_rows", "tree_scoring", "tree_operator", "unseen_trees"),
    *("batch_svm", "set_kernels", "overlap_bounds", "forgetting", "logistic", "auto_cost", "tree_svm", "svm_baselines"),
    *("node_relations", "node_pairs", "role_kernels"),
    *("cutting_planes", "planes_beside_smo", "planes_baselines"),
    *("boundary_samples", "boundary_costs", "boundary_kernels", "boundary_decay"),
    *("tune_questions", "question_classes", "pp_attachment"),
    *("chunking", "labelling", "tag_probabilities", "analyser_tables", "word_segmentation"),
    *("parsing", "parsing_engines", "parsing_peers", "pipelines"),
    *("explanations", "explanations_sets", "table_explanations", "counterfactuals", "reports", "serving", "tables"),
    *("nearest", "nearest_trees", "cluster", "export"),
)
QUICK = Path(__file__).parent / "out" / "quick" / "results" / "data"


def main(words: Sequence[str]) -> None:
    names, quick = _without_data([word for word in words if word != "--quick"]), "--quick" in words
    if quick:
        measure.RESULTS = QUICK
    for name in claims(names or CLAIMS):
        print(f"== {name}", flush=True)
        run(name, quick)
        render.main()
        papers.write_page()
    print(f"written: {measure.RESULTS.parent}")


def _without_data(words: Sequence[str]) -> list[str]:
    """The other words; the folder that follows --data is where tables and treebanks are."""
    if "--data" not in words:
        return list(words)
    at = words.index("--data")
    if at + 1 == len(words):
        sys.exit("--data needs a folder")
    measure.TABLES = Path(words[at + 1])
    return [*words[:at], *words[at + 2 :]]


def claims(names: Sequence[str]) -> list[str]:
    """The claims that are asked for, each once."""
    of_papers = papers.benchmarks_of(papers.papers())
    found = list(dict.fromkeys(claim for name in names for claim in (of_papers if name == "papers" else [name])))
    for name in found:
        if name not in CLAIMS:
            sys.exit(f"no benchmark {name!r}; there are papers, {', '.join(CLAIMS)}")
    return found


def run(name: str, quick: bool) -> None:
    """Measure one claim, or say what it lacks here."""
    claim = importlib.import_module(f"benchmarks.{name}")
    measured = claim.quick if quick and hasattr(claim, "quick") else claim.main
    try:
        measured()
    except measure.Missing as reason:
        print(f"skipped: {reason}")


if __name__ == "__main__":
    main(sys.argv[1:])
