// SPDX-License-Identifier: BSD-3-Clause
// Sums of interactions over many examples, for every pair of features that comes together in one of them.
#pragma once
#include <cmath>
#include <span>
#include <vector>

#include "base/edge_map.hpp"
#include "rows/rows.hpp"

namespace gristmill::explain {

class PairTotals {
 public:
  explicit PairTotals(std::size_t outputs) : outputs_(outputs) {}

  [[nodiscard]] std::size_t size() const noexcept { return examples_.size(); }
  [[nodiscard]] std::size_t outputs() const noexcept { return outputs_; }

  // interactions: the pairs of each row, (0, 1), (0, 2), ..., (1, 2), ..., row after row, x outputs.
  void add(rows::Rows rows, std::span<const double> interactions) {
    const double* next = interactions.data();
    for (std::size_t row = 0; row < rows.size(); ++row) {
      for (std::size_t one = 0; one < rows[row].size(); ++one) {
        for (std::size_t other = one + 1; other < rows[row].size(); ++other, next += outputs_) {
          add_pair(rows[row][one], rows[row][other], next);
        }
      }
    }
  }

  // By pair, in the order in which they came: two features each, examples that have both, and sums x outputs.
  [[nodiscard]] std::span<const FeatureId> features() const noexcept { return features_; }
  [[nodiscard]] std::span<const std::int64_t> examples() const noexcept { return examples_; }
  [[nodiscard]] std::span<const double> sums() const noexcept { return sums_; }
  [[nodiscard]] std::span<const double> magnitudes() const noexcept { return magnitudes_; }  // sums of |interaction|

 private:
  void add_pair(FeatureId one, FeatureId other, const double* interactions) {
    const std::size_t pair = numbers_.make(static_cast<std::uint32_t>(one), static_cast<std::uint32_t>(other)) - 1;
    if (pair == size()) {
      features_.insert(features_.end(), {one, other});
      examples_.push_back(0);
      sums_.resize(sums_.size() + outputs_, 0.0);
      magnitudes_.resize(magnitudes_.size() + outputs_, 0.0);
    }
    ++examples_[pair];
    for (std::size_t output = 0; output < outputs_; ++output) {
      sums_[pair * outputs_ + output] += interactions[output];
      magnitudes_[pair * outputs_ + output] += std::abs(interactions[output]);
    }
  }

  std::size_t outputs_;
  EdgeMap numbers_;
  std::vector<FeatureId> features_;
  std::vector<std::int64_t> examples_;
  std::vector<double> sums_;
  std::vector<double> magnitudes_;
};

}  // namespace gristmill::explain
