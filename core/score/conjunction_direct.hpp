// SPDX-License-Identifier: BSD-3-Clause
// The definition of a machine of conjunctions, term by term: the coefficients of the support rows that x has all
// features of, in their order, and the intercept last.
// Cost per example: a feature or more of every support row. Memory: 4 bytes an entry beside the machine.
#pragma once
#include <memory>
#include <span>
#include <vector>

#include "machine/conjunction_machine.hpp"
#include "rows/feature_map.hpp"

namespace gristmill::score {

class ConjunctionDirect {
 public:
  // One per thread. Between calls all marks are zero.
  struct Scratch {
    std::vector<std::uint8_t> marked;  // by rank: is the feature in x?
  };

  explicit ConjunctionDirect(std::shared_ptr<const machine::ConjunctionMachine> machine);

  [[nodiscard]] std::size_t outputs() const noexcept { return machine_->outputs(); }
  [[nodiscard]] std::size_t nbytes() const noexcept;
  [[nodiscard]] Scratch make_scratch() const { return {std::vector<std::uint8_t>(features_.size(), 0)}; }

  // Writes outputs() scores.
  void score(rows::Row x, std::span<double> out, Scratch& scratch) const;

 private:
  std::shared_ptr<const machine::ConjunctionMachine> machine_;
  rows::FeatureMap features_;
  std::vector<rows::Rank> ranks_;  // of the support entries
};

}  // namespace gristmill::score
