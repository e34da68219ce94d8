// SPDX-License-Identifier: BSD-3-Clause
// Several outputs: scores and classes from tables of conjunctions. What is found is first listed, then added up, eight
// outputs at a time in registers.
#pragma once
#include "machine/coefficients.hpp"
#include "score/decision_policy.hpp"
#include "score/early_stop_stats.hpp"
#include "score/expanded/conjunctions.hpp"

namespace gristmill::score::expanded {

struct FoundRows {
  std::vector<RowRef> whole;
  std::vector<RowRef> lists;
  std::size_t whole_count = 0;
  std::size_t list_count = 0;
};

// A support row that shares a rare feature with a row.
struct RareHit {
  std::uint64_t support;
  std::uint32_t overlap;
};

struct MultiScratch {
  RowWindow window;
  Marks marks;
  FoundNodes nodes;
  FoundRows found;
  std::array<FoundRows, RowWindow::ring_size> blocks;  // what rows in flight have found in the block
  std::vector<double> scores;                          // padded
  std::vector<std::int32_t> coarse;                    // sums of coarse rows, padded
  std::vector<double> rough;                           // scores that they give
  std::vector<std::int32_t> votes;
  std::vector<RareHit> hits;
};

// What a call is about.
struct MultiCall {
  rows::Rows rows;
  std::size_t begin;
  std::size_t end;
  const machine::Coefficients& coef;
};

// out: rows x outputs.
void score_multi(const Tables<RowRef>& tables, const MultiCall& call, std::span<double> out, MultiScratch& scratch);

// The class of each row, found with as little work as possible, or undecided where it hangs on rounding errors:
// doubt[length of the row] bounds those.
void decide_multi(const Tables<RowRef>& tables, const MultiCall& call, const DecisionPolicy& policy,
                  std::span<const double> doubt, std::span<std::int32_t> out, MultiScratch& scratch,
                  EarlyStopStats& early_stops);

}  // namespace gristmill::score::expanded
