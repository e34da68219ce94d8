// SPDX-License-Identifier: BSD-3-Clause
// The features of a set of rows, renumbered by frequency: rank 0 is the most frequent, ties go to the smaller id.
#pragma once
#include <cstddef>
#include <vector>

#include "rows/id_table.hpp"
#include "rows/rows.hpp"

namespace gristmill::rows {

using Rank = std::uint32_t;

class FeatureMap {
 public:
  static constexpr Rank unseen = 0xFFFFFFFF;

  explicit FeatureMap(Rows rows);

  [[nodiscard]] std::size_t size() const noexcept { return ids_.size(); }
  [[nodiscard]] std::size_t count(Rank rank) const { return counts_[rank]; }
  [[nodiscard]] std::span<const FeatureId> ids() const noexcept { return ids_; }  // by rank
  [[nodiscard]] std::size_t nbytes() const noexcept;

  // The rank of a feature, or unseen.
  [[nodiscard]] Rank find(FeatureId id) const noexcept { return ranks_.find(id); }

 private:
  std::vector<FeatureId> ids_;       // by rank
  std::vector<std::size_t> counts_;  // by rank
  IdTable<Rank> ranks_;
};

}  // namespace gristmill::rows
