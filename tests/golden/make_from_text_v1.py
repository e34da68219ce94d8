"""Makes apps of version 1 that lead from raw text to trees, and from-text-v1.json with what they must answer.

Run once, by the release that introduced them; never again, so that later releases prove they still read the files.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import astuple
from pathlib import Path
from typing import Any

from gristmill.apps import Lemmatizer, MorphologicalTagger, Splitter, Tokenizer
from tests.apps.pipeline.small_pipeline import TEXT, TRAIN, parsed, pipeline, text_to_read, treebank

HERE = Path(__file__).parent
RAW = text_to_read(TEXT) + "\n\nZoë sees inthe mill. Unheard words!"

ANSWERS: dict[str, Callable[[Any], Any]] = {  # by names of files, what their apps say
    "tokenizer-v1": lambda app: app.tokenize(RAW),
    "splitter-v1": lambda app: app.split(RAW.split()),
    "lemmatizer-v1": lambda app: app.lemmatize(treebank(6, 1)),
    "morphological-tagger-v1": lambda app: [list(astuple(word)) for word in app.tag(RAW.split())],
    "pipeline-v1": lambda app: app.process(RAW),
}


def main() -> None:
    gold = parsed(TRAIN)
    apps = {
        "tokenizer-v1": Tokenizer().fit_conllu(gold),
        "splitter-v1": Splitter().fit_conllu(gold),
        "lemmatizer-v1": Lemmatizer(epochs=2).fit_conllu(gold),
        "morphological-tagger-v1": MorphologicalTagger(epochs=2, folds=2).fit_conllu(gold),
        "pipeline-v1": pipeline().fit(gold),
    }
    for name, app in apps.items():
        app.save(HERE / f"{name}.safetensors")
    expected = {name: ANSWERS[name](app) for name, app in apps.items()}
    (HERE / "from-text-v1.json").write_text(json.dumps(expected, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
