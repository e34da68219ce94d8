"""UDPipe 1 in a process of its own: python -m benchmarks.udpipe train TRAIN DEV MODEL | run MODEL TEXT -o OUTPUT

`train` takes UDPipe's defaults; DEV may be `-`. PyPI's `ufal.udpipe` has to be installed.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any


def train(train: str, dev: str, model: str) -> None:
    from ufal import udpipe

    error, default = udpipe.ProcessingError(), udpipe.Trainer.DEFAULT
    parts = _read(train), udpipe.Sentences() if dev == "-" else _read(dev)
    learned = udpipe.Trainer.train("morphodita_parsito", *parts, default, default, default, error)
    _check(error)
    data = learned.encode("utf-8", "surrogateescape") if isinstance(learned, str) else bytes(learned)
    Path(model).write_bytes(data)


def run(model: str, text: str, _: str, output: str) -> None:
    from ufal import udpipe

    default, error = udpipe.Pipeline.DEFAULT, udpipe.ProcessingError()
    loaded = udpipe.Model.load(model)  # the pipeline does not keep it alive
    pipeline = udpipe.Pipeline(loaded, "tokenize", default, default, "conllu")
    found = pipeline.process(Path(text).read_text(encoding="utf-8"), error)
    _check(error)
    Path(output).write_text(found, encoding="utf-8")


def _read(path: str) -> Any:
    from ufal import udpipe

    error, sentences, sentence = udpipe.ProcessingError(), udpipe.Sentences(), udpipe.Sentence()
    reader = udpipe.InputFormat.newConlluInputFormat()
    reader.setText(Path(path).read_text(encoding="utf-8"))
    while reader.nextSentence(sentence, error):
        sentences.append(sentence)
        sentence = udpipe.Sentence()
    _check(error)
    return sentences


def _check(error: Any) -> None:
    if error.occurred():
        sys.exit(error.message)


if __name__ == "__main__":
    (train if sys.argv[1] == "train" else run)(*sys.argv[2:])
