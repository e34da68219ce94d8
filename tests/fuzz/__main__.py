"""`python -m tests.fuzz`: tries damaged inputs on every reader and every use, and says what came of it.

    python -m tests.fuzz --seconds 60                                # a little of everything
    python -m tests.fuzz --reader libsvm --use none --inputs 1000000 # one parser
    python -m tests.fuzz --use explain --inputs 100000 --jobs 8      # one use, on what every reader reads
    python -m tests.fuzz --reader own-trees --number 1234            # one input again, with its traceback

The same seed tries the same inputs. A find is written to --keep, made as small as it can be; with one the exit status
is 1.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from tests.fuzz.children import STEPS, input_of
from tests.fuzz.readers import READERS
from tests.fuzz.running import Plan, again, fuzz
from tests.fuzz.tables import as_markdown, as_text
from tests.fuzz.uses import USES


def chosen(name, known, what):
    if name == "all":
        return tuple(known)
    names = tuple(name.split(",")) if name != "none" else ()
    if unknown := [one for one in names if one not in known]:
        sys.exit(f"no {what} named {', '.join(unknown)}; there are {', '.join(known)}")
    return names


def parsed():
    about, _, examples = __doc__.partition("\n\n")
    parser = argparse.ArgumentParser("python -m tests.fuzz", None, about, examples, formatter_class=_AsWritten)
    parser.add_argument("--reader", default="all", help="names with commas between, or all")
    parser.add_argument("--use", default="all", help="names with commas between, all, or none: reading alone")
    parser.add_argument("--inputs", type=int, default=10**9, help="for each reader, at most")
    parser.add_argument("--seconds", type=float, default=60, help="for all readers together, about")
    parser.add_argument("--jobs", type=int, default=1, help="processes at a time")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="number of the first input, to go on from another run")
    parser.add_argument("--keep", type=Path, default=Path("build/fuzz"), help="folder for finds")
    parser.add_argument("--table", type=Path, help="write the counts to a page as well")
    parser.add_argument("--number", type=int, help="try this input again")
    return parser.parse_args()


class _AsWritten(argparse.RawDescriptionHelpFormatter):
    """Keeps the lines of examples."""


def main():
    wanted = parsed()
    readers, uses = chosen(wanted.reader, READERS, "reader"), chosen(wanted.use, USES, "use")
    if wanted.number is not None:
        return again(input_of(readers[0], wanted.seed, wanted.number), readers[0], uses)
    plan = Plan(readers, uses, wanted.seed, wanted.first, wanted.inputs, wanted.seconds, wanted.jobs, wanted.keep)
    totals = fuzz(plan)
    print(as_text(totals, STEPS))
    if wanted.table:
        wanted.table.write_text(as_markdown(totals, STEPS), encoding="utf-8")
    return 1 if totals.finds else 0


if __name__ == "__main__":
    sys.exit(main())
