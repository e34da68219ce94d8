// SPDX-License-Identifier: BSD-3-Clause
// Rows as solvers in the space of conjunctions see them. k(x, y) falls into four parts:
//
// - k(0), what all rows share;
// - dense: conjunctions of frequent features alone, which a table finds by arithmetic, so that ranks are all we keep;
// - patterns: the other conjunctions that several rows share, those of the same rows put together (rows/patterns.hpp);
// - own: conjunctions that one row alone has, a number per row, which only k(x, x) sees.
//
// Memory: 4 bytes for each dense feature and each pattern of a row; no conjunction of a row is kept by itself.
#pragma once
#include <span>
#include <vector>

#include "base/large_pages.hpp"
#include "base/observer.hpp"
#include "kernel/polynomial.hpp"
#include "rows/patterns.hpp"
#include "rows/ranked_rows.hpp"

namespace gristmill::solve::batch {

class ExpandedRows {
 public:
  // Needs gamma > 0 and coef0 >= 0. Throws PatternsTooLargeError where all of it would take more than max_bytes.
  ExpandedRows(const kernel::PolynomialKernel& kernel, rows::Rows rows, std::size_t max_bytes, std::size_t threads,
               Observer& observer);
  // Some of the rows, in this order. What only others had in common with them stays a pattern.
  ExpandedRows(const ExpandedRows& all, std::span<const RowId> kept);

  [[nodiscard]] std::size_t size() const noexcept { return own_.size(); }
  [[nodiscard]] unsigned degree() const noexcept { return degree_; }
  [[nodiscard]] std::span<const double> subset_weights() const noexcept { return subset_weights_; }
  [[nodiscard]] std::size_t dense_features() const noexcept { return dense_features_; }
  [[nodiscard]] std::span<const double> pattern_weights() const noexcept { return pattern_weights_; }

  // Ascending ranks below dense_features().
  [[nodiscard]] std::span<const rows::Rank> dense(std::size_t row) const {
    return std::span(entries_).subspan(starts_[row], middles_[row] - starts_[row]);
  }
  [[nodiscard]] std::span<const std::uint32_t> patterns(std::size_t row) const {
    return std::span(entries_).subspan(middles_[row], starts_[row + 1] - middles_[row]);
  }
  [[nodiscard]] double own(std::size_t row) const { return own_[row]; }
  [[nodiscard]] double diagonal(std::size_t row) const { return diagonal_[row]; }
  // Weights that a score of the row takes; never 0.
  [[nodiscard]] std::size_t early_stops(std::size_t row) const;

  [[nodiscard]] std::size_t nbytes() const noexcept;

 private:
  [[nodiscard]] rows::Patterns mine(const rows::RankedRows& rows, std::size_t max_bytes, std::size_t threads,
                                    Observer& observer) const;
  void lay_out(const rows::RankedRows& rows, const rows::Patterns& patterns);

  unsigned degree_;
  std::vector<double> subset_weights_;
  std::size_t dense_features_;
  std::vector<double> pattern_weights_;
  std::vector<std::size_t> starts_;
  std::vector<std::size_t> middles_;
  LargeVector<std::uint32_t> entries_;  // of each row: its dense ranks, then its patterns
  std::vector<double> own_;
  std::vector<double> diagonal_;
};

}  // namespace gristmill::solve::batch
