"""Readers meet damaged files: each gives a value or a FormatError, soon and without taking memory.

Every reader runs in a process of its own, so that a crash is a failed test that names the input; all are copies of one
that has imported everything. An input depends on its reader, the seed and its number alone:
`python tests/across/test_fuzzed_readers.py READER 1 NUMBER` reads it again.
"""

from __future__ import annotations

import contextlib
import io
import json
import mmap
import os
import random
import re
import resource
import subprocess
import sys
import tarfile
import tempfile
import time
import traceback
import warnings
import zipfile
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from safetensors.numpy import save as pack

import gristmill as gm
from gristmill.data.formats.delimited import parse_delimited
from gristmill.data.formats.kelp import parse_klp
from gristmill.data.formats.svmlight import parse_rows
from gristmill.data.formats.svmlight_tk import parse_examples
from gristmill.machines import store
from gristmill.machines.formats import folders, format_named, load_bytes, recognise
from gristmill.machines.probability import Density, Laplace, Sigmoid

sys.path.insert(0, str(Path(__file__).parents[2]))  # also when run as a program

from gristmill.base.warnings import SkippedFileWarning
from tests.across.interrupting import SANITIZED
from tests.oracle import yamcha_files

SEED = 1
MOST_SECONDS = 1.0
MOST_GROWTH = 64 * 1024  # kilobytes

# --- sound inputs -----------------------------------------------------------------------------------------------------

KERNEL = gm.PolynomialKernel(3, 0.5, 1.25)
SUPPORT = gm.ids([[0, 1], [2, 3, 4], [], [1, 3], [0, 4]])
PAIRWISE = sp.csr_matrix(np.array([[0.5, 0.25, 0], [-0.75, 0, 1.5], [0, -1, -0.125], [0.3, 0, 0], [0, 0, -2.1]]))
SIGMOID = Sigmoid(np.array([-1.5, -2.0, -0.5]), np.array([0.0, 0.25, -0.125]))
COLUMN = [1.5, -0.25, 3.0, -1e-3, 2.0]
MACHINES = [
    gm.Machine(KERNEL, SUPPORT, PAIRWISE, [0.1, -0.2, 0.3], [4, -1, 7], "ovo", probability=SIGMOID),
    gm.Machine(gm.PolynomialKernel(1, 1, 0), np.eye(5) * 0.3, COLUMN, 0.5, [1, -1], provenance={"a": [1, "b"]}),
    gm.Machine(KERNEL, SUPPORT, COLUMN, -1.0, [-1, 1], "one-class", probability=Density(np.array([-1.0, 0.5]))),
    gm.Machine(KERNEL, SUPPORT, COLUMN, -1.0, probability=Laplace(np.array([0.4])), feature_names=list("abcde")),
]
DATA = [
    b"1 1:1 3:1 17:1\n-1 2:1\n# comment\n\n+1 4:1 5:1 # more\n-1\n",
    b"0.5 0:0.25 3:-1e-3 9:1e300\n2 1:3.5\n",
    b"3 qid:1 1:1 2:0.5\r\n1 qid:2 7:1\r\n",
]
OF_SETS = [
    gm.Machine(gm.RBFKernel(0.5), SUPPORT, COLUMN, -1.0, [-1, 1]),
    gm.Machine(gm.SigmoidKernel(0.5, -0.25), SUPPORT, COLUMN, 0.5, [-1, 1]),
]
MODELS = [format_named("libsvm").write(machine) for machine in (*MACHINES, *OF_SETS)]
TABLE = gm.SetKernel(np.broadcast_to(np.arange(6.0)[:, None, None], (6, 6, 6)))  # the overlap
FILES = [store.to_bytes(machine) for machine in (*MACHINES, *OF_SETS, gm.Machine(TABLE, SUPPORT, COLUMN, 0.0))]
GOLDEN = Path(__file__).parents[1] / "golden"
TEXTS = {
    "svmlight-model": [
        (GOLDEN / "text-svmlight.model").read_bytes(),
        *(format_named("svmlight").write(machine) for machine in OF_SETS),
    ],
    "tinysvm": [(GOLDEN / "text-tinysvm.model").read_bytes()],
    "opal": [(GOLDEN / f"text-{name}.model").read_bytes() for name in ("opal", "opal-classes")],
    "opal-linear": [(GOLDEN / f"text-{name}.model").read_bytes() for name in ("opal-linear", "opal-linear-classes")],
    "collection": [store.to_bytes(gm.Machines({"a": MACHINES[0], "b": MACHINES[3]}))],
}

