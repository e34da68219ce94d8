// SPDX-License-Identifier: BSD-3-Clause
// Patterns: sets of rows that have something in common, each with a weight. Features that occur in the same rows cannot
// be told apart by a linear model on these rows: they are one pattern with the sum of their weights, and nothing is
// lost.
#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "base/lists.hpp"
#include "base/types.hpp"

namespace gristmill::rows {

class Patterns {
 public:
  [[nodiscard]] std::size_t size() const noexcept { return weights_.size(); }
  [[nodiscard]] std::size_t occurrences() const noexcept { return rows_.items().size(); }
  [[nodiscard]] std::span<const double> weights() const noexcept { return weights_; }
  [[nodiscard]] std::span<const RowId> operator[](std::size_t pattern) const { return rows_[pattern]; }
  [[nodiscard]] std::size_t nbytes() const noexcept {
    return occurrences() * sizeof(RowId) + size() * 4 * sizeof(double);  // half of it is for merging them
  }

  // Rows of a pattern are written in ascending order, one by one.
  void write(RowId row) { rows_.push(row); }
  void end_pattern(double weight) {
    rows_.close();
    weights_.push_back(weight);
  }

  // One after the other.
  [[nodiscard]] static Patterns joined(std::vector<Patterns> parts);
  void fit();  // gives back memory that was taken in advance

  // Those with the same rows put together, the most frequent ones first.
  [[nodiscard]] Patterns merged() const;

 private:
  Lists<RowId> rows_;
  std::vector<double> weights_;
};

}  // namespace gristmill::rows
