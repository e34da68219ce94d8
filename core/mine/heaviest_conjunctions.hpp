// SPDX-License-Identifier: BSD-3-Clause
// The heaviest conjunctions of a machine: for each output, a conjunction s of features weighs
//
//   w(s) = c(|s|) * sum of a_i over the support rows that hold s   (Kudo and Matsumoto 2003; docs/formulas.md A4)
//
// Found are the k of largest |w|, or all with |w| >= sigma: PrefixSpan with branch and bound. A conjunction belongs to
// its rarest feature and grows towards more frequent ones, over the support rows that hold it. What contains s is held
// by some of those rows alone, so it weighs at most the largest |c| of more features times the positive or the negative
// part of the sum. Features that promise most come first: the k-th best weight, below which nothing is looked for, soon
// stands near its end.
//
// Cost: the features of all support rows once for each coefficient of the row; then those of the rows that hold a
// conjunction whose bound reaches the k-th best weight, output by output, for most outputs are out of the race by then.
#pragma once
#include <span>
#include <vector>

#include "base/observer.hpp"
#include "machine/coefficients.hpp"
#include "mine/found_conjunctions.hpp"
#include "rows/rows.hpp"

namespace gristmill::mine {

// c: c(0), c(1), ..., up to the largest size that is looked for; any signs. Conjunctions that weigh exactly 0 are none.
// Heaviest first. Throws std::length_error where they are more than options.max_found. The number of threads does not
// change the result.
[[nodiscard]] std::vector<Conjunction> heaviest_conjunctions(rows::Rows support, const machine::Coefficients& coef,
                                                             std::span<const double> c, const HeaviestOptions& options,
                                                             std::size_t threads, Observer& observer);

}  // namespace gristmill::mine
