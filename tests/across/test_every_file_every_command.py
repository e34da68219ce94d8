"""Each kind of model file through each command that takes a model, and each kind of data file likewise.

A cell is an answer or a clear error: one line that names the file, what it holds and what to do.
    .   answered: exit code 0, and something is printed or written
    x   refused: the message has what FRAGMENTS say of this kind of file
    ?   refused for another reason, one of OTHER_REASONS
"""

from __future__ import annotations

import contextlib
from types import SimpleNamespace

import pytest

from gristmill.cli import run, serve
from gristmill.display import charts
from tests.across.file_kinds import make_files

# --- models -----------------------------------------------------------------------------------------------------------

MODEL_COMMANDS = {
    "predict": "predict {model} {data}",
    "evaluate": "evaluate {model} {data}",
    "bench": "bench {model} {data} --rounds 1 --engine direct",
    "convert": "convert {model} out",
    "inspect": "inspect {model}",
    "explain": "explain {model}",
    "explain-data": "explain {model} {data}",
    "report": "report {model} --data {data} -o out --no-engines",
    "serve": "serve {model}",
    "svm-predict": "svm-predict {data} {model} out",
    "svm-classify": "svm-classify {data} {model} out",
    "train-init": "train rows out -q --online -d 2 --init {model}",
    "train-resume": "train rows out -q --online --resume {model}",
    "tag-run": "tag run {model} columns",
    "tag-evaluate": "tag evaluate {model} columns",
    "segment-run": "segment run {model} unsegmented",
    "segment-evaluate": "segment evaluate {model} segmented",
    "tokenize-run": "tokenize run {model} text",
    "tokenize-evaluate": "tokenize evaluate {model} treebank",
    "split-run": "split-words run {model} treebank",
    "split-evaluate": "split-words evaluate {model} treebank",
    "lemmatize-run": "lemmatize run {model} treebank",
    "lemmatize-evaluate": "lemmatize evaluate {model} treebank",
    "pipeline-run": "pipeline run {model} text",
    "pipeline-evaluate": "pipeline evaluate {model} treebank",
    "parse-run": "parse run {model} conllu",
    "parse-evaluate": "parse evaluate {model} conllu",
    "parse-tagger": "parse run m.parser conllu --tagger {model}",
    "trees-run": "classify-trees run {model} trees",
    "trees-evaluate": "classify-trees evaluate {model} trees",
    "roles-run": "roles run {model} sentences props",
}
DATA_FOR = {
    **dict.fromkeys(["m.trees", "m.tk", "m.classifier"], "trees"),
    **dict.fromkeys(["m.tagger", "m.yamcha"], "columns"),
    **{"m.upos": "conllu", "m.segmenter": "segmented", "m.parser": "conllu", "m.roles": "sentences"},
    **{"m.tokenizer": "text", "m.splitter": "treebank", "m.lemmatizer": "treebank", "m.morphology": "treebank"},
    "m.pipeline": "treebank",
}
FOR_MACHINES = ("predict", "evaluate", "bench", "svm-predict", "svm-classify")  # which take rows, or trees

