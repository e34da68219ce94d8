"""Damage to bytes: what editors, transfers and adversaries do to a sound file."""

from __future__ import annotations

import re

NUMBER = re.compile(rb"[-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?")
TOKENS = (
    *(b"", b"0", b"-1", b"1.5", b"+", b"-", b".", b":", b"#", b"\0", b"1:1", b"true", b"null", b"x", b"1e", b"0x1p3"),
    *(b"nan", b"-nan", b"inf", b"-inf", b"1e999", b"-1e999", b"1e-999", b"1e308", b"5e-324", b"9" * 400),
    *(b"2147483646", b"2147483647", b"2147483648", b"4294967296", b"-2147483649", b"9223372036854775808", b"16777216"),
    *(
        b"(",
        b")",
        b"()",
        b"*1",
        b"\\",
        b'"',
        b"\t",
        b" ",
        b"\r\n",
        b"\n\n",
        b"_",
        b"|",
        b",",
        b";",
        b"\xef\xbb\xbf",
        b"\xff",
    ),
)
WORDS = (0, 1, 2, 3, 5, 8, 255, 2**31 - 1, 2**31, 2**32 - 1, 0x7FF00000, 0x01000000)


def damaged(rng, data):
    """The bytes with a few steps of damage."""
    for _ in range(rng.choice([1, 1, 1, 2, 4, 8])):
        data = rng.choice(STEPS)(rng, data)
    return data


def damaged_words(rng, data):
    """Binary data with other numbers in it and, as a rule, the size it had: most is checked only then."""
    if rng.random() < 0.3:
        return damaged(rng, data)
    changed = bytearray(data)
    for _ in range(rng.choice([1, 1, 2, 4, 8])):
        at = 4 * rng.randrange(len(data) // 4)
        word = int.from_bytes(changed[at : at + 4], "little")
        other = rng.choice([rng.choice(WORDS), rng.choice(WORDS), word ^ (1 << rng.randrange(32)), word + 1, word - 1])
        changed[at : at + 4] = (other % 2**32).to_bytes(4, "little")
    return bytes(changed)


def _place(rng, data):
    return rng.randrange(len(data) + 1)


def _stretch(rng, data):
    start = _place(rng, data)
    return start, min(len(data), start + rng.choice([1, 2, 5, 20, 100]))


def _flip(rng, data):
    at = _place(rng, data)
    return data[:at] + bytes(byte ^ (1 << rng.randrange(8)) for byte in data[at : at + 1]) + data[at + 1 :]


def _insert(rng, data):
    at = _place(rng, data)
    return data[:at] + rng.choice([rng.randbytes(rng.choice([1, 1, 8])), rng.choice(TOKENS)]) + data[at:]


def _delete(rng, data):
    start, end = _stretch(rng, data)
    return data[:start] + data[end:]


def _repeat(rng, data):
    start, end = _stretch(rng, data)
    return data[:end] + data[start:end] * rng.choice([1, 1, 30]) + data[end:]


def _move(rng, data):
    start, end = _stretch(rng, data)
    at = _place(rng, data)
    return data[:at] + data[start:end] + data[at:]


def _truncate(rng, data):
    return data[: _place(rng, data)]


def _swap_lines(rng, data):
    lines = data.split(b"\n")
    one, other = rng.randrange(len(lines)), rng.randrange(len(lines))
    lines[one], lines[other] = lines[other], lines[one]
    return b"\n".join(lines)


def _replace_number(rng, data):
    numbers = list(NUMBER.finditer(data))
    if not numbers:
        return data
    chosen = rng.choice(numbers)
    return data[: chosen.start()] + rng.choice(TOKENS) + data[chosen.end() :]


STEPS = (_flip, _insert, _delete, _repeat, _move, _truncate, _swap_lines, _replace_number, _replace_number)
