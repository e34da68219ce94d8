// SPDX-License-Identifier: BSD-3-Clause
// Exact Shapley values and interactions of groups of features of binary rows under any kernel of sets, with a reference
// row or independent groups as background. To a support row a group gives features that the two share and features that
// the example has, these if it came and those if it did not; k is a function of both sums (CountGame). Support rows to
// which the groups give the same, in whatever order, are one game.
//
// Cost: entries of the support rows, and the games that differ. With n groups, counts of shared features from one sum
// to another by M and lengths by L, a game takes n^2 M L / 2 steps, with interactions n^3 M L / 6. Where all groups
// have one feature in either row, as fields of tables have, L is 1 and M at most n + 1.
#pragma once
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "base/observer.hpp"
#include "explain/contrasts.hpp"
#include "kernel/set_values.hpp"
#include "machine/machine.hpp"
#include "rows/feature_map.hpp"

namespace gristmill::explain {

class CountShapley {
 public:
  static constexpr std::size_t most_counts = std::size_t{1} << 23U;  // of a game: players x shared x lengths

  // The support rows are binary.
  explicit CountShapley(std::shared_ptr<const machine::SetMachine> machine);

  [[nodiscard]] std::size_t outputs() const noexcept { return machine_->outputs(); }

  // Adds to `values` (players x outputs) and, unless that is empty, to `interactions`, see ReferenceShapley; values
  // other than 0 are as 1. `independent`: the reference has the probability of each feature, of which a player has at
  // most one. Throws std::invalid_argument where a row may take more than most_counts.
  void explain(const Contrasts& contrasts, bool independent, std::span<double> values, std::span<double> interactions,
               std::size_t threads, Observer& observer) const;

 private:
  std::shared_ptr<const machine::SetMachine> machine_;
  kernel::SetValues values_;
  rows::FeatureMap features_;
  std::vector<rows::Rank> ranks_;  // of the support entries
};

}  // namespace gristmill::explain
