// SPDX-License-Identifier: BSD-3-Clause
// How often each tree of a set has each of some features (productions or labels), by feature: inner products of counts,
// for one tree with all trees. Features of many trees are dense columns of bytes, others are lists.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "forest/tree_set.hpp"

namespace gristmill::forest {

class CountColumns {
 public:
  static constexpr std::uint32_t none = UINT32_MAX;

  CountColumns() = default;
  // feature_of: of every subtree, or none.
  CountColumns(const TreeSet& set, std::span<const std::uint32_t> feature_of, std::size_t features);

  // sums[tree] += times * count of the feature, for the trees there are sums for.
  template <class Sum>
  void add(std::uint32_t feature, Sum times, std::span<Sum> sums) const;

  [[nodiscard]] std::size_t nbytes() const noexcept { return dense_.size() + entries_.nbytes(); }

 private:
  struct Entry {
    std::uint32_t tree;
    std::uint32_t count;
  };

  std::size_t trees_ = 0;
  std::vector<std::uint32_t> column_of_;  // of a feature, or none
  std::vector<std::uint8_t> dense_;       // columns
  Lists<Entry> entries_;                  // of a feature, by tree; none for features with a column
};

}  // namespace gristmill::forest
