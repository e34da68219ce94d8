"""The C++ core of gristmill. Private: use the gristmill package."""

from collections.abc import Callable, Sequence
import enum
from typing import Annotated

import numpy
import numpy.typing
from numpy.typing import NDArray


def rows_are_sorted(offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], ids: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> bool:
    """True when the ids of every row ascend strictly from 0 or more."""

def number_rows(offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], ids: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,))]:
    """Rows numbered by what they hold; equal rows have one number."""

def count_conjunctions(offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], ids: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], size: int, progress: object | None = None) -> int:
    """
    Distinct sets of exactly `size` features that occur together in some row.
    """

class PolynomialKernel:
    def __init__(self, degree: int, gamma: float, coef0: float) -> None: ...

    def __call__(self, dot: float) -> float: ...

    def values(self, largest: int) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

    def subset_weights(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

class PolynomialRows:
    def __init__(self, kernel: PolynomialKernel, offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], ids: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    def __len__(self) -> int: ...

    def fill(self, offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], ids: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], threads: int, progress: object | None = None) -> None: ...

class PolynomialMachine:
    def __init__(self, kernel: PolynomialKernel, offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], ids: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], coef: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], coef_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], coef_columns: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], intercept: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

class DirectScorer:
    def __init__(self, machine: PolynomialMachine) -> None: ...

    @property
    def outputs(self) -> int: ...

    @property
    def nbytes(self) -> int: ...

    def score(self, offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], ids: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], threads: int, progress: object | None = None) -> None: ...

class InvertedScorer:
    def __init__(self, machine: PolynomialMachine) -> None: ...

    @property
    def outputs(self) -> int: ...

    @property
    def nbytes(self) -> int: ...

    def score(self, offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], ids: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], threads: int, progress: object | None = None) -> None: ...

    def occurrences(self, offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], ids: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> int: ...

class RealScorer:
    def __init__(self, machine: PolynomialMachine) -> None: ...

    @property
    def outputs(self) -> int: ...

    @property
    def nbytes(self) -> int: ...

    def score(self, offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], ids: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], threads: int, progress: object | None = None) -> None: ...

class ExpandedScorer:
    def __init__(self, machine: PolynomialMachine, sigma: float, xi: int, rare: int | None, max_bytes: int | None, sample_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], sample_ids: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], progress: object | None = None) -> None: ...

    @property
    def conjunctions(self) -> int: ...

    def numbers(self) -> dict[str, int]: ...

    def arrays(self) -> dict[str, Annotated[NDArray[numpy.uint8], dict(shape=(None,), writable=False)]]: ...

    @staticmethod
    def restore(machine: PolynomialMachine, numbers: dict[str, int], arrays: dict[str, Annotated[NDArray[numpy.uint8], dict(shape=(None,), writable=False)]]) -> ExpandedScorer: ...

    def decide(self, offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], ids: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], rule: int, doubt: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')], threads: int, progress: object | None = None) -> tuple[int, int, int, int]: ...

    def missing(self, offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], ids: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

    @property
    def outputs(self) -> int: ...

    @property
    def nbytes(self) -> int: ...

    def score(self, offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], ids: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], threads: int, progress: object | None = None) -> None: ...

def checksum(bytes: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> int: ...

def expected_costs(machine: PolynomialMachine, rare: int | None, max_bytes: int | None, sample_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], sample_ids: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> dict[str, list[tuple[str, float, float]]]: ...

class OnlineTrainer:
    def __init__(self, degree: int, gamma: float, coef0: float, update: int, norm: int, cost: float, outputs: int, exponent: int | None, engine: int, expanded: int, choose: bool, reuse: bool, terminate: bool, max_bytes: int | None, by_frequency: bool, budget: int = 0, block: int | None = None) -> None: ...

    def learn(self, offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], ids: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], passes: int, seed: int | None, visited: int, progress: object | None, threads: int = 1) -> None: ...

    @property
    def visited(self) -> int: ...

    def stats(self) -> dict[str, float]: ...

    def state(self) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.uint32], dict(shape=(None,))], Annotated[NDArray[numpy.uint32], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.uint64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]: ...

    def restore(self, features: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], ranks: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], rows: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], up: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], down: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], units: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], sizes: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], times: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], numbers: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    def start_from(self, offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], ids: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], coef: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    @property
    def nbytes(self) -> int: ...

    @property
    def postings_read(self) -> int: ...

    def support(self, averaged: bool) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]: ...

