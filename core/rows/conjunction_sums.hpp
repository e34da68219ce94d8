// SPDX-License-Identifier: BSD-3-Clause
// All conjunctions that rows hold, with what the rows that hold them sum up to: the way from numbers of rows (the
// coefficients of a kernel machine) to weights of conjunctions.
//
// A conjunction belongs to its rarest feature; from there it grows towards more frequent ones, over the rows that have
// it (PrefixSpan). Cost: one step per occurrence of a conjunction.
#pragma once
#include <span>
#include <vector>

#include "base/observer.hpp"
#include "rows/rows.hpp"

namespace gristmill::rows {

struct ConjunctionSums {
  std::vector<Offset> offsets{0};  // of the features of each conjunction
  std::vector<FeatureId> ids;      // ascending
  std::vector<double> sums;        // of conjunctions x outputs
};

// values: of rows x outputs. Conjunctions of 1 to weights.size() - 1 features; the sum of one of r features is
// multiplied by weights[r]; where nothing but 0 is left there is none. Throws PatternsTooLargeError where they take
// more than max_bytes. The number of threads does not change the result.
[[nodiscard]] ConjunctionSums sum_conjunctions(Rows rows, std::span<const double> values, std::size_t outputs,
                                               std::span<const double> weights, std::size_t max_bytes,
                                               std::size_t threads, Observer& observer);

}  // namespace gristmill::rows
