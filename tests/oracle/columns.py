"""Files of columns, by the book: sentences of tokens, and the same text with a column more."""

from __future__ import annotations

import re

BLANKS = " \t\r"


class UnevenError(Exception):
    """A line has more or fewer cells than the first one; args: its number, and the column behind it."""


def lines(text):
    """Each with what ends it."""
    return re.findall(r"[^\n]*\n|[^\n]+", text)


def content(line, tabs):
    line = line.removesuffix("\n")
    return line.removesuffix("\r") if tabs else line.rstrip(BLANKS)


def is_blank(line):
    return line.strip(BLANKS + "\n") == ""


def cells_of(line, tabs):
    own = content(line, tabs)
    return own.split("\t") if tabs else re.split("[ \t]+", own.lstrip(" \t"))


def has_several(text, tabs):
    """Whether tokens have several cells: by the first line that is not blank and not EOS."""
    rest = (line for line in lines(text) if not is_blank(line) and content(line, tabs) != "EOS")
    return any(len(cells_of(line, tabs)) > 1 for line in list(rest)[:1])


def read(text, tabs=False):
    """Sentences, and for each line whether it is a token. Where tokens have several cells, EOS is none."""
    sentences, tokens, columns, kinds = [], [], 0, []
    several = has_several(text, tabs)
    for number, line in enumerate(lines(text), 1):
        own, cells = content(line, tabs), cells_of(line, tabs)
        is_token = not is_blank(line) and not (several and own == "EOS")
        kinds.append(is_token)
        if is_token:
            columns = columns or len(cells)
            if len(cells) != columns:
                raise UnevenError(number, len(own.encode()) + 1)
            tokens.append(tuple(cells))
        elif tokens:
            sentences.append(tokens)
            tokens = []
    return sentences + [tokens] * bool(tokens), kinds


def with_column(text, words, tabs=False, replace=False):
    """A word more in the line of each token, behind the blank that stands before its last cell; or in its place."""
    sentences, kinds = read(text, tabs)
    columns = max((len(token) for sentence in sentences for token in sentence), default=0)
    words, made = iter(words), ""
    for line, is_token in zip(lines(text), kinds, strict=True):
        if is_token:
            own, last = content(line, tabs), cells_of(line, tabs)[-1]
            blank = "\t" if tabs or columns < 2 else re.findall("[ \t]", own)[-1]
            made += (own[: len(own) - len(last)] if replace else own + blank) + next(words)
            made += "\r\n" if line.endswith("\r\n") else "\n"
        else:
            made += line if line.endswith("\n") else line + "\n"
    return made
