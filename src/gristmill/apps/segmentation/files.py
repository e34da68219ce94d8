"""Files of words: segmented text, a sentence a line, or CoNLL-U. Text without boundaries is text.

In segmented text every gap between words is one space that was added, then the white space of the text itself. Where
no gap is one space but all are two or more, or ideographic ones, as in the corpora of SIGHAN's bakeoffs, each of them
is what was added between two words: that text has no white space of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from gristmill import _core
from gristmill.apps.columns import BOM, begin_of_last, decoded_lines
from gristmill.apps.parsing.surface import SurfaceSentence, surface_blocks
from gristmill.base.errors import naming
from gristmill.base.files import PathLike, display_name, line_blocks, writing
from gristmill.data.formats.kinds import CONLLU, SEGMENTED, TABLE, TEXT
from gristmill.data.formats.reading import reading

BLOCK = 1 << 20  # bytes of a file that are worked on at once

Sentences = str | Iterable[str | Sequence[str]]

_SPACE = "\t-\r \xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"  # as the core knows it
_GAP = re.compile(f"([{_SPACE}]+)")
_INNER_GAP = re.compile(f"(?<=[^{_SPACE}])[{_SPACE}]+(?=[^{_SPACE}])")
_WIDE_GAP = re.compile("(?:  |\u3000)[ \u3000]*")
_TOKEN = re.compile(rb"[0-9]+(?:[-.][0-9]+)?\t")
_COMMENT = re.compile(rb"# (?:sent_id|text) = ")  # segmented text would have two spaces in each gap
_ESCAPE = re.compile(r"\\([strnp\\])")
_ESCAPED = {"s": " ", "t": "\t", "r": "\r", "n": " ", "p": "|", "\\": "\\"}  # a sentence is one line


def as_bytes(text: str) -> bytes:
    """UTF-8; ValueError where there is none."""
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise ValueError(f"character {error.start} of the text is half a surrogate pair: UTF-8 has none") from error


def segmented_bytes(sentences: Sentences) -> bytes:
    """Segmented text of sentences that are lists of words, or segmented text themselves."""
    if isinstance(sentences, str):
        return as_bytes(sentences)
    lines = (one if isinstance(one, str) else " ".join(_checked(one, at)) for at, one in enumerate(sentences))
    return as_bytes("".join(f"{line}\n" for line in lines))


def _checked(words: Sequence[str], number: int) -> Sequence[str]:
    for word in words:
        if not isinstance(word, str) or not word or _GAP.search(word):
            raise ValueError(
                f"sentence {number}, counted from 0: expected words without white space, got {word!r}; where the text "
                "itself has spaces, give segmented text: one space between words, then those of the text"
            )
    return words


def text_blocks(path: PathLike) -> Iterator[bytes]:
    """A file of any size, some lines at a time; a byte order mark comes alone."""
    with reading(path, TEXT, also=(TABLE,)) as looked:
        yield from _marked_blocks(looked.blocks(line_blocks(path, BLOCK)))


def _marked_blocks(blocks: Iterator[bytes]) -> Iterator[bytes]:
    first = next(blocks, b"")
    if first.startswith(BOM):
        yield BOM
    yield from chain([first.removeprefix(BOM)], blocks)


def segmented_blocks(path: PathLike, *, mark: bool = False, wide: bool = True) -> Iterator[bytes]:
    """The sentences of a file of either format as segmented text, some at a time.

    mark : whether a byte order mark is let through, alone
    wide : whether gaps may be wide, as SIGHAN's are; what was segmented here is not joined again otherwise
    """
    with reading(path, SEGMENTED, CONLLU) as looked:
        blocks = _marked_blocks(looked.blocks(line_blocks(path, BLOCK)))
        begin = list[bytes]()
        for block in blocks:
            begin.append(block)
            if any(map(_is_telling, block.removeprefix(BOM).splitlines())):
                break
        if is_conllu(b"".join(begin)):
            yield from segmented_conllu(block for block in chain(begin, blocks) if block != BOM)
        else:
            found = (block for block in chain(begin, blocks) if mark or block != BOM)
            yield from with_narrow_gaps(found) if wide else found


def split_segmented(text: bytes, share: float) -> tuple[bytes, bytes]:
    """The lines of segmented text but for the last share of them, and these; ValueError unless both have some."""
    lines = [line + b"\n" for line in text.removesuffix(b"\n").split(b"\n")]
    at = begin_of_last(len(lines), share)
    return b"".join(lines[:at]), b"".join(lines[at:])


def with_narrow_gaps(blocks: Iterable[bytes]) -> Iterator[bytes]:
    """Segmented text with one space between words where all gaps are wide, as SIGHAN's are; else as it is."""
    is_wide, number = None, 1
    for block in blocks:
        if is_wide is None:
            is_wide = _has_wide_gaps(block.decode(errors="replace"))
        yield _narrowed(decoded_lines(block, number)) if is_wide else block
        number += block.count(b"\n")


def _has_wide_gaps(text: str) -> bool | None:
    """Whether gaps between words are two spaces or more, or ideographic ones, without exception; None without gaps."""
    found = None
    for gap in _INNER_GAP.finditer(text):
        if "\n" not in gap[0]:
            if not _WIDE_GAP.fullmatch(gap[0]):
                return False
            found = True
    return found


def _narrowed(text: str) -> bytes:
    """Words with one space between, each line without white space before and behind."""
    return "\n".join(" ".join(word for word in _GAP.split(line)[::2] if word) for line in text.split("\n")).encode()


def join_file(path: PathLike, output: PathLike) -> None:
    """Write a file of segmented text, or the text of CoNLL-U, without the spaces that were added between words."""
    number = 1
    with writing(output) as out:
        for block in segmented_blocks(path, mark=True, wide=False):
            if block == BOM:
                out.write(BOM)
                continue
            with naming(display_name(path)):
                lines = _core.CharacterLines(block, True, number)
            out.write(lines.joined())
            number += len(lines)


# --- CoNLL-U ----------------------------------------------------------------------------------------------------------


def is_conllu(text: bytes) -> bool:
    """Whether it begins as CoNLL-U does, be it sound or not: with its comments, or a number and a tab."""
    for line in text.removeprefix(BOM).splitlines():
        if _COMMENT.match(line):
            return True
        if _is_telling(line):
            return _TOKEN.match(line) is not None
    return False


def _is_telling(line: bytes) -> bool:
    return bool(line.strip()) and not line.startswith(b"#")


def segmented_conllu(blocks: Iterable[bytes]) -> Iterator[bytes]:
    """The sentences of CoNLL-U as segmented text, some at a time."""
    for sentences in surface_blocks(blocks):
        yield "".join(f"{_segmented(sentence)}\n" for sentence in sentences).encode()


def _segmented(sentence: SurfaceSentence) -> str:
    words = (_GAP.sub(r" \1", token.form) + " " + _space_after(token.misc) for token in sentence.tokens)
    return "".join(words).rstrip(" ")


def _space_after(misc: str) -> str:
    """The white space of the text behind a word."""
    for part in misc.split("|"):
        name, _, value = part.partition("=")
        if name == "SpaceAfter" and value == "No":
            return ""
        if name == "SpacesAfter":
            spelled = _ESCAPE.sub(lambda found: _ESCAPED[found[1]], value)
            return spelled if _GAP.fullmatch(spelled) else " "
    return " "
