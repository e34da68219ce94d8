// SPDX-License-Identifier: BSD-3-Clause
// One output: scores and labels from tables of conjunctions.
#pragma once
#include "score/decision/decision.hpp"
#include "score/expanded/conjunctions.hpp"
#include "score/expanded/early_stop_stats.hpp"

namespace gristmill::score::expanded {

struct OneScratch {
  RowWindow window;
  Marks marks;
  FoundNodes nodes;
};

// out[row] for the rows of [begin, end).
void score_one(const Tables<double, std::uint16_t>& tables, rows::Rows rows, std::size_t begin, std::size_t end,
               std::span<double> out, OneScratch& scratch);
void score_one(const Tables<double, std::uint32_t>& tables, rows::Rows rows, std::size_t begin, std::size_t end,
               std::span<double> out, OneScratch& scratch);

// The class of each row by the sign of its score, found with as little work as possible, or undecided where it hangs on
// rounding errors: doubt[length of the row] bounds those.
void decide_one(const Tables<double, std::uint16_t>& tables, rows::Rows rows, std::size_t begin, std::size_t end,
                std::span<const double> doubt, std::span<std::int32_t> out, OneScratch& scratch,
                EarlyStopStats& early_stops);
void decide_one(const Tables<double, std::uint32_t>& tables, rows::Rows rows, std::size_t begin, std::size_t end,
                std::span<const double> doubt, std::span<std::int32_t> out, OneScratch& scratch,
                EarlyStopStats& early_stops);

}  // namespace gristmill::score::expanded
