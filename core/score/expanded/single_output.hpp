// SPDX-License-Identifier: BSD-3-Clause
// One output: scores and labels from tables of conjunctions.
#pragma once
#include "score/decision_policy.hpp"
#include "score/early_stop_stats.hpp"
#include "score/expanded/conjunctions.hpp"

namespace gristmill::score::expanded {

struct SingleScratch {
  RowWindow window;
  Marks marks;
  FoundNodes nodes;
};

// out[row] for the rows of [begin, end).
void score_single(const Tables<double>& tables, rows::Rows rows, std::size_t begin, std::size_t end,
                  std::span<double> out, SingleScratch& scratch);

// The sign of each score (1: above 0), found with as little work as possible, or undecided where it hangs on rounding
// errors: doubt[length of the row] bounds those.
void decide_single(const Tables<double>& tables, rows::Rows rows, std::size_t begin, std::size_t end,
                   std::span<const double> doubt, std::span<std::int32_t> out, SingleScratch& scratch,
                   EarlyStopStats& early_stops);

}  // namespace gristmill::score::expanded
