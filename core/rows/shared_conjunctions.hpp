// SPDX-License-Identifier: BSD-3-Clause
// The conjunctions that several rows of a data set share, as patterns of rows (see rows/patterns.hpp).
//
// A conjunction belongs to its rarest feature; from there it grows towards more frequent ones, over the rows that have
// it (PrefixSpan). One that a single row has is never looked at: all of them together are what is left of k(x, x).
// Below a conjunction of at most 64 rows sets of rows are bits of a word, and equal ones are put together on the spot:
// the many conjunctions of a rare feature are few patterns.
//
// Cost: one step per occurrence of a conjunction whose parent several rows have.
#pragma once
#include "base/memory_budget.hpp"
#include "base/observer.hpp"
#include "rows/patterns.hpp"
#include "rows/ranked_rows.hpp"

namespace gristmill::rows {

[[nodiscard]] inline MemoryBudget conjunction_budget(std::size_t max_bytes) {
  return {max_bytes, "the conjunctions of the data"};
}

// Conjunctions of 1 to weights.size() - 1 features; one of r features weighs weights[r]. Those of features below
// `first` alone are left out. Throws PatternsTooLargeError. The number of threads does not change the result.
[[nodiscard]] Patterns mine_shared(const RankedRows& rows, std::span<const double> weights, Rank first,
                                   std::size_t max_bytes, std::size_t threads, Observer& observer);

}  // namespace gristmill::rows