class SolverRows:
    @property
    def size(self) -> int: ...

    @property
    def nbytes(self) -> int: ...

    @property
    def rows_computed(self) -> int: ...

def gram_rows(matrix: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> SolverRows: ...

def counted_rows(kernel: PolynomialKernel, offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], ids: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], max_bytes: int) -> SolverRows: ...

def called_rows(size: int, diagonal: numpy.typing.NDArray[numpy.float64], fill: Callable[[numpy.typing.NDArray[numpy.uint32]], numpy.typing.NDArray[numpy.float64]], block: int, max_bytes: int) -> SolverRows: ...

class DualProblem:
    def __init__(self, examples: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], signs: Annotated[NDArray[numpy.int8], dict(shape=(None,), order='C', device='cpu', writable=False)], linear: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], bounds: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], start: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], equality: bool, constant: float) -> None: ...

    def __len__(self) -> int: ...

class DualSolution:
    @property
    def alpha(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

    @property
    def intercept(self) -> float: ...

    @property
    def objective(self) -> float: ...

    @property
    def violation(self) -> float: ...

    @property
    def iterations(self) -> int: ...

    @property
    def converged(self) -> bool: ...

class SmoSolver:
    def __init__(self, rows: SolverRows, problems: Sequence[DualProblem], tol: float, max_iter: int, shrinking: bool) -> None: ...

    def solve(self, n_jobs: int, progress: object | None = None) -> None: ...

    def solution(self, problem: int) -> DualSolution: ...

class PatternsTooLarge(ValueError):
    pass

class ExpandedRows:
    def __init__(self, kernel: PolynomialKernel, offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], ids: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], max_bytes: int, n_jobs: int, progress: object | None = None) -> None: ...

    def __len__(self) -> int: ...

    @property
    def patterns(self) -> int: ...

    @property
    def nbytes(self) -> int: ...

class DualCdSolver:
    def __init__(self, rows: ExpandedRows, problems: Sequence[DualProblem], tol: float, max_iter: int, shrinking: bool) -> None: ...

    def solve(self, n_jobs: int, progress: object | None = None) -> None: ...

    def solution(self, problem: int) -> DualSolution: ...

class LogLinearTrainer:
    def __init__(self, degree: int, penalty: float, rate: float, decay: float, keep_expanded: bool) -> None: ...

    def learn(self, offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], ids: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], passes: int, progress: object | None) -> None: ...

    def score(self, offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], ids: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

    def objective(self, offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], ids: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> float: ...

    @property
    def conjunctions(self) -> int: ...

    @property
    def used(self) -> int: ...

    @property
    def nbytes(self) -> int: ...

class IdBase(enum.Enum):
    automatic = 0

    zero = 1

    one = 2

    one_lenient = 3

class LabelKind(enum.Enum):
    numbers = 0

    words = 1

def parse_svmlight(text: bytes, base: IdBase, kind: LabelKind, progress: object | None = None) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,))], list[bytes], Annotated[NDArray[numpy.int64], dict(shape=(None,))], tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], bool]]:
    """
    (labels or their positions in words, words, queries, (offsets, ids, values or empty when all are 1, zero_based))
    """

def format_svmlight(labels: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], queries: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], ids: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], one_based: bool) -> bytes: ...

def parse_libsvm_model(text: bytes) -> tuple[str, str, dict[str, float], dict[str, list[float]], tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,))], int, tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], bool]]]:
    """
    (svm_type, kernel_type, scalars, vectors, support as parse_coef_rows gives it)
    """

def parse_annotated_header(text: bytes) -> tuple[bytes, list[tuple[bytes, bytes, int]], int, int]:
    """
    (program, [(value, name, line)], offset and line of the support vectors)
    """

def parse_coef_rows(text: bytes, offset: int, line: int, per_row: int) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,))], int, tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], bool]]:
    """
    (coefs, coefs a row, (offsets, ids, values or empty when all are 1, zero_based))
    """

def format_coef_rows(coefs: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], ids: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], one_based: bool) -> bytes: ...

class YamchaSolver(enum.Enum):
    text = 0

    pki = 1

    pke = 2

