"""Corpora as they lie on disk: sentences as lists of tokens, a token as its columns."""

from __future__ import annotations

import gzip
from collections.abc import Iterator

from benchmarks.measure import corpora

Token = list[str]


def chunked(part: str) -> Iterator[list[Token]]:
    """CoNLL-2000: word, part of speech, chunk tag."""
    for lines in _blocks(f"chunking/{part}.txt.gz", "latin-1"):
        yield [line.split() for line in lines]


def treebank(name: str) -> Iterator[list[Token]]:
    """CoNLL-U, words only: no comments, no ranges, no empty nodes."""
    for lines in _blocks(f"dep/{name}.conllu.gz", "utf-8"):
        columns = [line.split("\t") for line in lines if not line.startswith("#")]
        yield [token for token in columns if token[0].isdigit()]


def _blocks(path: str, encoding: str) -> Iterator[list[str]]:
    with gzip.open(corpora() / path, "rt", encoding=encoding) as file:
        text = file.read()
    for block in text.split("\n\n"):
        if block.strip():
            yield block.strip("\n").split("\n")
