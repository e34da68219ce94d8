"""Kinds of files, recognised by their first lines: for messages that say what was got, and what takes it.

Nothing is read by what is found here. A reader refuses a file only if its kind is certain and another one, and explains
an error by what the file looks like.
"""

from __future__ import annotations

import csv
import re
from typing import NamedTuple

from gristmill.base.lazy import late

_HEAD = 1 << 14  # bytes that are looked at
_BOM = b"\xef\xbb\xbf"

PARQUET = b"PAR1"  # how such files begin

# first lines of examples of trees, also used by their readers
FIRST_LINE = re.compile(rb"^[^\S\n]*[^\s#].*", re.MULTILINE)  # that is not blank and no comment
KELP_LINE = re.compile(rb"[^(|]*\|B(?:S|[A-Z]+:[^|]*)\|")  # |BT:name|
SVMLIGHT_TK_LINE = re.compile(rb"[^(|]*\|(?:BT|BV|EV)\||[^(|]*\(.*\)\s*\|STD\|[^()]*$")

_ROW = re.compile(rb"\S+((?:\s+(?:qid|sid|cost|\d+):[-+.\deEinfaINFA]+)*)\s*(?:#.*)?")
_GRAM = re.compile(rb"\S+\s+0:(\d{1,9})\s+1:\S+(?:\s+\d+:\S+)*\s*")
_CONLLU = re.compile(rb"[0-9]+(?:[-.][0-9]+)?(?:\t[^\t]*){6}")
_PROPOSITION = re.compile(rb"[^\t(]+\t[^\t(]+\t\d+(?:\t[^\t]*(?:\t(\d+-\d+:\S+.*)?)?)?")
_NAMES = re.compile(rb'"?\w+"?(?:([,;|])"?\w+"?)(?:\1"?\w+"?)+')  # of columns: three and more
_CHUNK_TAG = re.compile(rb"O|[BIESLU]-\S+")
_TREE_BEGIN = re.compile(rb"\s*\(?[^()\s]")  # behind a bracket; a token may be one
CONTROL = re.compile(rb"[\x01-\x08\x0e-\x1a\x1c-\x1f]")
_BRACKETS = re.compile(rb"\\.|[()]")


class Kind(NamedTuple):
    """What a file may hold, and what to do with it."""

    title: str
    advice: str


class Found(NamedTuple):
    """What a file holds, or seems to."""

    kind: Kind
    certain: bool
    detail: str = ""

    def __str__(self) -> str:
        return f"{self.kind.title}{self.detail}: {self.kind.advice}"


_FOR_TREES = "gristmill classify-trees takes them; train, tune and kernel with a tree kernel, as -k sst"

ROWS = Kind("rows in svmlight format", "gristmill train, tune, predict and evaluate take them, and kernel -k poly")
LABELS = Kind("labels without features", "a line of svmlight format is `label id:value id:value ...`")
GRAM = Kind(
    "a Gram matrix in LIBSVM's text format", "gristmill train --kernel precomputed --format libsvm takes it, and LIBSVM"
)
ARRAY = Kind("a NumPy array", 'numpy.load reads it; a Gram matrix is for KernelSVC(kernel="precomputed") in Python')
TREES = Kind("trees", _FOR_TREES)
TREE_EXAMPLES = Kind("examples of SVM-light-TK or KeLP", _FOR_TREES)
CONLLU = Kind(
    "CoNLL-U",
    "gristmill parse takes it, and segment train and evaluate; pipeline, tokenize, split-words and lemmatize; tag "
    "train with --conllu upos, for parse --tagger",
)
PROPOSITIONS = Kind("propositions", "gristmill roles takes them as PROPS, beside TREES")
COLUMNS = Kind("a token a line in columns", "gristmill tag takes it")
TABLE = Kind(
    "a table",
    "gristmill train takes it with --target COLUMN, and predict and evaluate for the model that comes of it",
)
TEXT = Kind("text", "gristmill segment takes it, tokenize run, pipeline run, and parse --text")
SEGMENTED = Kind("segmented text", "gristmill segment train and evaluate take it")
MODEL = Kind("a model file", "gristmill inspect shows what it holds")
CHECKPOINT = Kind("a checkpoint of online learning", "gristmill train --online --resume goes on from it")
SCORER = Kind("a compiled scorer", "it is a cache: name the model that it lies beside")
UTF16 = Kind("text in UTF-16", "convert it to UTF-8")
BINARY = Kind("binary data", "nothing here reads it")
EMPTY = Kind("an empty file", "there is nothing to read in it")

_SAFETENSORS = ((b'"gristmill-checkpoint"', CHECKPOINT), (b'"gristmill-scorer"', SCORER))


