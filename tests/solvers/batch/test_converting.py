"""Whether trees are converted before training: as asked, or by counts; and that a conversion is made once."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import gristmill as gm
from gristmill.kernels.conversion.rows import ConvertedRows
from gristmill.solvers.batch import SvmSettings, converting, train_one_class, train_svm, train_svr
from gristmill.solvers.batch.converting import ConversionChoice, Costs, choose
from gristmill.solvers.batch.rows import TrainingRows
from gristmill.solvers.batch.settings import Conversion

RNG = np.random.default_rng(5)
LIMITS = {"max_size": 20, "max_embeddings": 20.0, "max_bytes": 1 << 30}
EAGER = Costs(state=1e-9, marked_state=1e-9, cell=1e-9, entry=1e-9, addition=1e-9, patience=0)
RELUCTANT = Costs(state=1e9, marked_state=1e9, patience=0)


def tree(depth=3, marked=True):
    label = "ABCD"[RNG.integers(4)] + ("*1" if marked else "")
    if depth == 0 or RNG.random() < 0.2:
        return f"({label} {'uvwxyz'[RNG.integers(6)]})"
    children = [tree(depth - 1, marked=marked and n == 0) for n in range(RNG.integers(1, 4))]
    return f"({label} {' '.join(children)})"


TREES = gm.Forest.from_strings([tree() for _ in range(700)], marks=True)
LABELS = np.array(["(B" in text for text in TREES], dtype=np.intp)
CLASSES = np.arange(2)
KERNEL = gm.Normalized(gm.OrderedTreeKernel(0.3, marked=True))
DISTINCT = TREES[np.unique(TREES._roots, return_index=True)[1]]


def fitted(X=TREES, kernel=KERNEL, **settings):
    return train_svm(X, LABELS, CLASSES, SvmSettings(kernel, tol=1e-6, **settings))


# --- the choice -------------------------------------------------------------------------------------------------------


def chosen(costs, kernel=KERNEL, forest=DISTINCT, **limits):
    return choose(kernel.kernel.fragments, forest, len(forest) ** 2 / 2, LIMITS | limits, costs)


def test_the_cheaper_way_is_chosen():
    assert chosen(EAGER).converts
    assert "with conversion" in chosen(EAGER).reason
    assert not chosen(RELUCTANT).converts


def test_trees_that_share_much_are_not_converted():
    """Nearly all pairs are malicious, and dynamic programming of each costs more than rows over different subtrees."""
    alike = " ".join(f"(A{n} a{n})" for n in range(12))
    trees = gm.Forest.from_strings([f"(S (R*1 {alike}) b{n})" for n in range(300)], marks=True)
    found = chosen(Costs(patience=0), forest=trees)
    assert not found.converts
    assert "with conversion" in found.reason


def test_a_near_tie_goes_to_rows():
    costs = replace(EAGER, margin=1.0, state=0, marked_state=0, cell=0, addition=0)
    by_rows = converting._row_steps(KERNEL.kernel.fragments, DISTINCT, costs)
    assert chosen(replace(costs, entry=0.9 * by_rows)).converts
    assert not chosen(replace(costs, entry=0.9 * by_rows, margin=Costs().margin)).converts
    assert chosen(replace(costs, entry=0.9 * by_rows / Costs().margin, margin=Costs().margin)).converts


def test_rows_that_take_no_time_need_no_thought(monkeypatch):
    monkeypatch.setattr(converting, "mine", lambda *_, **__: pytest.fail("looked at samples"))
    assert chosen(Costs()) == ConversionChoice(False, chosen(Costs()).reason)
    assert "rows take no more than" in chosen(Costs()).reason
    assert chosen(EAGER, forest=DISTINCT[:100]) == ConversionChoice(False, "few trees")


def test_what_does_not_fit_is_not_converted():
    assert "take more than max_bytes = 1000" in chosen(EAGER, max_bytes=1000).reason
    counts = converting._samples(KERNEL.kernel.fragments, DISTINCT, 1e12, LIMITS, EAGER)
    predicted = int(converting._PEAK * converting._extrapolated(counts, len(DISTINCT)).nbytes)
    found = chosen(EAGER, max_bytes=predicted - 1)
    assert not found.converts
    assert "conversion would take" in found.reason
    assert chosen(EAGER, max_bytes=predicted + 1).converts
    assert chosen(EAGER, max_bytes=predicted + 1).max_bytes == predicted + 1


def test_a_conversion_that_outgrows_the_prediction_is_given_up(monkeypatch, conversions):
    room = chosen(EAGER).max_bytes
    assert converting._PEAK * fitted(convert=True).rows.distinct.stats.nbytes < room < LIMITS["max_bytes"]
    monkeypatch.setattr(converting, "choose", lambda *_: ConversionChoice(True, "it pays", 1000))
    fit = fitted()
    assert not fit.conversion.converts
    assert "take more than max_bytes = 1000" in fit.conversion.reason
    np.testing.assert_allclose(fit.objective, fitted(convert=False).objective, rtol=1e-6)


def test_the_choice_is_the_same_every_time():
    assert len({chosen(Costs(patience=0)).reason for _ in range(3)}) == 1


def test_samples_grow_as_long_as_they_are_cheap(monkeypatch):
    sizes = []
    own = converting.mine

    def watched(fragments, forest, **options):
        sizes.append(len(forest))
        return own(fragments, forest, **options)

    monkeypatch.setattr(converting, "mine", watched)
    chosen(EAGER)
    assert sizes[0] <= 64 < sizes[1] <= 128
    assert len(sizes) == 2 + sum(8 * size <= len(DISTINCT) for size in sizes[1:-1])
    sizes.clear()
    chosen(RELUCTANT)
    assert len(sizes) == 2


@pytest.mark.parametrize("power", [1.0, 1.5, 2.0])
def test_counts_are_continued_as_a_power_of_the_trees(power):
    counts = [converting._Count(n, 3.0 * n**power, 2.0 * n, 1.5, 10.0 * n) for n in (64, 128, 256)]
    larger = converting._extrapolated(counts, 4096)
    assert larger.searched == pytest.approx(3.0 * 4096**power)
    assert (larger.malicious, larger.shared, larger.nbytes) == pytest.approx((8192, 1.5, 40960))
    nothing = [converting._Count(n, 0, 0, 0, 0) for n in (64, 128)]
    assert converting._extrapolated(nothing, 1000) == converting._Count(1000, 0, 0, 0, 0)


def test_a_sample_is_made_of_neighbours():
    sample = converting._sample(DISTINCT, 64)
    assert 48 <= len(sample) <= 64
    first = [int(np.flatnonzero(DISTINCT._roots == root)[0]) for root in sample._roots]
    assert first[:16] == list(range(16))
    assert first[-1] == len(DISTINCT) - 1
    assert len(converting._sample(DISTINCT[:5], 64)) == 5


# --- training ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kernel", ["lo", "lo-marked", "c", "c-marked", "sst"])
def test_both_ways_learn_the_same(kernel):
    named = gm.KernelSVC(kernel)._svm_kernel()
    one, other = (fitted(kernel=named, convert=convert) for convert in (True, False))
    assert one.conversion == ConversionChoice(True, "as asked")
    assert other.conversion == ConversionChoice(False, "as asked")
    assert one.machine.provenance["converted"]
    assert "converted" not in other.machine.provenance
    np.testing.assert_allclose(one.objective, other.objective, rtol=1e-6)
    np.testing.assert_allclose(
        one.machine.compile().decision_function(TREES), other.machine.compile().decision_function(TREES), atol=1e-5
    )
    assert type(one.support_vectors) is gm.Forest  # a machine does not keep what training made


@pytest.mark.parametrize("kernel", ["lo-marked", "c-marked"])
def test_coefficients_are_those_of_training_by_dynamic_programming(kernel):
    """With different trees, so that there is one solution."""
    named, labels = gm.KernelSVC(kernel)._svm_kernel(), LABELS[np.unique(TREES._roots, return_index=True)[1]]
    settings = {"tol": 1e-9, "C": 1000.0}
    converted = train_svm(DISTINCT, labels, CLASSES, SvmSettings(named, convert=True, **settings))
    gram = named.direct(DISTINCT)
    by_dp = train_svm(gram, labels, CLASSES, SvmSettings("precomputed", **settings))
    one, other = (coefficients(fit, len(DISTINCT)) for fit in (converted, by_dp))
    assert converted.conversion.converts
    np.testing.assert_array_equal(np.flatnonzero(one), np.flatnonzero(other))
    np.testing.assert_allclose(one, other, rtol=0, atol=1e-6)


def coefficients(fit, size):
    found = np.zeros(size)
    found[fit.support] = fit.dual_coef.ravel()
    return found


def room_of(fit, rows):
    """What max_bytes must be for a conversion, its malicious pairs and so many rows."""
    return fit.rows._source.nbytes + rows * 8 * len(DISTINCT)


def test_rows_of_converted_trees_are_computed_when_a_solver_asks_for_them(monkeypatch):
    for way in ("gram", "take"):
        monkeypatch.setattr(ConvertedRows, way, lambda *_, **__: pytest.fail("went through Python"))
    fit = fitted(convert=True)
    assert fit.conversion.converts
    assert 0 < fit.rows._native.rows_computed <= len(DISTINCT)
    np.testing.assert_allclose(fit.objective, fitted(convert=False).objective, rtol=1e-6)


def test_memory_is_handed_out_once():
    """What conversion and malicious pairs take is not there for rows as well."""
    whole = fitted(convert=True)
    assert whole.nbytes == whole.rows._source.nbytes + whole.rows._native.nbytes
    assert whole.rows._source.nbytes > whole.rows.distinct.stats.nbytes > 0
    room = room_of(whole, 50)
    few = fitted(convert=True, max_bytes=room)
    assert few.conversion.converts
    assert few.nbytes <= room + 32 * len(DISTINCT)  # a few numbers for each row that may be kept
    assert few.rows._native.rows_computed > whole.rows._native.rows_computed
    np.testing.assert_allclose(few.objective, whole.objective, rtol=1e-6)


def test_too_little_room_for_rows_is_an_error_if_asked_for(monkeypatch):
    whole = fitted(convert=True)
    room = room_of(whole, 2)
    assert fitted(convert=True, max_bytes=room).conversion.converts
    with pytest.raises(
        gm.PatternsTooLargeError, match=r"leaves too little of max_bytes = \d+ for rows .*convert=False"
    ):
        fitted(convert=True, max_bytes=room - 1)
    with pytest.raises(gm.PatternsTooLargeError, match="raise max_bytes"):
        fitted(whole.rows.distinct[whole.rows.groups], max_bytes=room - 1)
    monkeypatch.setattr(converting, "choose", lambda *_: ConversionChoice(True, "it pays"))
    fit = fitted(max_bytes=room - 1)
    assert not fit.conversion.converts
    assert "leaves too little" in fit.conversion.reason
    assert type(fit.rows.distinct) is gm.Forest
    np.testing.assert_allclose(fit.objective, whole.objective, rtol=1e-6)


def test_a_converted_forest_is_used_as_it_is(conversions):
    X = gm.ConvertedForest(TREES, KERNEL)
    for kernel in (KERNEL, gm.Normalized(gm.OrderedTreeKernel(0.5, marked=True))):
        for convert in ("auto", True, False):
            fit = fitted(X, kernel, convert=convert)
            assert fit.conversion == ConversionChoice(True, "the trees came converted")
    assert conversions == [len(TREES)]
    other = gm.Normalized(gm.OrderedTreeKernel(0.3))
    assert not fitted(X, other).conversion.converts
    assert fitted(X, other, convert=True).conversion == ConversionChoice(True, "as asked")


def test_another_decay_uses_the_conversion_again(conversions):
    fit = fitted(convert=True)
    other = SvmSettings(gm.Normalized(gm.OrderedTreeKernel(0.6, marked=True)), tol=1e-6, convert=True)
    again = train_svm(TREES[:], LABELS, CLASSES, other, rows=fit.rows)
    assert again.conversion.converts
    assert len(conversions) == 1
    np.testing.assert_allclose(again.objective, fitted(kernel=other.kernel, convert=False).objective, rtol=1e-6)
    train_svm(TREES[::-1], LABELS[::-1], CLASSES, other, rows=fit.rows)
    assert len(conversions) == 2


def test_auto_that_decides_for_it(monkeypatch, conversions):
    monkeypatch.setattr(converting, "choose", lambda *_: ConversionChoice(True, "it pays"))
    assert fitted().conversion == ConversionChoice(True, "it pays")
    assert len(conversions) == 1
    tight = fitted(max_bytes=100_000)
    assert not tight.conversion.converts
    assert "max_size" in tight.conversion.reason
    np.testing.assert_allclose(tight.objective, fitted(convert=False).objective, rtol=1e-6)


def test_regression_and_one_class():
    targets = TREES.sizes()[0].astype(float)
    both = [SvmSettings(KERNEL, tol=1e-6, solver="smo", convert=convert) for convert in (True, False)]
    one, other = (train_svr(TREES, targets, settings, 0.1) for settings in both)
    assert one.conversion.converts
    np.testing.assert_allclose(one.objective, other.objective, rtol=1e-6)
    one, other = (train_one_class(TREES, settings, 0.2) for settings in both)
    assert one.conversion.converts
    np.testing.assert_allclose(one.objective, other.objective, rtol=1e-6)


def test_progress_goes_on_from_conversion_to_rows():
    calls = []
    settings = SvmSettings(KERNEL, convert=True)
    train_svm(TREES, LABELS, CLASSES, settings, progress=lambda *call: calls.append(call))
    shares = [done / total for done, total in calls]
    assert shares == sorted(shares)
    assert shares[-1] == 1


# --- what is refused --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "kernel", [gm.PolynomialKernel(2), gm.PartialTreeKernel(), KERNEL + KERNEL, "precomputed", lambda A, B: A @ B.T]
)
def test_only_some_kernels_can_be_converted_for(kernel):
    with pytest.raises(ValueError, match="convert=True is for one kernel of trees"):
        TrainingRows(kernel, np.eye(3), 1 << 20, Conversion(True))


@pytest.mark.parametrize("convert", ["yes", None, 1, 0.5])
def test_convert_is_a_flag_or_auto(convert):
    with pytest.raises(ValueError, match="convert must be True, False or 'auto'"):
        SvmSettings(KERNEL, convert=convert)
    assert SvmSettings(KERNEL, convert=np.True_).convert is True


def test_limits_are_checked():
    with pytest.raises(ValueError, match="max_size must be"):
        SvmSettings(KERNEL, max_size=0)
    with pytest.raises(ValueError, match="max_embeddings must be"):
        SvmSettings(KERNEL, max_embeddings=-1)
    with pytest.raises(ValueError, match="min_support must be"):
        SvmSettings(KERNEL, min_support=1)
    assert fitted(convert=True, max_size=np.int64(5)).rows.distinct.stats.malicious_rate > 0


def test_too_little_memory_is_an_error_if_asked_for():
    how = (
        r"lower max_size.*convert=False.*max_bytes may be raised.*gristmill.ConvertedForest\(X, kernel, max_size=...\)"
    )
    with pytest.raises(gm.PatternsTooLargeError, match=how):
        fitted(convert=True, max_bytes=100_000)


def test_another_kernel_does_not_ask_for_the_conversion_that_was_kept():
    fit = fitted(convert=True)
    gram = KERNEL(TREES)
    other = train_svm(gram, LABELS, CLASSES, SvmSettings("precomputed", tol=1e-6), rows=fit.rows)
    np.testing.assert_allclose(other.objective, fit.objective, rtol=1e-6)