TABLES = [
    b'age,housing,"a ""b"", c",when\r\n34,own,1.5,2024-05-01\r\n?,"rent\n",-1e3,\r\n21,NA,inf,2023-12-31T10:00\r\n',
    b"\xef\xbb\xbfx;y\n1;true\n\n2;false\n",
    b"name\tvalue\nM\xc3\xbcller\t7\n",
]


def read_table(data):
    """Every column as all that it can be."""
    table = parse_delimited(data)
    for at in range(len(table.names)):
        column = table.read(at)
        assert len(column.words().codes) == len(column.missing()) == table.n_rows
        for read in (column.numbers, column.dates):
            with contextlib.suppress(gm.FormatError):
                assert len(read()) == table.n_rows


TREES = gm.Forest.from_strings(["(S (NP (D the) (N dog)) (VP barks))", "(S (NP a b) c)", "(x)"])
TREE_DATA = [
    b"1 |BT| (S (NP dog) (VP \\)) |BT| |ET| 1:0.5 7:1 |BV| 2:1 |EV| # c\n-1 |BT| (S a) |ET|\n\n2 3:1\n",
    b"1 (S (N Paul)(VP (V delivers))) |STD| 1:0.08 1000:0.46\n-1 (S a)\n",
]
KLP = [
    b"NUM |BS:q| How far ? |ES| |BV:bow| how:1.0 far:0.5 |EV| |BT:t| (root(mod(how))(be)) |ET| |BDV|1 2|EDV|\n"
    b"LOC |BS:q| Where ? |ES| |BV:bow| where:1.0 |EV| |BT:t| (root(mod(where\\))) |ET| |BDV| 3;4 |EDV|\n"
]
TEXTS["svmlight-tk-model"] = [
    format_named("svmlight-tk").write(machine)
    for machine in (
        gm.Machine(gm.Normalized(gm.PartialTreeKernel(max_children=5)), TREES, [1, -2, 0.5], 0.25, [-1, 1]),
        gm.Machine(
            KERNEL.on("v") + 0.5 * gm.SubsetTreeKernel().on("t"),
            gm.Examples(t=TREES, v=[{0}, {1, 2}, set()]),
            [1, -2, 0.5],
            0.25,
            [-1, 1],
        ),
    )
]


def archives():
    """A zip and a tar with two models each."""
    zipped, tarred = io.BytesIO(), io.BytesIO()
    with zipfile.ZipFile(zipped, "w") as archive, tarfile.open(fileobj=tarred, mode="w") as tar:
        for number, data in enumerate(MODELS[:2]):
            archive.writestr(f"{number}.model", data)
            member = tarfile.TarInfo(f"{number}.model")
            member.size = len(data)
            tar.addfile(member, io.BytesIO(data))
    return [zipped.getvalue(), tarred.getvalue()]


ARCHIVES = archives()


OLDER = yamcha_files.older([b"A", b"B"], [(0, 1, 0.5)], (2, 1.0, 1.0), {b"x": [0, 1], b"y": [1]}, [{0: 1.0, 1: 2.0}])
YAMCHA = [*((GOLDEN / f"yamcha-{kind}.model").read_bytes() for kind in ("pairs", "pke")), OLDER]
YAMCHA_TEXTS = [(GOLDEN / "yamcha-rest.txtmodel").read_bytes()]

# --- damage to bytes --------------------------------------------------------------------------------------------------

VARYING = re.compile(r"0x\w+|\\u\w+|\d+")
NUMBER = re.compile(rb"[-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?")
TOKENS = (
    *(b"", b"0", b"-1", b"1.5", b"+", b"-", b".", b":", b"#", b"\0", b"1:1", b"true", b"null", b"x", b"1e", b"0x1p3"),
    *(b"nan", b"-nan", b"inf", b"-inf", b"1e999", b"-1e999", b"1e-999", b"1e308", b"5e-324", b"9" * 400),
    *(b"2147483646", b"2147483647", b"2147483648", b"4294967296", b"-2147483649", b"9223372036854775808", b"16777216"),
)


def place(rng, data):
    return rng.randrange(len(data) + 1)


def stretch(rng, data):
    start = place(rng, data)
    return start, min(len(data), start + rng.choice([1, 2, 5, 20, 100]))


def flip(rng, data):
    at = place(rng, data)
    return data[:at] + bytes(byte ^ (1 << rng.randrange(8)) for byte in data[at : at + 1]) + data[at + 1 :]


def insert(rng, data):
    at = place(rng, data)
    return data[:at] + rng.choice([rng.randbytes(rng.choice([1, 1, 8])), rng.choice(TOKENS)]) + data[at:]


def delete(rng, data):
    start, end = stretch(rng, data)
    return data[:start] + data[end:]


def repeat(rng, data):
    start, end = stretch(rng, data)
    return data[:end] + data[start:end] * rng.choice([1, 1, 30]) + data[end:]


