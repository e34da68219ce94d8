"""pecco, opal and svm-predict by the book, for tests: slow, in plain Python, with the clocks that the real ones print.

$FAKE_PEER names a fault: 'liar' answers the first example wrongly, 'rough' is wrong in the margins only, 'mute' prints
no clock. Every command line goes to the file 'calls' beside the program.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

FAULT = os.environ.get("FAKE_PEER", "")


def main(program: str, arguments: list[str]) -> None:
    with Path(sys.argv[0]).with_name("calls").open("a", encoding="utf-8") as calls:
        print(program, *arguments, file=calls)
    if program == "svm-predict":
        data, model, answers = arguments
        labels = [_label(margin) for margin in _margins(_read_libsvm(model), data)]
        Path(answers).write_text("".join(f"{label.lstrip('+')}\n" for label in labels), encoding="ascii")
    elif program == "opal" and arguments[-3] != "-":
        _train(*arguments[-3:-1], C=float(arguments[arguments.index("-c") + 1]))
    else:
        _classify(program, *arguments[-2:], output=_output(arguments))


def _output(arguments: list[str]) -> int:
    return int(arguments[arguments.index("-O") + 1]) if "-O" in arguments else 0


def _classify(program: str, model: str, data: str, output: int) -> None:
    margins = _margins(_read_opal(model), data)
    labels_only = 1 if program == "pecco" else 2
    for margin in margins:
        if output >= labels_only:
            print(_label(margin), *([f"{margin:f}"] if output > labels_only else []))
    if FAULT != "mute":
        print("model     : 2500.0000 ms.", file=sys.stderr)
        if margins:
            print(f"classify  : 0.0020 ms./classify ({0.002 * len(margins):.8f}/{len(margins)})", file=sys.stderr)


def _label(margin: float) -> str:
    return "+1" if margin >= 0 else "-1"


def _margins(machine: tuple[int, float, list[tuple[float, set[str]]]], data: str) -> list[float]:
    degree, b, support = machine
    examples = [set(line.split()[1:]) for line in Path(data).read_text(encoding="ascii").splitlines()]
    margins = [sum(a * (len(s & x) + 1) ** degree for a, s in support) - b for x in examples]
    if margins and FAULT in ("liar", "rough"):
        margins[0] = -margins[0] if FAULT == "liar" else margins[0] * 1.001
    return margins


def _read_opal(model: str) -> tuple[int, float, list[tuple[float, set[str]]]]:
    lines = Path(model).read_text(encoding="ascii").splitlines()
    head = {line.partition(" # ")[2]: line.split()[0] for line in lines if " # " in line}
    return int(head["kernel parameter -d"]), float(head["threshold b"]), _support(lines[len(head) :])


def _read_libsvm(model: str) -> tuple[int, float, list[tuple[float, set[str]]]]:
    lines = Path(model).read_text(encoding="ascii").splitlines()
    head = dict(line.split(maxsplit=1) for line in lines[: lines.index("SV")])
    sign = 1 if head["label"].split()[0] == "1" else -1
    support = [(sign * a, s) for a, s in _support(lines[lines.index("SV") + 1 :])]
    return int(head["degree"]), sign * float(head["rho"]), support


def _support(lines: list[str]) -> list[tuple[float, set[str]]]:
    return [(float(line.split()[0]), set(line.split()[1:])) for line in lines]


def _train(data: str, model: str, C: float) -> None:
    """Every example is a support vector."""
    head = ["opal # fake", "1 # kernel type", f"{_option('-d')} # kernel parameter -d", "1 # kernel parameter -s"]
    head += ["1 # kernel parameter -r", "-1 # sigmoid -A", "0 # sigmoid -B", "0 # threshold b"]
    rows = [line.split(maxsplit=1) for line in Path(data).read_text(encoding="ascii").splitlines()]
    lines = [f"{float(label) * C} {features}" for label, features in rows]
    Path(model).write_text("\n".join([*head, *lines, ""]), encoding="ascii")


def _option(name: str) -> str:
    return sys.argv[sys.argv.index(name) + 1]


if __name__ == "__main__":
    main(Path(sys.argv[0]).name, sys.argv[1:])
