// SPDX-License-Identifier: BSD-3-Clause
// The direct scorer in real arithmetic, for machines or data whose values are not all 0 and 1: the same definition with
// <s_i, x> in place of the overlap, summed over ascending feature ids as LIBSVM does.
#pragma once
#include <memory>
#include <span>
#include <vector>

#include "machine/machine.hpp"
#include "rows/feature_map.hpp"

namespace gristmill::score {

class RealScorer {
 public:
  // One per thread. Between calls all values are zero.
  struct Scratch {
    std::vector<double> values;      // by rank: the value of the feature in x
    std::vector<double> similarity;  // k(s_i, x) of every support row
  };

  explicit RealScorer(std::shared_ptr<const machine::SetMachine> machine);

  [[nodiscard]] std::size_t outputs() const noexcept { return machine_->outputs(); }
  [[nodiscard]] std::size_t nbytes() const noexcept;
  [[nodiscard]] Scratch make_scratch() const;

  // Writes outputs() scores.
  void score(rows::Row x, std::span<const double> values, std::span<double> out, Scratch& scratch) const;

 private:
  [[nodiscard]] double dot(std::size_t row, const Scratch& scratch) const;

  std::shared_ptr<const machine::SetMachine> machine_;
  rows::FeatureMap features_;
  std::vector<rows::Rank> ranks_;  // of the support entries
  std::vector<double> squares_;    // <s_i, s_i>
};

}  // namespace gristmill::score