MODELS = """
                   row lib svm tre tk  sev tag yam upo seg par rol tok spl lem mor pip cla che sco row csv tex npy jun e
predict            .   .   .   .   .   x   x   x   x   x   x   x   x   x   x   x   x   x   x   x   x   x   x   x   x   x
evaluate           .   .   .   .   .   x   x   x   x   x   x   x   x   x   x   x   x   x   x   x   x   x   x   x   x   x
bench              .   .   .   x   x   .   x   x   x   x   x   x   x   x   x   x   x   x   x   x   x   x   x   x   x   x
convert            .   .   .   .   .   .   .   .   .   .   .   .   .   .   .   .   .   .   x   x   x   x   x   x   x   x
inspect            .   .   .   .   .   .   .   .   .   .   .   .   .   .   .   .   .   .   x   x   .   .   x   x   ?   .
explain            .   .   .   .   .   x   .   .   .   .   .   ?   .   .   .   ?   ?   ?   x   x   x   x   x   x   x   x
explain-data       .   .   .   .   .   x   .   .   ?   .   .   ?   .   .   .   x   ?   .   x   x   x   x   x   x   x   x
report             .   .   .   .   .   x   .   .   .   .   .   .   x   x   x   x   .   .   x   x   x   x   x   x   x   x
serve              .   .   .   .   .   x   .   .   .   .   .   .   .   .   .   .   .   .   x   x   x   x   x   x   x   x
svm-predict        .   .   .   x   x   x   x   x   x   x   x   x   x   x   x   x   x   x   x   x   x   x   x   x   x   x
svm-classify       .   .   .   .   .   x   x   x   x   x   x   x   x   x   x   x   x   x   x   x   x   x   x   x   x   x
train-init         .   ?   .   x   x   x   x   x   x   x   x   x   x   x   x   x   x   x   x   x   x   x   x   x   x   x
train-resume       ?   ?   ?   ?   ?   ?   ?   ?   ?   ?   ?   ?   ?   ?   ?   ?   ?   ?   .   x   ?   x   x   x   ?   x
tag-run            x   x   x   x   x   x   .   .   .   x   x   x   x   x   x   ?   x   x   x   x   x   x   x   x   x   x
tag-evaluate       x   x   x   x   x   x   .   .   .   x   x   x   x   x   x   ?   x   x   x   x   x   x   x   x   x   x
segment-run        x   x   x   x   x   x   x   x   x   .   x   x   x   x   x   x   x   x   x   x   x   x   x   x   x   x
segment-evaluate   x   x   x   x   x   x   x   x   x   .   x   x   x   x   x   x   x   x   x   x   x   x   x   x   x   x
tokenize-run       x   x   x   x   x   x   x   x   x   x   x   x   .   x   x   x   x   x   x   x   x   x   x   x   x   x
tokenize-evaluate  x   x   x   x   x   x   x   x   x   x   x   x   .   x   x   x   x   x   x   x   x   x   x   x   x   x
split-run          x   x   x   x   x   x   x   x   x   x   x   x   x   .   x   x   x   x   x   x   x   x   x   x   x   x
split-evaluate     x   x   x   x   x   x   x   x   x   x   x   x   x   .   x   x   x   x   x   x   x   x   x   x   x   x
lemmatize-run      x   x   x   x   x   x   x   x   x   x   x   x   x   x   .   x   x   x   x   x   x   x   x   x   x   x
lemmatize-evaluate x   x   x   x   x   x   x   x   x   x   x   x   x   x   .   x   x   x   x   x   x   x   x   x   x   x
pipeline-run       x   x   x   x   x   x   x   x   x   x   x   x   x   x   x   x   .   x   x   x   x   x   x   x   x   x
pipeline-evaluate  x   x   x   x   x   x   x   x   x   x   x   x   x   x   x   x   .   x   x   x   x   x   x   x   x   x
parse-run          x   x   x   x   x   x   x   x   x   x   .   x   x   x   x   x   x   x   x   x   x   x   x   x   x   x
parse-evaluate     x   x   x   x   x   x   x   x   x   x   .   x   x   x   x   x   x   x   x   x   x   x   x   x   x   x
parse-tagger       x   x   x   x   x   x   ?   ?   .   x   x   x   x   x   x   .   x   x   x   x   x   x   x   x   x   x
trees-run          x   x   x   x   x   x   x   x   x   x   x   x   x   x   x   x   x   .   x   x   x   x   x   x   x   x
trees-evaluate     x   x   x   x   x   x   x   x   x   x   x   x   x   x   x   x   x   .   x   x   x   x   x   x   x   x
roles-run          x   x   x   x   x   x   x   x   x   x   x   .   x   x   x   x   x   x   x   x   x   x   x   x   x   x
"""
MODEL_FRAGMENTS = {
    **dict.fromkeys(["m.rows", "m.libsvm", "m.svmlight"], "a machine on rows: use `gristmill predict`"),
    **dict.fromkeys(["m.trees", "m.tk"], "a machine on trees: use `gristmill predict`"),
    "m.several": "2 machines",
    **dict.fromkeys(["m.tagger", "m.yamcha", "m.upos"], "a tagger: use `gristmill tag run`"),
    "m.segmenter": "a segmenter: use `gristmill segment run`",
    "m.parser": "a dependency parser: use `gristmill parse run`",
    "m.roles": "a role labeller: use `gristmill roles run`",
    "m.tokenizer": "a tokenizer: use `gristmill tokenize run`",
    "m.splitter": "a splitter of multiword tokens: use `gristmill split-words run`",
    "m.lemmatizer": "a lemmatizer: use `gristmill lemmatize run`",
    "m.morphology": "a morphological tagger: use `gristmill tag run`",
    "m.pipeline": "a text pipeline: use `gristmill pipeline run`",
    "m.classifier": "a tree classifier: use `gristmill classify-trees run`",
    "m.checkpoint": "a checkpoint of online learning, which `gristmill train --online --resume` goes on from",
    "m.scorer": "name the model that it lies beside",
    "rows": "rows in svmlight format: gristmill train",
    "csv": "a table: gristmill train takes it with --target COLUMN",
    "text": "text: gristmill segment takes it",
    "npy": "a NumPy array",
    "junk": "not a model file of a known format (gristmill safetensors; LIBSVM model",
    "empty": "the file is empty",
}
OTHER_REASONS = (
    "got a model file",  # where a checkpoint is expected
    "rows is read, and would be replaced",  # data as their own checkpoint
    "Is a directory",
    "no label is a class of the model: got words, the classes are -1, 1",
    "m.roles holds 2 machines; say which by --machine",
    "makes examples of trees and propositions by itself: leave DATA away, and name one of its machines",
    "name trees as DATA to see what nodes and words add",
    "conllu: expected a token a line in columns, got CoNLL-U",
    "m.libsvm: init must be a binary machine of the classes",
    "the tagger was not learned from CoNLL-U: use `gristmill tag train --conllu upos`",
    # data
    "no example has a feature; expected rows in svmlight format, `label id:value id:value ...`",
    "there is no column 'answer'; there are ",
    "the file is empty: expected a line with the names of columns",
    "all examples have the label d; an SVM needs at least two classes",
    "all 16 trees have the label d; a classifier needs at least two classes",
    "a Gram matrix has lines `label 0:1 1:value ...`",
    "holds other data than rows: trees or vectors, both must be the same",
    "it is a checkpoint of online learning, which `gristmill train --online --resume` goes on from",
    "it is a compiled scorer, a cache: name the model that it lies beside",
    "there are no trees in it",
    "there are no vectors in it",
    "there are no tokens",
    "no word has a lemma",
    "m.morphology holds 2 machines; say which by --machine",
    "m.pipeline holds 6 machines; say which by --machine",
    "treebank: expected text, got CoNLL-U",
    "columns: expected CoNLL-U, got a token a line in columns",
    "there are no words",
    "there are no propositions in it",
    "there are no examples to report on",
    "there is no sentence 'd 0' among 0 trees",
    "has 0 sentences",
    "the texts differ: the end here",
    "there is nothing to learn from: 0 lines",
    "there is nothing to tell apart: no line has two words with one space between them; expected a sentence a line",
    "tokens have 1 column",
    "a token needs a word and, in the last column, its tag; got one column",
    "expected 2 columns or more, got 1",
    "is not the tag of a chunk: wanted O, or one of B I E S",
    "none of the labels is a class of the machine",
    "the text is not UTF-8",
    "the file looks like binary data: nothing here reads it",  # where a model or a checkpoint is expected
    "expected 2 columns before the tree, got 1",
    "expected document, sentence and roleset before each tree, with tabs between",
)

