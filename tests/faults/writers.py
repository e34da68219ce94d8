"""Every command that writes a file, by the name of what it does; `../in` has the files of tests/across/file_kinds.py.

The files that a command writes are the words of OUTPUTS that are in it.
"""

from __future__ import annotations

from typing import Any

from gristmill.machines.store import unpack
from gristmill.solvers.online import checkpoint

OUTPUTS = ("out", "out.scorer", "out.png", "checkpoint", "options.toml", "folder")
QUICK = "train ../in/rows out -q -d 2"
TRAINING = {
    "train": QUICK,
    "train-libsvm": "train ../in/rows out -q -d 2 --format libsvm",
    "train-online": "train ../in/rows out -q --online --checkpoint checkpoint",
    "train-resume": "train ../in/rows out -q --online --resume ../in/m.checkpoint --checkpoint checkpoint",
    "train-stream": "train ../in/rows out -q --online --stream",
    "train-logistic": "train ../in/rows out -q --loss logistic",
    "train-table": "train ../in/csv out -q --target answer",
    "train-trees": "train ../in/trees out -q -k sst",
    "train-options": "train ../in/rows out -q --save-config options.toml",
    "tune": "tune ../in/rows out --folds 2 -C 1 -d 1 --plot out.png",
    "tune-online": "tune ../in/rows ../in/rows out --online --degree 1 -C 1",
    "forget": "forget ../in/m.rows --data ../in/rows --rows 3 -o out -q",
    "svm-train": "svm-train -q -t 1 ../in/rows out",
    "svm-learn": "svm-learn -v 0 -t 1 ../in/rows out",
    "tag-train": "tag train ../in/columns out -q --epochs 1",
    "segment-train": "segment train ../in/segmented out -q --epochs 1",
    "tokenize-train": "tokenize train ../in/treebank out -q --epochs 1",
    "split-train": "split-words train ../in/treebank out -q --epochs 1",
    "lemmatize-train": "lemmatize train ../in/treebank out -q --epochs 1",
    "parse-train": "parse train ../in/conllu out -q --epochs 1",
    "pipeline-train": "pipeline train ../in/treebank out -q --folds 0",
    "trees-train": "classify-trees train ../in/trees out -q",
    "roles-train": "roles train ../in/sentences ../in/props out -q",
}
USING = {
    "predict": "predict ../in/m.libsvm ../in/rows -o out",
    "convert": "convert ../in/m.rows out --format libsvm",
    "convert-compiled": "convert ../in/m.rows out --engine expanded",
    "convert-trees-compiled": "convert ../in/m.trees out --engine forest",
    "convert-app": "convert ../in/m.tagger out --format yamcha",
    "svm-predict": "svm-predict ../in/rows ../in/m.libsvm out",
    "svm-classify": "svm-classify ../in/rows ../in/m.svmlight out",
    "kernel": "kernel ../in/rows -k poly -o out",
    "kernel-libsvm": "kernel ../in/rows -k poly --format libsvm -o out",
    "kernel-scratch": "kernel ../in/rows -k poly --format libsvm -o out --max-bytes 200",
    "nearest": "nearest ../in/rows -o out",
    "report": "report ../in/m.rows --data ../in/rows --no-engines -o out",
    "tag-run": "tag run ../in/m.tagger ../in/columns -o out",
    "tag-convert": "tag convert ../in/columns --tag-scheme bioes -o out",
    "segment-run": "segment run ../in/m.segmenter ../in/unsegmented -o out",
    "segment-join": "segment join ../in/segmented -o out",
    "tokenize-run": "tokenize run ../in/m.tokenizer ../in/text -o out",
    "split-run": "split-words run ../in/m.splitter ../in/treebank -o out",
    "lemmatize-run": "lemmatize run ../in/m.lemmatizer ../in/treebank -o out",
    "parse-run": "parse run ../in/m.parser ../in/conllu -o out",
    "parse-draw": "parse draw ../in/conllu -o out",
    "pipeline-run": "pipeline run ../in/m.pipeline ../in/text -o out",
    "trees-run": "classify-trees run ../in/m.classifier ../in/trees -o out",
    "roles-run": "roles run ../in/m.roles ../in/sentences ../in/props -o out",
}
WRITERS = TRAINING | USING


def whole_checkpoint(data: bytes) -> Any:
    """ValueError unless its checksum fits; it holds how long learning took, so that no two are equal."""
    return unpack(data, checkpoint.KEY, checkpoint.VERSION, "checkpoint")


def whole_picture(data: bytes) -> Any:
    """ValueError unless all of it is there; it shows how long the search took."""
    if not (data.startswith(b"\x89PNG") and data.endswith(b"IEND\xaeB`\x82")):
        raise ValueError
    return data


VARYING = {"checkpoint": whole_checkpoint, "out.png": whole_picture}
