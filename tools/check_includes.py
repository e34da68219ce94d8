"""Holds the C++ core to its rooms: what a file includes, its namespace, and what no file of the core may use.

    python tools/check_includes.py

The rooms and what each needs are the room(...) lines of CMakeLists.txt. A file may include its own room and the rooms
that it needs, directly or through others. Its namespace is that of its folder.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
CORE = ROOT / "core"
NAMESPACES = {"base": "inline base", "kernel/operator": "kernel::gram"}  # operator is a word of the language
FORBIDDEN = {  # where the core meets the world is api/, and the bindings
    r"#include <(iostream|fstream|filesystem|cstdio|print)>": "the core neither prints nor opens files",
    r'#include [<"](Python|nanobind)': "the core knows no Python",
}


def rooms() -> dict[str, tuple[list[str], list[str]]]:
    """Of each room its folders, and the rooms it needs."""
    text = re.sub(r"#.*", "", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8"))
    found = {}
    for call in re.findall(r"^room\(([^)]*)\)", text, re.MULTILINE):
        name, *words = call.split()
        parts: dict[str, list[str]] = {}
        for word in words:
            if word.isupper():
                parts[word] = []
            else:
                parts[list(parts)[-1]].append(word)
        found[name] = (parts["FOLDERS"], parts.get("NEEDS", []))
    return found


def allowed(table: dict[str, tuple[list[str], list[str]]]) -> dict[str, set[str]]:
    """Of each folder those that its files may include. Rooms stand below those that need them."""
    seen: dict[str, set[str]] = {}
    folders: dict[str, set[str]] = {}
    for name, (own, needs) in table.items():
        seen[name] = set(own).union(*(seen[need] for need in needs))
        folders.update(dict.fromkeys(own, seen[name]))
    return folders


def namespace_of(folder: str) -> str:
    return NAMESPACES.get(folder, folder.replace("/", "::"))


def problems(path: Path, folders: dict[str, set[str]]) -> Iterator[tuple[int, str]]:
    """Line and message of each."""
    folder = path.parent.relative_to(CORE).as_posix()
    if folder not in folders:
        yield 1, f"core/{folder} is no folder of a room in CMakeLists.txt"
        return
    text = path.read_text(encoding="utf-8")
    opened = set(re.findall(r"^namespace (gristmill\S*(?: base)?)", text, re.MULTILINE))
    own = f"gristmill::{namespace_of(folder)}"
    if any(name != own and not name.startswith(own + "::") for name in opened):
        yield 1, f"the namespace of core/{folder} is {own}, got {', '.join(sorted(opened))}"
    for number, line in enumerate(text.splitlines(), 1):
        if (include := re.match(r'#include "(.*)/[^/]*"', line)) and include[1] not in folders[folder]:
            yield number, f"core/{folder} may not include {include[1]}"
        if path.suffix == ".hpp" and re.match(r"using namespace ", line):
            yield number, "a header opens no namespace for those who include it"
        yield from ((number, reason) for pattern, reason in FORBIDDEN.items() if re.match(pattern, line))


def main() -> int:
    folders = allowed(rooms())
    found = [
        f"{path.relative_to(ROOT)}:{line}: {message}"
        for path in sorted(CORE.rglob("*.[ch]pp"))
        for line, message in problems(path, folders)
    ]
    print("\n".join(found) or f"includes of {len(folders)} folders point one way")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
