"""Edit scripts: how one text is made of another, as rules that fit other texts too (Straka 2018, section 3.3).

    lower:=--+e+r     the form in lower case, its last two characters replaced by er
    title:.+ =        a space behind the first character, which becomes a capital; the rest as it is, in lower case
    keep:-=           the first character left out; case as it is in the form
    alike!à le        à le, whatever the form is; À le, if that begins with a capital

A script says how the result is cased (alike: as the form, be that lower, title or upper), then what becomes of the
beginning and of the end of the form: `-` leaves a character out, `.` keeps one, `+x` puts x in; `=` is the part
between, which stays. Where form and result share nothing, the result is the script. Of scripts with one result that
of the first casing that gives it is taken, with the longest part that stays; the leftmost one in the result, then in
the form, of those that are as long.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

_SCRIPT = re.compile(r"(lower|title|upper|alike|keep)(?::((?:[-.]|\+.)*)=((?:[-.]|\+.)*)|!(.*))", re.DOTALL)
_STEP = re.compile(r"[-.]|\+.", re.DOTALL)


def lower(text: str) -> str:
    """Every character in lower case that has one character for it."""
    return text if text.islower() else "".join(c.lower() if len(c.lower()) == 1 else c for c in text)


def _upper(text: str) -> str:
    return "".join(c.upper() if len(c.upper()) == 1 else c for c in text)


def _title(text: str) -> str:
    return _upper(text[:1]) + lower(text[1:])


def _alike(text: str, form: str) -> str | None:
    """The text cased as the form; None where that is neither lower nor title nor upper."""
    return next((cased(text) for cased in (lower, _title, _upper) if cased(form) == form), None)


_CASINGS: dict[str, Callable[[str, str], str | None]] = {  # of a text that is made of a form
    "lower": lambda text, form: lower(text),
    "title": lambda text, form: _title(text),
    "upper": lambda text, form: _upper(text),
    "alike": _alike,
    "keep": lambda text, form: text,
}
BOUND = "\t"  # between words, where the result is several
LEMMAS = ("lower", "title", "upper", "keep")  # casings that are tried in this order: of lemmas
PARTS = ("alike", "keep")  # of words that a token is written for


@dataclass(frozen=True)
class EditScript:
    """A script that was read; see the head of the module."""

    casing: str
    begin: tuple[str, ...]
    end: tuple[str, ...]
    whole: str | None = None  # the result, where it has nothing of the form

    def apply(self, form: str) -> str | None:
        """The result; None where the form has fewer characters than the script speaks of, or a word would be empty."""
        text = form if self.casing == "keep" else lower(form)
        first, last = _consumed(self.begin), _consumed(self.end)
        if first + last > len(text):
            return None
        behind = len(text) - last
        middle = text[first:behind]
        edited = _edited(self.begin, text[:first]) + middle + _edited(self.end, text[behind:])
        result = _CASINGS[self.casing](edited if self.whole is None else self.whole, form)
        return result if result is not None and all(result.split(BOUND)) else None


@functools.cache
def read_script(script: str) -> EditScript:
    """The script that a text spells; ValueError where it is none."""
    parts = _SCRIPT.fullmatch(script)
    if parts is None:
        raise ValueError(f"expected an edit script such as lower:=--+e+r, got {script!r:.60}")
    casing, begin, end, whole = parts.groups()
    return EditScript(casing, tuple(_STEP.findall(begin or "")), tuple(_STEP.findall(end or "")), whole)


def script_of(form: str, result: str, casings: Sequence[str] = LEMMAS, *, copies: bool = False) -> str:
    """The script that makes the result of the form; `copies`: characters beside the longest part may stay."""
    casing = next(name for name in casings if _CASINGS[name](result, form) == result)
    source, target = (form, result) if casing == "keep" else (lower(form), lower(result))
    at, to, size = _longest_part(source, target)
    if not size:
        return f"{casing}!{target}"
    begin = _steps(source[:at], target[:to], copies)
    return f"{casing}:{begin}={_steps(source[at + size :], target[to + size :], copies)}"


def fewest_scripts(forms: Sequence[str], results: Sequence[str], casings: Sequence[str] = LEMMAS) -> list[str]:
    """The scripts of all results, with copies or without: whatever takes fewer different ones."""
    pairs = [*zip(forms, results, strict=True)]
    both = [{pair: script_of(*pair, casings, copies=copies) for pair in pairs} for copies in (False, True)]
    fewest = min(both, key=lambda scripts: len(set(scripts.values())))
    return [fewest[pair] for pair in pairs]


def _longest_part(source: str, target: str) -> tuple[int, int, int]:
    """Where the longest shared part begins in both, and its length."""
    for size in range(min(len(source), len(target)), 0, -1):
        for to in range(len(target) - size + 1):
            at = source.find(target[to : to + size])
            if at >= 0:
                return at, to, size
    return 0, 0, 0


def _steps(source: str, target: str, copies: bool) -> str:
    """The fewest steps from one text to the other: of those that are as many, what leaves out first."""
    if not copies or not source or not target:
        return "-" * len(source) + "".join(f"+{c}" for c in target)
    best = [[0] * (len(target) + 1) for _ in range(len(source) + 1)]  # steps that are no copies, from here to the ends
    for i in range(len(source), -1, -1):
        for j in range(len(target), -1, -1):
            best[i][j] = _fewest(best, source, target, i, j)[0]
    i = j = 0
    steps = ""
    while (step := _fewest(best, source, target, i, j)[1]) is not None:
        steps += step
        i, j = i + (step[0] != "+"), j + (step[0] != "-")
    return steps


def _fewest(best: list[list[int]], source: str, target: str, i: int, j: int) -> tuple[int, str | None]:
    """How many steps are left, and which is the next one; None at the end of both."""
    more, open_ = i < len(source), j < len(target)
    choices = [(best[i + 1][j] + 1, "-")] if more else []
    choices += [(best[i][j + 1] + 1, f"+{target[j]}")] if open_ else []
    choices += [(best[i + 1][j + 1], ".")] if more and open_ and source[i] == target[j] else []
    return min(choices, key=lambda one: one[0], default=(0, None))


def _consumed(steps: tuple[str, ...]) -> int:
    return sum(step[0] != "+" for step in steps)


def _edited(steps: tuple[str, ...], text: str) -> str:
    found, at = "", 0
    for step in steps:
        if step == "-":
            at += 1
        elif step == ".":
            found, at = found + text[at], at + 1
        else:
            found += step[1]
    return found