# --- data -------------------------------------------------------------------------------------------------------------

DATA_COMMANDS = {
    "train": "train {data} out -q",
    "train-online": "train {data} out -q --online",
    "train-stream": "train {data} out -q --online --stream",
    "train-table": "train {data} out -q --target answer -C 1",
    "train-gram": "train {data} out -q -k precomputed --format libsvm",
    "tune": "tune {data} --folds 2 -C 1",
    "tune-online": "tune {data} rows --online -C 1 --epochs 1",
    "tune-held-out": "tune rows {data} -C 1 -d 1",
    "predict": "predict m.rows {data}",
    "predict-trees": "predict m.trees {data}",
    "evaluate": "evaluate m.rows {data}",
    "evaluate-trees": "evaluate m.trees {data}",
    "bench": "bench m.rows {data} --rounds 1 --engine direct",
    "svm-train": "svm-train -q -t 1 {data} out",
    "svm-learn": "svm-learn -v 0 {data} out",
    "svm-learn-trees": "svm-learn -v 0 -t 5 {data} out",
    "svm-predict": "svm-predict {data} m.libsvm out",
    "svm-classify": "svm-classify {data} m.svmlight out",
    "inspect": "inspect {data}",
    "kernel-poly": "kernel {data} -k poly -o out",
    "kernel-sst": "kernel {data} -k sst -o out",
    "explain": "explain m.rows {data}",
    "explain-trees": "explain m.trees {data}",
    "explain-tagger": "explain m.tagger {data}",
    "explain-segmenter": "explain m.segmenter {data}",
    "explain-parser": "explain m.parser {data}",
    "report": "report m.rows --data {data} -o out --no-engines",
    "report-tagger": "report m.tagger --data {data} -o out --no-engines",
    "report-segmenter": "report m.segmenter --data {data} -o out --no-engines",
    "report-parser": "report m.parser --data {data} -o out --no-engines",
    "report-trees": "report m.classifier --data {data} -o out --no-engines",
    "report-roles": "report m.roles --data {data} --props props -o out --no-engines",
    "tag-train": "tag train {data} out -q --epochs 1",
    "tag-train-conllu": "tag train {data} out -q --epochs 1 --conllu upos",
    "tag-run": "tag run m.tagger {data}",
    "tag-evaluate": "tag evaluate m.tagger {data}",
    "tag-evaluate-file": "tag evaluate {data}",
    "tag-convert": "tag convert {data} --tag-scheme IOE2",
    "segment-train": "segment train {data} out -q --epochs 1",
    "segment-run": "segment run m.segmenter {data}",
    "segment-evaluate": "segment evaluate m.segmenter {data}",
    "segment-join": "segment join {data}",
    "tokenize-train": "tokenize train {data} out -q --epochs 1",
    "tokenize-run": "tokenize run m.tokenizer {data}",
    "tokenize-evaluate": "tokenize evaluate m.tokenizer {data}",
    "split-train": "split-words train {data} out -q --epochs 1",
    "split-run": "split-words run m.splitter {data}",
    "split-evaluate": "split-words evaluate m.splitter {data}",
    "lemmatize-train": "lemmatize train {data} out -q --epochs 1",
    "lemmatize-run": "lemmatize run m.lemmatizer {data}",
    "lemmatize-evaluate": "lemmatize evaluate m.lemmatizer {data}",
    "pipeline-train": "pipeline train {data} out -q --folds 0",
    "pipeline-run": "pipeline run m.pipeline {data}",
    "pipeline-run-conllu": "pipeline run m.pipeline {data} --input conllu",
    "pipeline-evaluate": "pipeline evaluate m.pipeline {data}",
    "parse-train": "parse train {data} out -q --epochs 1",
    "parse-run": "parse run m.parser {data}",
    "parse-run-text": "parse run m.parser {data} --text --tagger m.upos",
    "parse-evaluate": "parse evaluate m.parser {data}",
    "parse-system": "parse evaluate conllu --system {data}",
    "parse-draw": "parse draw {data} --number 1",
    "trees-train": "classify-trees train {data} out -q",
    "trees-run": "classify-trees run m.classifier {data}",
    "trees-evaluate": "classify-trees evaluate m.classifier {data}",
    "roles-train": "roles train {data} props out -q",
    "roles-train-props": "roles train sentences {data} out -q",
    "roles-run": "roles run m.roles {data} props",
    "roles-evaluate": "roles evaluate {data} props",
}
DATA = """
                    row lab gra npy tre sen tk  kel pro con col csv csv2 tsv tex seg uns emp jun row lib che sco
train               .   ?   x   x   .   ?   .   .   x   x   x   x   x    x   x   x   x   x   x   x   x   x   x
train-online        .   ?   x   x   x   x   x   x   x   x   x   x   x    x   x   x   x   x   x   x   x   x   x
train-stream        .   ?   x   x   x   x   x   x   x   x   x   x   x    x   x   x   x   x   x   x   x   x   x
train-table         x   ?   x   x   x   x   x   x   x   x   x   .   .    .   x   ?   ?   ?   x   x   x   x   x
train-gram          ?   x   .   x   x   x   x   x   x   x   x   x   x    x   x   x   x   ?   x   x   x   x   x
tune                .   ?   x   x   .   ?   .   .   x   x   x   x   x    x   x   x   x   x   x   x   x   x   x
tune-online         .   ?   x   x   x   x   x   x   x   x   x   x   x    x   x   x   x   x   x   x   x   x   x
tune-held-out       .   ?   x   x   ?   ?   ?   ?   x   x   x   x   x    x   x   x   x   x   x   x   x   x   x
predict             .   .   x   x   x   x   x   x   x   x   x   x   x    x   x   x   x   .   x   x   x   x   x
predict-trees       x   x   x   x   .   .   .   .   x   x   x   x   x    x   x   x   x   .   x   x   x   x   x
evaluate            .   .   x   x   x   x   x   x   x   x   x   x   x    x   x   x   x   .   x   x   x   x   x
evaluate-trees      x   x   x   x   .   ?   .   .   x   x   x   x   x    x   x   x   x   .   x   x   x   x   x
bench               .   .   x   x   x   x   x   x   x   x   x   x   x    x   x   x   x   x   x   x   x   x   x
svm-train           .   ?   x   x   x   x   ?   ?   x   x   x   x   x    x   x   x   x   x   x   x   x   x   x
svm-learn           .   ?   x   x   x   x   ?   ?   x   x   x   x   x    x   x   x   x   x   x   x   x   x   x
svm-learn-trees     ?   ?   x   x   .   ?   .   .   x   x   x   x   x    x   x   x   x   x   x   x   x   x   x
svm-predict         .   .   x   x   x   x   x   x   x   x   x   x   x    x   x   x   x   .   x   x   x   x   x
svm-classify        .   .   x   x   x   x   x   x   x   x   x   x   x    x   x   x   x   .   x   x   x   x   x
inspect             .   .   .   x   .   .   .   .   x   x   x   .   .    .   x   x   x   .   x   .   .   ?   ?
kernel-poly         .   .   x   x   x   x   x   x   x   x   x   x   x    x   x   x   x   x   x   x   x   x   x
kernel-sst          x   x   x   x   .   .   .   .   x   x   x   x   x    x   x   x   x   ?   x   x   x   x   x
explain             .   .   x   x   x   x   x   x   x   x   x   x   x    x   x   x   x   .   x   x   x   x   x
explain-trees       x   x   x   x   .   .   .   .   x   x   x   x   x    x   x   x   x   .   x   x   x   x   x
explain-tagger      x   ?   x   x   x   x   x   x   x   x   .   x   x    .   x   x   ?   .   x   x   x   x   x
explain-segmenter   x   .   x   x   x   x   x   x   x   x   x   .   .    .   .   .   .   .   ?   x   x   x   x
explain-parser      x   x   x   x   x   x   x   x   x   .   x   x   x    x   x   x   x   .   x   x   x   x   x
report              .   .   x   x   x   x   x   x   x   x   x   x   x    x   x   x   x   ?   x   x   x   x   x
report-tagger       x   ?   x   x   x   x   x   x   x   x   .   x   x    ?   x   x   ?   ?   x   x   x   x   x
report-segmenter    x   .   x   x   x   x   x   x   x   .   x   x   x    .   .   .   .   ?   ?   x   x   x   x
report-parser       x   x   x   x   x   x   x   x   x   .   x   x   x    x   x   x   x   ?   x   x   x   x   x
report-trees        x   x   x   x   .   ?   .   .   x   x   x   x   x    x   x   x   x   ?   x   x   x   x   x
report-roles        x   x   x   x   ?   .   x   x   x   x   x   x   x    x   x   x   x   ?   x   x   x   x   x
tag-train           x   ?   x   x   x   x   x   x   x   x   .   x   x    .   x   x   ?   ?   x   x   x   x   x
tag-train-conllu    x   x   x   x   x   x   x   x   x   .   x   x   x    x   x   x   x   ?   x   x   x   x   x
tag-run             x   ?   x   x   x   x   x   x   x   x   .   x   x    .   x   x   ?   .   x   x   x   x   x
tag-evaluate        x   ?   x   x   x   x   x   x   x   x   .   x   x    .   x   x   ?   .   x   x   x   x   x
tag-evaluate-file   x   ?   x   x   x   x   x   x   x   x   .   x   x    .   x   x   ?   .   x   x   x   x   x
tag-convert         x   ?   x   x   x   x   x   x   x   x   .   x   x    ?   x   x   ?   .   x   x   x   x   x
segment-train       x   ?   x   x   x   x   x   x   x   ?   x   x   x    ?   .   .   ?   ?   ?   x   x   x   x
segment-run         x   .   x   x   x   x   x   x   x   x   x   .   .    .   .   .   .   .   ?   x   x   x   x
segment-evaluate    x   .   x   x   x   x   x   x   x   .   x   x   x    .   .   .   .   .   ?   x   x   x   x
segment-join        x   .   x   x   x   x   x   x   x   .   x   x   x    .   .   .   .   .   ?   x   x   x   x
tokenize-train      x   x   x   x   x   x   x   x   x   .   x   x   x    x   x   x   x   ?   x   x   x   x   x
tokenize-run        x   .   x   x   x   x   x   x   x   x   x   .   .    .   .   .   .   .   ?   x   x   x   x
tokenize-evaluate   x   x   x   x   x   x   x   x   x   .   x   x   x    x   x   x   x   ?   x   x   x   x   x
split-train         x   x   x   x   x   x   x   x   x   .   x   x   x    x   x   x   x   ?   x   x   x   x   x
split-run           x   x   x   x   x   x   x   x   x   .   x   x   x    x   x   x   x   .   x   x   x   x   x
split-evaluate      x   x   x   x   x   x   x   x   x   .   x   x   x    x   x   x   x   .   x   x   x   x   x
lemmatize-train     x   x   x   x   x   x   x   x   x   .   x   x   x    x   x   x   x   ?   x   x   x   x   x
lemmatize-run       x   x   x   x   x   x   x   x   x   .   x   x   x    x   x   x   x   .   x   x   x   x   x
lemmatize-evaluate  x   x   x   x   x   x   x   x   x   .   x   x   x    x   x   x   x   .   x   x   x   x   x
pipeline-train      x   x   x   x   x   x   x   x   x   .   x   x   x    x   x   x   x   ?   x   x   x   x   x
pipeline-run        x   .   x   x   x   x   x   x   x   x   .   .   .    .   .   .   .   .   x   x   x   x   x
pipeline-run-conllu x   x   x   x   x   x   x   x   x   .   x   x   x    x   x   x   x   .   x   x   x   x   x
pipeline-evaluate   x   x   x   x   x   x   x   x   x   .   x   x   x    x   x   x   x   .   x   x   x   x   x
parse-train         x   x   x   x   x   x   x   x   x   .   x   x   x    x   x   x   x   ?   x   x   x   x   x
parse-run           x   x   x   x   x   x   x   x   x   .   x   x   x    x   x   x   x   .   x   x   x   x   x
parse-run-text      x   .   x   x   x   x   x   x   x   x   x   .   .    .   .   .   .   .   x   x   x   x   x
parse-evaluate      x   x   x   x   x   x   x   x   x   .   x   x   x    x   x   x   x   .   x   x   x   x   x
parse-system        x   x   x   x   x   x   x   x   x   .   x   x   x    x   x   x   x   ?   x   x   x   x   x
parse-draw          x   x   x   x   x   x   x   x   x   .   x   x   x    x   x   x   x   ?   x   x   x   x   x
trees-train         x   x   x   x   .   ?   .   .   x   x   x   x   x    x   x   x   x   ?   x   x   x   x   x
trees-run           x   x   x   x   .   .   .   .   x   x   x   x   x    x   x   x   x   .   x   x   x   x   x
trees-evaluate      x   x   x   x   .   .   .   .   x   x   x   x   x    x   x   x   x   .   x   x   x   x   x
roles-train         x   x   x   x   ?   .   x   x   x   x   x   x   x    x   x   x   x   ?   x   x   x   x   x
roles-train-props   x   x   x   x   x   x   x   x   .   x   x   x   x    x   x   x   x   ?   x   x   x   x   x
roles-run           x   x   x   x   ?   .   x   x   x   x   x   x   x    x   x   x   x   ?   x   x   x   x   x
roles-evaluate      x   x   x   x   ?   ?   x   x   .   x   x   x   x    x   x   x   x   .   x   x   x   x   x
"""
DATA_FRAGMENTS = {
    "rows": "rows in svmlight format: gristmill train, tune, predict and evaluate take them, and kernel -k poly",
    "labels": "labels without features: a line of svmlight format is",
    "gram": "a Gram matrix in LIBSVM's text format: gristmill train --kernel precomputed --format libsvm takes it",
    "npy": "a NumPy array: numpy.load reads it",
    "trees": "trees: gristmill classify-trees takes them",
    "sentences": "trees: gristmill classify-trees takes them",
    "tk": "examples of SVM-light-TK or KeLP: gristmill classify-trees takes them",
    "kelp": "examples of SVM-light-TK or KeLP: gristmill classify-trees takes them",
    "props": "propositions: gristmill roles takes them as PROPS",
    "conllu": "CoNLL-U: gristmill parse takes it, and segment train and evaluate",
    "columns": "a token a line in columns: gristmill tag takes it",
    "csv": "a table: gristmill train takes it with --target COLUMN",
    "csv2": "a table: gristmill train takes it with --target COLUMN",
    "tsv": "a table: gristmill train takes it with --target COLUMN",
    "text": "text: gristmill segment takes it",
    "segmented": "text: gristmill segment takes it",
    "unsegmented": "text: gristmill segment takes it",
    "empty": "there are no examples in it",
    "junk": "the file looks like binary data",
    "m.rows": "a model file (gristmill safetensors): gristmill inspect shows what it holds",
    "m.libsvm": "a model file (LIBSVM model): gristmill inspect shows what it holds",
    "m.checkpoint": "a checkpoint of online learning: gristmill train --online --resume goes on from it",
    "m.scorer": "a compiled scorer: it is a cache: name the model that it lies beside",
}


