"""One small file of each kind of data, and of each kind of model; for tests of what commands do with them."""

from __future__ import annotations

import numpy as np

from gristmill.cli import run
from tests.apps.parsing.small_treebanks import sentences as trees_of_words
from tests.apps.parsing.small_treebanks import text_of as conllu_of
from tests.apps.pipeline.small_pipeline import TRAIN
from tests.apps.tagging.chunked_sentences import sentences as chunked
from tests.apps.tagging.chunked_sentences import text_of as columns_of

ROWS = "".join(f"{label} {a}:1 {b}:1\n" for label, a, b in [(1, 1, 3), (-1, 2, 4), (1, 1, 4), (-1, 2, 3)] * 3)
TREE = "(S (NP (N {})) (VP (V saw) (NP (D the) (N {})) (R so)))"
NOUNS = ("dogs", "cats", "mice", "men")
BRACKETED = [TREE.format(NOUNS[number % 4], NOUNS[number % 3]) for number in range(16)]
LABELS = [1 if number % 4 < 2 else -1 for number in range(16)]
WORDS = ["また 行き たい", "行き たい", "また 来 ます", "来 たい です"] * 4

TEXTS = {
    "rows": ROWS,
    "labels": "1\n-1\n1\n",
    "gram": "1 0:1 1:2 2:1 3:0.5\n-1 0:2 1:1 2:2 3:0.5\n1 0:3 1:0.5 2:0.5 3:2\n",
    "trees": "".join(f"{label}\t{tree}\n" for label, tree in zip(LABELS, BRACKETED, strict=True)),
    "tk": "".join(f"{label} |BT| {tree} |ET|\n" for label, tree in zip(LABELS, BRACKETED, strict=True)),
    "kelp": "".join(f"{label} |BT:grct| {tree} |ET|\n" for label, tree in zip(LABELS, BRACKETED, strict=True)),
    "sentences": "".join(f"d\t{number}\t{tree}\n" for number, tree in enumerate(BRACKETED)),
    "props": "".join(f"d\t{number}\t1\tsee.01\t0-0:ARG0 1-1:V 2-3:ARG1\n" for number in range(16)),
    "conllu": conllu_of(trees_of_words(12)),
    "treebank": TRAIN,  # with all columns, and with tokens that are several words
    "columns": columns_of(chunked(12)),
    "csv": "age,job,answer\n31,miller,yes\n45,baker,no\n28,miller,no\n",
    "csv2": "age, job, answer\n31, miller, yes\n45, baker, no\n28, miller, no\n",
    "tsv": "age\tjob\tanswer\n31\tmiller\tyes\n45\tbaker\tno\n28\tmiller\tno\n",
    "text": "The mill grinds the grain, slowly.\nEvery stone turns\n(now and then).\n",
    "segmented": "".join(f"{line}\n" for line in WORDS),
    "unsegmented": "".join(line.replace(" ", "") + "\n" for line in WORDS),
    "empty": "",
}
JUNK = np.random.default_rng(3).integers(0, 256, 400).astype(np.uint8).tobytes()
MADE = {  # models by the commands that make them; the last word of each is the model
    "m.rows": "train rows m.rows -q -d 2",
    "m.libsvm": "train rows m.libsvm -q -d 2 --format libsvm",
    "m.svmlight": "convert m.rows m.svmlight --format svmlight",
    "m.trees": "train trees m.trees -q -k sst",
    "m.tk": "train trees m.tk -q --format svmlight-tk",
    "m.tagger": "tag train columns m.tagger -q --epochs 2 --templates F:0:0..1",
    "m.upos": "tag train conllu m.upos --conllu upos -q --epochs 2",
    "m.yamcha": "convert m.tagger m.yamcha --format yamcha",
    "m.segmenter": "segment train segmented m.segmenter -q --epochs 2",
    "m.parser": "parse train conllu m.parser -q --epochs 2",
    "m.roles": "roles train sentences props m.roles -q",
    "m.tokenizer": "tokenize train treebank m.tokenizer -q --epochs 2",
    "m.splitter": "split-words train treebank m.splitter -q --epochs 2",
    "m.lemmatizer": "lemmatize train treebank m.lemmatizer -q --epochs 2",
    "m.morphology": "tag train treebank m.morphology --conllu all -q --epochs 2 --folds 2",
    "m.pipeline": "pipeline train treebank m.pipeline -q --folds 2",
    "m.classifier": "classify-trees train trees m.classifier -q",
    "m.online": "train rows m.online -q --online --checkpoint m.checkpoint",
    "m.compiled": "convert m.rows m.compiled --engine expanded",
}


def make_files(folder):
    """Data files and models in a folder, which is the working directory."""
    for name, text in TEXTS.items():
        (folder / name).write_text(text, encoding="utf-8")
    (folder / "junk").write_bytes(JUNK)
    np.save(folder / "npy", np.eye(3))
    (folder / "npy.npy").rename(folder / "npy")
    for name, command in MADE.items():
        assert run(command.split()) == 0, name
    (folder / "m.compiled.scorer").rename(folder / "m.scorer")
    (folder / "m.several").mkdir()
    for name in ("m.rows", "m.libsvm"):
        (folder / "m.several" / name).write_bytes((folder / name).read_bytes())