def truncate(rng, data):
    return data[: place(rng, data)]


def swap_lines(rng, data):
    lines = data.split(b"\n")
    one, other = rng.randrange(len(lines)), rng.randrange(len(lines))
    lines[one], lines[other] = lines[other], lines[one]
    return b"\n".join(lines)


def replace_number(rng, data):
    numbers = list(NUMBER.finditer(data))
    if not numbers:
        return data
    chosen = rng.choice(numbers)
    return data[: chosen.start()] + rng.choice(TOKENS) + data[chosen.end() :]


STEPS = (flip, insert, delete, repeat, truncate, swap_lines, replace_number, replace_number)


def damaged(rng, data):
    for _ in range(rng.choice([1, 1, 1, 2, 4, 8])):
        data = rng.choice(STEPS)(rng, data)
    return data


def damaged_one_of(texts, rng):
    return damaged(rng, rng.choice(texts))


WORDS = (0, 1, 2, 3, 5, 8, 255, 2**31 - 1, 2**31, 2**32 - 1, 0x7FF00000, 0x01000000)


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


# --- damage behind a checksum that fits -------------------------------------------------------------------------------

ODD = (
    *(None, True, -1, 0, 1, 2, 5, 1.5, 2**31, 2**53, 10**30, 10**400, 1e308, float("inf"), float("nan")),
    *("", "x", "\ud800", "ovo", "density", [], [1], [[]], [1, "a"], {}, {"a": 1}, [None] * 3, ["a", "b", "c"]),
)


def sealed(header, arrays):
    """The file with its checksum, as far as there is one."""
    header = {key: value for key, value in header.items() if key != "sha256"}
    try:
        header["sha256"] = store._digest(header, arrays)
    except (UnicodeEncodeError, ValueError):
        header["sha256"] = ""
    return pack(arrays, metadata={store.KEY: json.dumps(header)})


def damaged_header(rng):
    machine = rng.choice(MACHINES)
    header, arrays = store._header(machine), store._arrays(machine)
    if rng.random() < 0.5:
        part = rng.choice([header, header, header["kernel"]])
        part[rng.choice(list(part))] = rng.choice(ODD)
        return sealed(header, arrays)
    text = damaged(rng, store._json(header).encode()).decode(errors="replace")
    try:
        changed = json.loads(text)
    except (ValueError, RecursionError):
        changed = None
    return sealed(changed, arrays) if isinstance(changed, dict) else pack(arrays, metadata={store.KEY: text})


NUMBERS = (0, 1, -1, 2, 5, 127, 2**31 - 1, -(2**31), 2**62, np.nan, np.inf, 1e300)
DTYPES = ("u1", "i4", "i8", "f4", "f8", "?", "f2", "u8", "c8")


def as_type(array, dtype):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return np.asarray(array).astype(dtype)