def kind_of(data: bytes) -> Found:
    """The kind of a file by its content, or by the beginning of it."""
    head = data[:_HEAD].removeprefix(_BOM)
    if not head.strip():
        return Found(EMPTY, False)
    if head.startswith(b"\x93NUMPY"):
        return Found(ARRAY, True)
    if head.startswith(PARQUET):
        return Found(TABLE, True, " in Parquet")
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return Found(UTF16, False)
    lines = [] if b"\0" in head else _whole_lines(head, len(data) > _HEAD)
    filled = [line for line in lines if line.strip()]
    telling = [line for line in filled if not line.lstrip().startswith(b"#")] or filled
    found = (telling and _rows(telling)) or _model(head)  # a label may be the name of a program
    if found or not telling:
        return found or Found(BINARY, False)
    return _trees(telling) or _tabbed(telling) or _loose(telling, len(filled) < len(lines))


def _whole_lines(head: bytes, cut: bool) -> list[bytes]:
    lines = head.splitlines()
    return lines[:-1] if cut and len(lines) > 1 else lines


def _model(head: bytes) -> Found | None:
    known = late("gristmill.machines.formats:recognise")(head)
    if known is None:
        return None
    kept = next((kind for key, kind in _SAFETENSORS if key in head[:1024]), None)
    certain = b"\0" in head or known.NAME != "opal" or head.startswith(b"opal #")  # text may begin with this word
    return Found(kept or MODEL, certain, "" if kept else f" ({known.TITLE})")


# --- kinds of lines ---------------------------------------------------------------------------------------------------


def _rows(lines: list[bytes]) -> Found | None:
    """Words and times, `Lunch 12:30`, look the same: numbers as labels make it certain."""
    matches = [match for line in lines if (match := _ROW.fullmatch(line.strip()))]
    most = max((len(match[1].split()) for match in matches), default=0)
    if len(matches) < len(lines) or not most:
        return None
    numbered = all(_is_number(line.split()[0].decode("latin-1")) for line in lines)
    numbers = [_GRAM.fullmatch(line.strip()) for line in lines]
    counted = [int(match[1]) for match in numbers if match] == list(range(1, len(lines) + 1))
    return Found(GRAM, True) if counted and len(lines) > 1 else Found(ROWS, numbered)


def _trees(lines: list[bytes]) -> Found | None:
    if KELP_LINE.match(lines[0]) or SVMLIGHT_TK_LINE.match(lines[0]):
        return Found(TREE_EXAMPLES, True)
    before, bracket, inside = lines[0].partition(b"(")
    in_place = not before.strip() or before.rstrip(b" ").endswith(b"\t")
    if not bracket or not in_place or _TREE_BEGIN.match(inside) is None:
        return None
    return Found(TREES, _is_bracketed(lines))


def _is_bracketed(lines: list[bytes]) -> bool:
    """Whether nothing but columns with tabs stands outside of brackets, and some are within others, unlike in text."""
    depth = deepest = 0
    for line in lines:
        at = 0
        for bracket in _BRACKETS.finditer(line):
            between, at = line[at : bracket.start()], bracket.end()
            if depth == 0 and between.strip() and not between.endswith(b"\t"):
                return False
            depth += {b"(": 1, b")": -1}.get(bracket[0], 0)
            deepest = max(depth, deepest)
        if depth < 0 or (depth == 0 and line[at:].strip()):
            return False
    return deepest > 1


def _tabbed(lines: list[bytes]) -> Found | None:
    """CoNLL-U, or propositions."""
    if all(map(_CONLLU.match, lines)):
        return Found(CONLLU, all(line.count(b"\t") == 9 for line in lines))
    propositions = [_PROPOSITION.fullmatch(line.rstrip(b"\r")) for line in lines]
    if all(propositions):
        return Found(PROPOSITIONS, any(match and match[1] for match in propositions))
    return None


def _loose(lines: list[bytes], has_blank: bool) -> Found:
    """Tables, columns and text, which are hard to tell apart."""
    cells = [line.split() for line in lines]
    even = len({len(line) for line in cells}) == 1 and len(cells[0]) > 1
    if even and all(_CHUNK_TAG.fullmatch(line[-1]) for line in cells) and any(line[-1] != b"O" for line in cells):
        return Found(COLUMNS, True)
    if even and has_blank:
        return Found(COLUMNS, False)
    table = _table(lines)
    if table is not None:
        return table
    if all(len(line) == 1 and line[0].isascii() for line in cells):
        return Found(LABELS, False)
    return Found(BINARY if any(map(CONTROL.search, lines)) else TEXT, False)


def _table(lines: list[bytes]) -> Found | None:
    """Lines with as many commas, semicolons, tabs or bars each; certain with three columns, one of them of numbers."""
    if len(lines) == 1:
        return Found(TABLE, False, " without rows") if _NAMES.fullmatch(lines[0].strip()) else None
    for mark in ",;\t|":
        if mark.encode() not in lines[0]:
            continue
        rows = list(csv.reader((line.decode("latin-1") for line in lines), delimiter=mark))
        if len({len(row) for row in rows}) == 1:
            numbers = any(all(map(_is_number, column)) for column in zip(*rows[1:], strict=True))
            return Found(TABLE, mark in ",;" and len(rows[0]) > 2 and len(rows) > 2 and numbers)
    return None


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True