def rows_of(table, kinds):
    """The cells of a table by command: for each kind of file a sign. The header has the first letters of kinds."""
    header, *lines = table.strip().splitlines()
    for kind, letters in zip(kinds, header.split(), strict=True):
        assert kind.removeprefix("m.").startswith(letters)
    return {line.split()[0]: dict(zip(kinds, line.split()[1:], strict=True)) for line in lines}


# --- the tests --------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("files")
    with contextlib.chdir(made):
        make_files(made)
    return made


@pytest.fixture(autouse=True)
def in_folder(folder, monkeypatch):
    monkeypatch.chdir(folder)
    nothing = SimpleNamespace(
        Limits=lambda **_: None,
        create_app=lambda *_, **__: None,
        listen=lambda *_: contextlib.nullcontext(),
        address_of=lambda _: "http://127.0.0.1/",
        is_local=lambda _: True,
        serve=lambda *_, **__: None,
    )
    monkeypatch.setattr(serve, "_web", lambda: nothing)  # a server that ends at once
    monkeypatch.setattr(charts, "svg", lambda _: "<svg></svg>")  # drawing takes longest
    return folder


def outcome(command, capfd, folder):
    """Exit code, the error message or None, and whether there is an answer."""
    (folder / "out").unlink(missing_ok=True)
    code = run(command.split())
    said = capfd.readouterr()
    lines = said.err.strip().splitlines()
    assert "Traceback" not in said.err
    assert code in (0, 1, 2)
    if code == 1:  # behind warnings and notes, one line
        assert len([line for line in lines if line.startswith("gristmill: error: ")]) == 1, said.err
        assert lines[-1].startswith("gristmill: error: ")
    return code, lines[-1] if code else None, bool(said.out) or (folder / "out").exists()


