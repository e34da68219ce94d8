"""Makes tagger-v1.safetensors and .json: a small tagger of version 1, with the tags it must give.

Run once, by the release that introduced version 1; never again, so that later releases prove they still read the file.
"""

from __future__ import annotations

import json
from pathlib import Path

from gristmill.apps.tagging.tagger import Tagger

HERE = Path(__file__).parent

TEMPLATES = "F:-1..1:0.. F:0:0:lower+suffix:1..2 F:0:0:shape F:0:0:grams:2 B:0:1 T:-2..-1"
KNOWN = [
    "Die/D,f/B-NP alte/A,f/I-NP Mühle/N,f/I-NP mahlt/V/B-VP ./S/O",
    "Der/D,m/B-NP Müller/N,m/I-NP isst/V/B-VP Brot/N,n/B-NP ./S/O",
    "Heute/R/O gibt/V/B-VP der/D,m/B-NP Müller/N,m/I-NP der/D,f/B-NP Katze/N,f/I-NP Korn/N,n/B-NP ./S/O",
    "石臼/N/B-NP を/P/B-PP 回す/V/B-VP",
]
NEW = [*KNOWN, "Die/D,f/B-NP Katze/N,f/I-NP mahlt/V/B-VP heute/R/O", "unheard/X/O of/Y/O", "Korn/N,n/B-NP"]


def tokens(sentence: str) -> list[tuple[str, ...]]:
    return [tuple(token.split("/")) for token in sentence.split()]


def main() -> None:
    tagger = Tagger(TEMPLATES, multiclass="ovo", C=0.1, direction="backward", tag_scheme="BIOES")
    tagger.fit(map(tokens, KNOWN)).save(HERE / "tagger-v1.safetensors")
    new = [[token[:-1] for token in tokens(sentence)] for sentence in NEW]
    expected = {"sentences": new, "tags": tagger.tag_sentences(new)}
    (HERE / "tagger-v1.json").write_text(json.dumps(expected) + "\n")


if __name__ == "__main__":
    main()
