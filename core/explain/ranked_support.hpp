// SPDX-License-Identifier: BSD-3-Clause
// The support rows of a machine with their features by rank, and where a row has these features.
#pragma once
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "machine/machine.hpp"
#include "rows/feature_map.hpp"
#include "score/sums.hpp"

namespace gristmill::explain {

struct RankedSupport {
  explicit RankedSupport(std::shared_ptr<const machine::SetMachine> of)
      : machine(std::move(of)), features(machine->support()), ranks(score::ranks_of(features, machine->ids)) {}

  [[nodiscard]] std::size_t size() const noexcept { return machine->support().size(); }
  [[nodiscard]] std::size_t outputs() const noexcept { return machine->outputs(); }
  [[nodiscard]] std::span<const rows::Rank> row(std::size_t number) const {
    return score::row_of(machine->support(), ranks, number);
  }
  // Of a row, by entry; empty: all are 1.
  [[nodiscard]] std::span<const double> values(std::size_t number) const {
    return machine->values.empty() ? std::span<const double>() : machine->real_support().values_of(number);
  }
  // Adds a share of a row's coefficients to those of an entry of a table x outputs.
  void add(std::size_t number, double share, std::span<double> table, std::size_t at) const {
    machine->coef.add_row(number, share, table.subspan(at * outputs(), outputs()));
  }

  std::shared_ptr<const machine::SetMachine> machine;
  rows::FeatureMap features;
  std::vector<rows::Rank> ranks;  // of the support entries
};

// One per thread.
class Places {
 public:
  explicit Places(const rows::FeatureMap& features) : features_(features), places_(features.size(), 0) {}

  void set(rows::Row x) {
    score::for_each_known(features_, x, [&](rows::Rank rank, std::size_t at) { places_[rank] = at + 1; });
  }
  void clear(rows::Row x) {
    score::for_each_known(features_, x, [&](rows::Rank rank, std::size_t) { places_[rank] = 0; });
  }
  [[nodiscard]] bool has(rows::Rank rank) const { return places_[rank] != 0; }
  [[nodiscard]] std::size_t of(rows::Rank rank) const { return places_[rank] - 1; }  // where it has it

 private:
  const rows::FeatureMap& features_;
  std::vector<std::size_t> places_;  // by rank: one more than where the feature is in the row; 0 where it is not
};

}  // namespace gristmill::explain
