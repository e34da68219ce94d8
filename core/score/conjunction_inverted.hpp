// SPDX-License-Identifier: BSD-3-Clause
// A machine of conjunctions by an index: each conjunction is listed with its rarest feature and the rest of it is
// checked (see rows/conjunction_index.hpp). For any number of features, and conjunctions of any length.
// Cost per example: the conjunctions at home with its features.
#pragma once
#include <memory>
#include <span>
#include <vector>

#include "machine/conjunction_machine.hpp"
#include "rows/conjunction_index.hpp"

namespace gristmill::score {

class ConjunctionInverted {
 public:
  // One per thread. Between calls all marks are zero.
  struct Scratch {
    std::vector<rows::Rank> known;     // the features of x that conjunctions have
    std::vector<std::uint8_t> marked;  // by rank
  };

  explicit ConjunctionInverted(std::shared_ptr<const machine::ConjunctionMachine> machine);

  [[nodiscard]] std::size_t outputs() const noexcept { return base_.size(); }
  [[nodiscard]] std::size_t nbytes() const noexcept;
  [[nodiscard]] Scratch make_scratch() const { return {{}, std::vector<std::uint8_t>(index_.features().size(), 0)}; }

  // Writes outputs() scores. Equals ConjunctionDirect up to the order of summation.
  void score(rows::Row x, std::span<double> out, Scratch& scratch) const;

 private:
  std::shared_ptr<const machine::ConjunctionMachine> machine_;
  rows::ConjunctionIndex index_;
  std::vector<double> base_;  // of the row without features
};

// The scores of the row without features: the intercepts and the conjunctions that ask for nothing.
[[nodiscard]] std::vector<double> base_scores(const machine::ConjunctionMachine& machine,
                                              const rows::ConjunctionIndex& index);

}  // namespace gristmill::score