class YamchaModel:
    @property
    def version(self) -> bytes: ...

    @property
    def solver(self) -> YamchaSolver: ...

    @property
    def one_vs_rest(self) -> bool: ...

    @property
    def degree(self) -> int: ...

    @property
    def g(self) -> float: ...

    @property
    def r(self) -> float: ...

    @property
    def s(self) -> float: ...

    @property
    def parameters(self) -> bytes: ...

    @property
    def classes(self) -> list[bytes]: ...

    @property
    def classifiers(self) -> list[tuple[int, int, float]]:
        """[(positive class, negative class, threshold)]"""

    @property
    def features(self) -> list[bytes]: ...

    @property
    def offsets(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]: ...

    @property
    def ids(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]: ...

    @property
    def weight_rows(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]: ...

    @property
    def weight_classifiers(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]: ...

    @property
    def weights(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

def parse_yamcha_model(bytes: bytes) -> YamchaModel: ...

def parse_yamcha_text(text: bytes) -> YamchaModel: ...

def build_double_array(keys: Sequence[bytes], values: Sequence[int]) -> bytes:
    """keys: ascending by their bytes"""

def double_array_keys(units: bytes, longest: int) -> list[tuple[bytes, int]]:
    """[(key, value)], in the order of the bytes"""

class BracketOptions:
    def __init__(self, marks: bool = False, quoted: bool = False, keep_traces: bool = True, keep_functions: bool = True) -> None: ...

class Forest:
    def __init__(self) -> None: ...

    def parse_strings(self, strings: tuple[str, ...], options: BracketOptions, progress: object | None = None) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,))]:
        """Roots of the trees."""

    def parse_parts(self, text: bytes, begins: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], ends: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], options: BracketOptions, progress: object | None = None) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,))]:
        """Roots of the trees in parts of a text."""

    def parse_file(self, text: bytes, options: BracketOptions, progress: object | None = None) -> tuple[Annotated[NDArray[numpy.uint32], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))]]:
        """(roots, begins and ends of what stands before each tree)"""

    def add_post_order(self, labels: list[str], children: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], marks: bool) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,))]:
        """Roots of the trees."""

    def to_strings(self, roots: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> list[str]: ...

    def flatten(self, roots: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[bytes, Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.uint32], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.uint32], dict(shape=(None,))], Annotated[NDArray[numpy.uint32], dict(shape=(None,))]]:
        """
        (texts of symbols, their ends, their marks, ends of nodes, nodes as label and children, roots)
        """

    def unflatten(self, texts: bytes, text_ends: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], marks: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], node_ends: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], nodes: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], roots: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,))]:
        """Roots of the trees."""

    def count_subtrees(self, roots: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> int:
        """Different subtrees of all trees"""

    def shapes(self, roots: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.uint64], dict(shape=(None,))], Annotated[NDArray[numpy.uint64], dict(shape=(None,))], Annotated[NDArray[numpy.uint64], dict(shape=(None,))]]:
        """(nodes, leaves, levels) of each tree"""

    @property
    def n_nodes(self) -> int: ...

    @property
    def nbytes(self) -> int: ...

class TreeFamily(enum.Enum):
    identity = 0

    production = 1

    sequence = 2

class TreeKernel:
    def __init__(self, family: TreeFamily, factor: float, base: float = 1.0, gap: float = 1.0, first: float = 1.0, step: float = 1.0, longest: int = 0, leaves: float = 0.0, single_nodes: float = 0.0, marked: bool = False, constants: bool = True) -> None: ...

class IndexedForest:
    def __init__(self, forest: Forest, roots: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    @property
    def n_subtrees(self) -> int: ...

    @property
    def n_labels(self) -> int: ...

    @property
    def n_productions(self) -> int: ...

    @property
    def nbytes(self) -> int: ...

class TreeRows:
    def __init__(self, kernel: TreeKernel, indexed: IndexedForest, max_bytes: int) -> None: ...

    def __len__(self) -> int: ...

    @property
    def nbytes(self) -> int: ...

    def fill(self, forest: Forest, roots: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], query_scales: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], tree_scales: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], threads: int, progress: object | None = None) -> None: ...

    def fill_own(self, numbers: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], scales: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], threads: int, progress: object | None = None) -> None: ...

    def fill_lower(self, begin: int, end: int, scales: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], threads: int, progress: object | None = None) -> None: ...

    def fill_symmetric(self, scales: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], threads: int, progress: object | None = None) -> None: ...

