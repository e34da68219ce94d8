// SPDX-License-Identifier: BSD-3-Clause
// The direct scorer (PKB; Kudo and Matsumoto 2003, section 3): the definition, term by term.
//
//   f(x) = sum_i a_i k(s_i, x) + b
//
// Terms are added in the order of the support rows and the intercept last, as LIBSVM does: on binary data scores are
// LIBSVM's to the last bit, and other engines ask this one when a score is too small to trust its sign.
// Cost per example: every entry of every support row. Memory: 4 bytes an entry beside the machine.
#pragma once
#include <memory>
#include <span>
#include <vector>

#include "kernel/set_values.hpp"
#include "machine/machine.hpp"
#include "rows/feature_map.hpp"

namespace gristmill::score {

class DirectScorer {
 public:
  // One per thread. Between calls all marks are zero.
  struct Scratch {
    std::vector<std::uint8_t> marked;  // by rank: is the feature in x?
    std::vector<double> similarity;    // k(s_i, x) of every support row
  };

  explicit DirectScorer(std::shared_ptr<const machine::SetMachine> machine);

  [[nodiscard]] const machine::SetMachine& machine() const noexcept { return *machine_; }
  [[nodiscard]] std::size_t outputs() const noexcept { return machine_->outputs(); }
  [[nodiscard]] std::size_t nbytes() const noexcept;
  [[nodiscard]] Scratch make_scratch() const;

  // Writes outputs() scores.
  void score(rows::Row x, std::span<double> out, Scratch& scratch) const;

 private:
  std::shared_ptr<const machine::SetMachine> machine_;
  rows::FeatureMap features_;
  std::vector<rows::Rank> ranks_;  // of the support entries
  kernel::SetValues values_;
};

}  // namespace gristmill::score
