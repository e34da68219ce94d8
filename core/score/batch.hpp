// SPDX-License-Identifier: BSD-3-Clause
// Scores many rows with any scorer: threads share the scorer, each with a scratch of its own.
#pragma once
#include <vector>

#include "base/parallel.hpp"
#include "rows/rows.hpp"

namespace gristmill {

constexpr std::size_t score_grain = 16;  // rows handed to a thread at once

// out: rows.size() x scorer.outputs(), row-major. score_one(row number, out of that row, scratch).
template <class Scorer, class ScoreOne>
void score_each(const Scorer& scorer, std::size_t rows, std::span<double> out, std::size_t threads, Observer& observer,
                ScoreOne score_one) {
  std::vector<typename Scorer::Scratch> scratch(threads_for(rows, score_grain, threads), scorer.make_scratch());
  const std::size_t outputs = scorer.outputs();
  parallel_for(rows, score_grain, threads, observer, [&](std::size_t begin, std::size_t end, std::size_t worker) {
    for (std::size_t row = begin; row < end; ++row) {
      score_one(row, out.subspan(row * outputs, outputs), scratch[worker]);
    }
  });
}

template <class Scorer>
void score_rows(const Scorer& scorer, Rows rows, std::span<double> out, std::size_t threads, Observer& observer) {
  score_each(scorer, rows.size(), out, threads, observer,
             [&](std::size_t row, std::span<double> to, auto& scratch) { scorer.score(rows[row], to, scratch); });
}

template <class Scorer>
void score_real_rows(const Scorer& scorer, RealRows rows, std::span<double> out, std::size_t threads,
                     Observer& observer) {
  score_each(scorer, rows.rows.size(), out, threads, observer,
             [&](std::size_t row, std::span<double> to, auto& scratch) {
               scorer.score(rows.rows[row], rows.values_of(row), to, scratch);
             });
}

}  // namespace gristmill
