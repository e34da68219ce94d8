// SPDX-License-Identifier: BSD-3-Clause
// Exact Shapley values and interactions of features of binary rows under any kernel of sets, against a reference row:
// features in which x and the reference differ are players. What a support row gives to each of four kinds of them is
// in KindShares; rows with as many players of each kind, and as many features, give the same.
//
// Cost: entries of the support rows, the shares of the kinds that occur, and for each support row additions for the
// players that it has (values) or their pairs (interactions).
#pragma once
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "base/observer.hpp"
#include "explain/contrasts.hpp"
#include "explain/ranked_support.hpp"
#include "kernel/set_values.hpp"

namespace gristmill::explain {

class SetReferenceShapley {
 public:
  // The support rows are binary.
  explicit SetReferenceShapley(std::shared_ptr<const machine::SetMachine> machine);

  [[nodiscard]] std::size_t outputs() const noexcept { return support_.outputs(); }

  // Adds to `values` (entries x outputs) and, unless that is empty, to `interactions`: for row after row its pairs of
  // entries p < q in the order (0, 1), (0, 2), ..., (1, 2), ..., x outputs. Each entry is a player; values other than 0
  // are as 1.
  void explain(const Contrasts& contrasts, std::span<double> values, std::span<double> interactions,
               std::size_t threads, Observer& observer) const;

 private:
  RankedSupport support_;
  kernel::SetValues values_;
};

}  // namespace gristmill::explain
