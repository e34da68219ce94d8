// SPDX-License-Identifier: BSD-3-Clause
// The features of a set of rows, renumbered by frequency: rank 0 is the most frequent, ties go to the smaller id.
// Everything behind the map is sized by the features there are, never by the largest id, so a single id of two thousand
// million costs nothing.
#pragma once
#include <cstddef>
#include <vector>

#include "rows/rows.hpp"

namespace gristmill {

using Rank = std::uint32_t;

class FeatureMap {
 public:
  static constexpr Rank unseen = 0xFFFFFFFF;

  explicit FeatureMap(Rows rows);

  [[nodiscard]] std::size_t size() const noexcept { return counts_.size(); }
  [[nodiscard]] std::size_t count(Rank rank) const { return counts_[rank]; }
  [[nodiscard]] std::size_t nbytes() const noexcept;

  // The rank of a feature, or unseen. One load when ids are dense, else a probe of a hash table.
  [[nodiscard]] Rank find(FeatureId id) const noexcept {
    const auto key = static_cast<std::uint32_t>(id);
    if (!direct_.empty()) return key < direct_.size() ? direct_[key] : unseen;
    return probe(key);
  }

 private:
  struct Slot {
    std::uint32_t id;
    Rank rank;
  };

  void fill_direct(const std::vector<FeatureId>& by_rank, std::size_t limit);
  void fill_slots(const std::vector<FeatureId>& by_rank);
  [[nodiscard]] Rank probe(std::uint32_t id) const noexcept;
  [[nodiscard]] std::size_t home(std::uint32_t id) const noexcept;

  std::vector<std::size_t> counts_;  // by rank
  std::vector<Rank> direct_;         // by id, when ids are dense
  std::vector<Slot> slots_;          // otherwise: open addressing, a power of two, at most half full
  unsigned shift_ = 0;
};

}  // namespace gristmill
