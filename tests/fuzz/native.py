"""The fuzz targets of the core: `python -m tests.fuzz.native` builds them with clang and runs each from its corpus.

    python -m tests.fuzz.native --seconds 5                          # a look at each
    python -m tests.fuzz.native --target conllu --runs 10000000      # one, for long
    python -m tests.fuzz.native --seconds 600 --jobs 8 --keep corpus # what is found goes on from there
    python -m tests.fuzz.native --minimise corpus                  # the smallest of them become tests/core/fuzz/corpus

A target is a file tests/core/fuzz/NAME_fuzz.cpp. Exit status 1: there were finds, 77: clang or its fuzzer is not here.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from tests.fuzz import seeds
from tests.fuzz.tables import aligned, markdown

ROOT = Path(__file__).parents[2]
SOURCES = ROOT / "tests" / "core" / "fuzz"
CORPUS = SOURCES / "corpus"
SKIPPED = 77
LONGEST = 4096  # bytes of an input
LIMITS = ("-timeout=2", f"-malloc_limit_mb={64 + 50 * LONGEST // 2**20}", "-rss_limit_mb=2048", f"-max_len={LONGEST}")
HEAD = ("target", "inputs", "edges", "features", "corpus", "slowest s", "finds")


class Outcome(NamedTuple):
    """What libFuzzer says at the end."""

    target: str
    inputs: int
    edges: int
    features: int
    corpus: int
    slowest: int
    finds: list[Path]

    def row(self):
        return (*self[:-1], len(self.finds))


def targets():
    return sorted(path.name.removesuffix("_fuzz.cpp") for path in SOURCES.glob("*_fuzz.cpp"))


def is_here():
    """Whether clang++ links a fuzz target."""
    if not shutil.which("clang++"):
        return False
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "one.cpp"
        source.write_text('extern "C" int LLVMFuzzerTestOneInput(const unsigned char*, unsigned long) { return 0; }')
        command = ["clang++", "-fsanitize=fuzzer,address", str(source), "-o", f"{folder}/one"]
        return subprocess.run(command, capture_output=True, check=False).returncode == 0


def build(folder, jobs):
    options = ["-DCMAKE_CXX_COMPILER=clang++", "-DGRISTMILL_FUZZ=ON", "-DGRISTMILL_CORE_TESTS=OFF"]
    commands = (
        ["cmake", "-S", ROOT, "-B", folder, "-G", "Ninja", "-DGRISTMILL_WERROR=ON", *options],
        ["cmake", "--build", folder, "--target", "fuzz", "-j", str(jobs)],
    )
    for command in commands:
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def run(target, wanted):
    """Run one target; new inputs go to the folder to keep, or to one that is thrown away."""
    with tempfile.TemporaryDirectory() as scratch:
        found = (wanted.keep or Path(scratch)) / target
        found.mkdir(parents=True, exist_ok=True)
        finds = wanted.finds / target
        finds.mkdir(parents=True, exist_ok=True)
        command = [wanted.build / f"fuzz_{target}", found, CORPUS / target, *LIMITS, f"-artifact_prefix={finds}/"]
        command += [f"-max_total_time={wanted.seconds}", f"-seed={wanted.seed}", "-print_final_stats=1"]
        command += [f"-runs={wanted.runs}"] if wanted.runs else []
        said = subprocess.run(command, stderr=subprocess.PIPE, text=True, errors="replace", check=False)
    if said.returncode:
        print(f"--- {target}\n{said.stderr[-4000:]}", flush=True)
    return outcome_of(target, said.stderr, sorted(finds.iterdir()))


def outcome_of(target, text, finds):
    def last(pattern):
        numbers = re.findall(pattern, text)
        return int(numbers[-1]) if numbers else 0

    executed, slowest = last(r"number_of_executed_units: (\d+)"), last(r"slowest_unit_time_sec: +(\d+)")
    return Outcome(target, executed, last(r"cov: (\d+)"), last(r"ft: (\d+)"), last(r"corp: (\d+)"), slowest, finds)


def minimise(target, folder, build_folder):
    """The smallest inputs of a folder, of the corpus and of our own generators that reach what all of them reach."""
    own = CORPUS / target
    with tempfile.TemporaryDirectory() as scratch:
        seeds.write(target, Path(scratch) / "seeds")
        chosen = Path(scratch) / "chosen"
        chosen.mkdir()
        given = [one for one in (own, folder / target, Path(scratch) / "seeds") if one.exists()]
        command = [
            build_folder / f"fuzz_{target}",
            "-set_cover_merge=1",
            "-use_counters=0",
            "-max_len=2000",
            chosen,
            *given,
        ]
        subprocess.run(command, check=True, capture_output=True)
        shutil.rmtree(own, ignore_errors=True)
        shutil.copytree(chosen, own)


def parsed():
    about, _, examples = __doc__.partition("\n\n")
    parser = argparse.ArgumentParser(
        "python -m tests.fuzz.native", None, about, examples, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--target", default="all", help="names with commas between, or all")
    parser.add_argument("--runs", type=int, default=0, help="inputs of each target; 0: as many as the time allows")
    parser.add_argument("--seconds", type=int, default=60, help="of each target, at most")
    parser.add_argument("--jobs", type=int, default=1, help="targets at a time")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--build", type=Path, default=ROOT / "build" / "fuzz-core", help="folder to build in")
    parser.add_argument("--finds", type=Path, default=ROOT / "build" / "fuzz-finds", help="folder for finds")
    parser.add_argument("--keep", type=Path, help="folder for inputs that reach something new")
    parser.add_argument("--minimise", type=Path, metavar="FOLDER", help="make the corpus anew, with inputs kept there")
    parser.add_argument("--table", type=Path, help="write the counts there as well")
    return parser.parse_args()


def main():
    wanted = parsed()
    chosen = targets() if wanted.target == "all" else wanted.target.split(",")
    if unknown := sorted(set(chosen) - set(targets())):
        sys.exit(f"no target named {', '.join(unknown)}; there are {', '.join(targets())}")
    if not is_here():
        print("no clang++ with libFuzzer here (Debian: apt-get install clang libclang-rt-14-dev)")
        return SKIPPED
    build(wanted.build, wanted.jobs)
    if wanted.minimise:
        for target in chosen:
            minimise(target, wanted.minimise, wanted.build)
        return 0
    os.environ.setdefault("ASAN_OPTIONS", "allocator_may_return_null=0")
    with ThreadPoolExecutor(wanted.jobs) as pool:
        outcomes = list(pool.map(lambda target: run(target, wanted), chosen))
    rows = [HEAD, *(outcome.row() for outcome in outcomes)]
    print(aligned(rows))
    if wanted.table:
        title = "# Parsers of the core that were fuzzed\n\nlibFuzzer; see [](robustness.md).\n\n"
        wanted.table.write_text(title + markdown(rows), encoding="utf-8")
    return 1 if any(outcome.finds for outcome in outcomes) else 0


if __name__ == "__main__":
    sys.exit(main())
