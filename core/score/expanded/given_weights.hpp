// SPDX-License-Identifier: BSD-3-Clause
// Weights of conjunctions that are given: of each conjunction the sum of the coefficients of the support rows that are
// exactly it. Nothing is left out.
#pragma once
#include "machine/conjunction_machine.hpp"
#include "rows/conjunction_index.hpp"
#include "score/expanded/weights.hpp"

namespace gristmill::score::expanded {

class SingleGiven : public SingleStore {
 public:
  using Source = rows::ConjunctionIndex;
  using Split = rows::BranchSplit;
  using Places = rows::ConjunctionIndex::Branch;

  SingleGiven(const machine::ConjunctionMachine& machine, const Source& index, std::size_t block)
      : SingleStore(block), index_(index), coef_(only_column(machine.coef)) {}

  Term evaluate(const Places& branch, unsigned size);
  [[nodiscard]] static bool may_grow(const Places&) { return true; }
  [[nodiscard]] static bool may_drop() noexcept { return false; }
  [[nodiscard]] static double below(const Places&, unsigned) { return 0; }
  // How much the conjunctions with more features can weigh together.
  [[nodiscard]] Range reach_below(const Places& branch, unsigned size) const;

  [[nodiscard]] std::span<const double> coef() const noexcept { return coef_; }

 private:
  const Source& index_;
  std::vector<double> coef_;
};

class MultiGiven : public MultiStore {
 public:
  using Source = rows::ConjunctionIndex;
  using Split = rows::BranchSplit;
  using Places = rows::ConjunctionIndex::Branch;

  MultiGiven(const machine::ConjunctionMachine& machine, const Source& index, std::size_t block)
      : MultiStore(machine.outputs(), block), index_(index), coef_(machine.coef) {}

  Term evaluate(const Places& branch, unsigned size);
  [[nodiscard]] static bool may_grow(const Places&) { return true; }
  [[nodiscard]] static bool may_drop() noexcept { return false; }
  [[nodiscard]] static double below(const Places&, unsigned) { return 0; }
  [[nodiscard]] Range reach_below(const Places& branch, unsigned size) const;

  [[nodiscard]] const machine::Coefficients& coef() const noexcept { return coef_; }

 private:
  const Source& index_;
  const machine::Coefficients& coef_;
};

}  // namespace gristmill::score::expanded