def sign(command, kind, fragments, capfd, folder, reasons):
    """What the cell of a table has to be."""
    code, message, answered = outcome(command, capfd, folder)
    if code == 0:
        return "." if answered or kind == "empty" else f"exit 0 without an answer: {command}"
    if kind not in message and not any(
        name in message for name in ("props:1:1", "conllu: ", "columns: ", "treebank: ")
    ):  # the file beside it
        return f"does not name the file: {message}"
    if fragments[kind] in message:
        return "x"
    return "?" if any(text in message for text in reasons) else f"unexpected: {message}"


def test_the_tables_are_whole():
    assert list(rows_of(MODELS, MODEL_FRAGMENTS)) == list(MODEL_COMMANDS)
    assert list(rows_of(DATA, DATA_FRAGMENTS)) == list(DATA_COMMANDS)


def fragments_for(command):
    """`gristmill evaluate` names the subcommand `evaluate` of the app; that of roles takes no model."""
    if command != "evaluate":
        return MODEL_FRAGMENTS
    return {
        kind: text if kind == "m.roles" else text.replace(" run`", " evaluate`")
        for kind, text in MODEL_FRAGMENTS.items()
    }


@pytest.mark.parametrize("name", MODEL_COMMANDS)
def test_each_kind_of_model_is_used_or_refused(name, capfd, folder):
    found = {}
    for kind in MODEL_FRAGMENTS:
        data = "rows" if name in FOR_MACHINES and DATA_FOR.get(kind) != "trees" else DATA_FOR.get(kind, "rows")
        command = MODEL_COMMANDS[name].format(model=kind, data=data)
        command += " --props props" * (name == "report" and kind == "m.roles")
        found[kind] = sign(command, kind, fragments_for(name), capfd, folder, OTHER_REASONS)
    assert found == rows_of(MODELS, MODEL_FRAGMENTS)[name]


@pytest.mark.parametrize("name", DATA_COMMANDS)
def test_each_kind_of_data_is_used_or_refused(name, capfd, folder):
    commands = {kind: DATA_COMMANDS[name].format(data=kind) for kind in DATA_FRAGMENTS}
    found = {
        kind: sign(command, kind, DATA_FRAGMENTS, capfd, folder, OTHER_REASONS) for kind, command in commands.items()
    }
    assert found == rows_of(DATA, DATA_FRAGMENTS)[name]