def damaged_array(rng, array):
    """One array with an odd number, cut, grown, turned, or of another type or shape."""
    flat = array.ravel().copy()
    match rng.randrange(8):
        case 0 | 1 if len(flat):
            flat[rng.randrange(len(flat))] = as_type(rng.choice(NUMBERS), flat.dtype)
        case 2:
            return flat[: rng.randrange(len(flat) + 1)].copy()
        case 3:
            return np.concatenate([flat, flat[: rng.randrange(1, 4)]])
        case 4:
            return flat[::-1].copy()
        case 5:
            return as_type(array, rng.choice(DTYPES))
        case 6:
            return rng.choice(
                [flat.reshape(-1, 1), flat.reshape(1, -1), flat[:0], flat[:1].reshape(()) if len(flat) else flat]
            )
        case 7:
            raw = damaged(rng, flat.tobytes())
            return np.frombuffer(raw[: len(raw) // flat.itemsize * flat.itemsize], dtype=flat.dtype)
    return flat.reshape(array.shape)


def damaged_arrays(rng):
    machine = rng.choice(MACHINES)
    header, arrays = store._header(machine), store._arrays(machine)
    for _ in range(rng.choice([1, 1, 2, 3])):
        name = rng.choice(list(arrays))
        action = rng.random()
        if action < 0.05 and len(arrays) > 1:
            del arrays[name]
        elif action < 0.1:
            arrays[rng.choice([*arrays, "support.values", "coef", "probability.a"])] = arrays[name]
        else:
            arrays[name] = damaged_array(rng, arrays[name])
    return sealed(header, arrays)


# --- the run ----------------------------------------------------------------------------------------------------------


def quietly(read):
    """A warning is an answer, not a problem."""

    def without_warning(data):
        with warnings.catch_warnings():
            for category in (gm.SwappedParametersWarning, SkippedFileWarning, gm.TableWarning):
                warnings.simplefilter("ignore", category)
            return read(data)

    return without_warning


READERS = {
    "svmlight": (lambda rng: damaged(rng, rng.choice(DATA)), parse_rows),
    "svmlight-zero-based": (lambda rng: damaged(rng, rng.choice(DATA)), lambda data: parse_rows(data, zero_based=True)),
    "svmlight-tk": (partial(damaged_one_of, TREE_DATA), lambda data: parse_examples(data, absent="none")),
    "klp": (partial(damaged_one_of, KLP), parse_klp),
    "table": (partial(damaged_one_of, TABLES), quietly(read_table)),
    "libsvm": (lambda rng: damaged(rng, rng.choice(MODELS)), load_bytes),
    "yamcha": (lambda rng: damaged_words(rng, rng.choice(YAMCHA)), quietly(format_named("yamcha").read)),
    "yamcha-text": (lambda rng: damaged(rng, rng.choice(YAMCHA_TEXTS)), quietly(format_named("yamcha-text").read)),
    "own": (lambda rng: damaged(rng, rng.choice(FILES)), load_bytes),
    "own-header": (damaged_header, load_bytes),
    "own-arrays": (damaged_arrays, load_bytes),
    **{name: (partial(damaged_one_of, texts), load_bytes) for name, texts in TEXTS.items()},
    "archive": (partial(damaged_one_of, ARCHIVES), quietly(lambda data: folders.load_archive(data, recognise))),
}


def peak_memory():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def problem_with(read, data):
    """What went wrong in reading this, or None."""
    start = time.thread_time()
    try:
        read(data)
    except gm.FormatError:
        pass
    except BaseException as error:
        return f"{type(error).__name__}: {VARYING.sub('N', str(error))[:60]}"
    seconds = time.thread_time() - start
    return f"took {seconds:.1f} s" if seconds > MOST_SECONDS else None


def run(name, first, last, note):
    """Read inputs first to last; print each kind of problem with the number of the first input that has it."""
    make, read = READERS[name]
    problems = {}
    memory = peak_memory()
    for number in range(first, last):
        if number == first + (last - first) // 10:
            memory = peak_memory()  # from here on all that is loaded once is loaded
        note[:8] = number.to_bytes(8, "little")
        problem = problem_with(read, make(random.Random(f"{name} {SEED} {number}")))
        if problem is not None:
            problems.setdefault(problem, number)
    growth = peak_memory() - memory
    if growth > MOST_GROWTH and not SANITIZED:
        problems[f"memory grew by {growth} kB"] = last
    for problem, number in problems.items():
        print(f"input {number}: {problem}")


@pytest.fixture(scope="module")
def readers():
    """The process that answers requests by copies of itself."""
    command = [sys.executable, "-W", "error", __file__, "serve"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        yield process
        process.stdin.close()


def fuzz(readers, name, count):
    with tempfile.NamedTemporaryFile() as note:
        note.write(bytes(8))
        note.flush()
        print(name, count, 0, note.name, file=readers.stdin, flush=True)
        status, problems = json.loads(readers.stdout.readline())
        number = int.from_bytes(Path(note.name).read_bytes(), "little")
    assert status == 0, f"input {number} of {name} ended the process: {status}"
    assert problems == "", problems


@pytest.mark.parametrize("name", READERS)
def test_damaged_input_gives_a_value_or_a_format_error(name, readers):
    fuzz(readers, name, 1_000)


@pytest.mark.slow
@pytest.mark.parametrize("name", READERS)
def test_much_damaged_input_gives_a_value_or_a_format_error(name, readers):
    fuzz(readers, name, 100_000)


def main(name, count="1", first="0", note_path=None):
    if note_path is None:
        return run(name, int(first), int(first) + int(count), bytearray(8))
    with Path(note_path).open("r+b") as file:
        return run(name, int(first), int(first) + int(count), mmap.mmap(file.fileno(), 8))


def serve():
    """Answer lines of arguments of main() with the exit status of the copy that follows them, and what it printed."""
    for line in sys.stdin:
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            os.dup2(writing, sys.stdout.fileno())
            follow(line.split())
        os.close(writing)
        with os.fdopen(reading) as printed:
            text = printed.read()
        _, status = os.waitpid(child, 0)
        print(json.dumps([os.waitstatus_to_exitcode(status), text]), flush=True)


def follow(arguments):
    """Do it and end this process without what it inherited."""
    status = 1
    try:
        main(*arguments)
        sys.stdout.flush()
        status = 0
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(status)


if __name__ == "__main__":
    serve() if sys.argv[1:] == ["serve"] else main(*sys.argv[1:])