def tree_direct(kernel: TreeKernel, indexed: IndexedForest, forest: Forest, roots: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], threads: int, progress: object | None = None) -> None: ...

def tree_diagonal(kernel: TreeKernel, indexed: IndexedForest, out: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], threads: int, progress: object | None = None) -> None: ...

class MiningRules:
    def __init__(self, size_limit: bool = True, same_support: bool = True, known_pairs: bool = True, precheck: bool = False, early_stop: bool = True, list_limit: bool = True, post_order: bool = True, same_places: bool = True, marks: bool = True) -> None: ...

    @property
    def size_limit(self) -> bool: ...

    @property
    def same_support(self) -> bool: ...

    @property
    def known_pairs(self) -> bool: ...

    @property
    def precheck(self) -> bool: ...

    @property
    def early_stop(self) -> bool: ...

    @property
    def list_limit(self) -> bool: ...

    @property
    def post_order(self) -> bool: ...

    @property
    def same_places(self) -> bool: ...

    @property
    def marks(self) -> bool: ...

def supports_mining(kernel: TreeKernel) -> bool: ...

class SubtreePatterns:
    def __init__(self, kernel: TreeKernel, indexed: IndexedForest, max_size: int, max_embeddings: float, rules: MiningRules, compress: bool, max_bytes: int, threads: int, progress: object | None = None) -> None: ...

    @property
    def n_trees(self) -> int: ...

    @property
    def searched(self) -> int: ...

    @property
    def features(self) -> int: ...

    @property
    def size(self) -> int: ...

    @property
    def entries(self) -> int: ...

    @property
    def n_malicious(self) -> int: ...

    @property
    def nbytes(self) -> int: ...

    def malicious(self) -> tuple[Annotated[NDArray[numpy.uint32], dict(shape=(None,))], Annotated[NDArray[numpy.uint32], dict(shape=(None,))]]: ...

    def patterns(self) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.uint32], dict(shape=(None,))], Annotated[NDArray[numpy.uint32], dict(shape=(None,))]]: ...

    def histograms(self) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.uint32], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]: ...

class ConvertedRows:
    def __init__(self, patterns: SubtreePatterns, kernel: TreeKernel, indexed: IndexedForest, columns: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int, progress: object | None = None) -> None: ...

    @property
    def nbytes(self) -> int: ...

    @property
    def work(self) -> float: ...

    @property
    def diagonal(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

    def fill(self, queries: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], query_scales: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], column_scales: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], threads: int, progress: object | None = None) -> None: ...

    def fill_symmetric(self, scales: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], threads: int, progress: object | None = None) -> None: ...

def asked_rows(rows: ConvertedRows, scales: numpy.typing.NDArray[numpy.float64], max_bytes: int) -> SolverRows: ...

class OperatorTooLarge(ValueError):
    pass

def worthwhile(trees: int) -> tuple[int, int]: ...

class TreeOperator:
    def __init__(self, kernel: TreeKernel, forest: Forest, roots: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], max_bytes: int, max_steps: int, threads: int, progress: object | None = None) -> None: ...

    def extended(self, roots: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], max_bytes: int, max_steps: int, threads: int, progress: object | None = None) -> TreeOperator: ...

    def __len__(self) -> int: ...

    @property
    def n_subtrees(self) -> int: ...

    @property
    def n_trees(self) -> int: ...

    @property
    def n_compiled(self) -> int: ...

    @property
    def nbytes(self) -> int: ...

    def multiply(self, weights: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], scales: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], threads: int, progress: object | None = None) -> None: ...

class ForestScorer:
    @staticmethod
    def by_lists(kernel: TreeKernel, forest: Forest, roots: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], coef: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], outputs: int, max_bytes: int, max_steps: int, progress: object | None = None) -> ForestScorer: ...

    @staticmethod
    def by_vectors(kernel: TreeKernel, forest: Forest, roots: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], coef: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], outputs: int) -> ForestScorer: ...

    @staticmethod
    def restore(kernel: TreeKernel, forest: Forest, roots: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], outputs: int, arrays: dict[str, Annotated[NDArray[numpy.uint8], dict(shape=(None,), writable=False)]]) -> ForestScorer: ...

    def arrays(self) -> object: ...

    @property
    def n_rows(self) -> int: ...

    @property
    def nbytes(self) -> int: ...

    def score(self, forest: Forest, roots: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], threads: int, progress: object | None = None) -> None: ...
