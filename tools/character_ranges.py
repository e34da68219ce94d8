"""Writes core/text/character_ranges.hpp: the types of all characters and their lower case, from Python's Unicode.

    python tools/character_ranges.py > core/text/character_ranges.hpp

Characters that Unicode has not assigned take the type of the last one before them, which keeps the table short.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

_SCRIPTS = {
    "HIRAGANA": "hiragana",
    "KATAKANA": "katakana",
    "HALFWIDTH KATAKANA": "katakana",
    "HANGUL": "hangul",
    "HALFWIDTH HANGUL": "hangul",
    "CJK": "han",
    "IDEOGRAPHIC": "han",
    "THAI": "thai",
}
_UNKNOWN = ("Cn", "Co", "Cs")
_WIDTH = 120


def type_of(character: str) -> str:
    """The type of an assigned character."""
    category = unicodedata.category(character)
    if category[0] == "Z" or character in "\t\n\v\f\r":
        return "space"
    if category == "Nd":
        return "digit"
    if category not in ("Lu", "Lt", "Ll", "Lm", "Lo", "Nl", "Mn", "Mc", "Me"):
        return "symbol"
    name = unicodedata.name(character, "")
    script = next((kind for start, kind in _SCRIPTS.items() if name.startswith(start)), None)
    return script or {"Lu": "upper", "Lt": "upper", "Ll": "lower"}.get(category, "letter")


def types() -> list[tuple[int, str]]:
    """Where each run of one type begins; 'paired' is upper, lower, upper, lower, ..."""
    known = [
        (point, type_of(chr(point))) for point in range(0x110000) if unicodedata.category(chr(point)) not in _UNKNOWN
    ]
    runs = list[list[tuple[int, str]]]()
    for point, kind in known:
        if runs and runs[-1][-1][1] == kind:
            runs[-1].append((point, kind))
        else:
            runs.append([(point, kind)])
    return list(_paired([(run[0][0], run[0][1], run[-1][0]) for run in runs]))


def _paired(runs: list[tuple[int, str, int]]) -> Iterator[tuple[int, str]]:
    at = 0
    while at < len(runs):
        end = at
        while (
            end + 1 < len(runs)
            and _single(runs[end], "upper")
            and _single(runs[end + 1], "lower")
            and (end == at or runs[end][0] == runs[end - 1][0] + 1)
            and runs[end + 1][0] == runs[end][0] + 1
        ):
            end += 2
            if end >= len(runs):
                break
        if end - at >= 4:
            yield runs[at][0], "paired"
            at = end
        else:
            yield runs[at][0], runs[at][1]
            at += 1


def _single(run: tuple[int, str, int], kind: str) -> bool:
    return run[0] == run[2] and run[1] == kind


def lower_cases() -> list[tuple[int, int, int, int]]:
    """Runs of characters (first, last, step) whose lower case lies equally far away; only where it is one character."""
    found = list[list[int]]()
    for point in range(0x110000):
        lower = chr(point).lower()
        if len(lower) != 1 or ord(lower) == point:
            continue
        away = ord(lower) - point
        last = found[-1] if found else None
        if last and last[3] == away and point - last[1] == (last[2] or point - last[1]) and point - last[1] <= 2:
            last[1], last[2] = point, point - last[1]
        else:
            found.append([point, point, 0, away])
    return [(first, last, step or 1, away) for first, last, step, away in found]


def lines(cells: list[str]) -> Iterator[str]:
    """As many cells a line as fit."""
    line = "   "
    for cell in cells:
        if len(line) + len(cell) + 2 > _WIDTH:
            yield line
            line = "   "
        line += f" {cell},"
    yield line


def main() -> None:
    print("// SPDX-License-Identifier: BSD-3-Clause")
    print(f"// Made by tools/character_ranges.py from Unicode {unicodedata.unidata_version}. Not to be edited.")
    print("// clang-format off")
    print("#pragma once\n#include <cstdint>\n")
    print('#include "text/characters.hpp"\n')
    print("namespace gristmill::text::character_tables {\n")
    print("struct TypeRange {\n  std::uint32_t first;  // up to the next one\n  CharacterType type;\n};\n")
    print("struct LowerRange {\n  std::uint32_t first;\n  std::uint32_t last;")
    print("  std::uint32_t step;\n  std::int32_t away;\n};\n")
    print("using enum CharacterType;\n")
    print("inline constexpr TypeRange type_ranges[] = {")
    print("\n".join(lines([f"{{0x{first:X}, {kind}}}" for first, kind in types()])))
    print("};\n\ninline constexpr LowerRange lower_ranges[] = {")
    print("\n".join(lines([f"{{0x{a:X}, 0x{b:X}, {step}, {away}}}" for a, b, step, away in lower_cases()])))
    print("};\n\n}  // namespace gristmill::text::character_tables")


if __name__ == "__main__":
    main()
