// SPDX-License-Identifier: BSD-3-Clause
// What indexes of rows have in common: features that occur in a good part of the rows, which are the first ranks, are
// columns with a place for each row; each of the others is the list of its rows.
#pragma once
#include <cstddef>

#include "base/lists.hpp"
#include "rows/feature_map.hpp"
#include "rows/rows.hpp"

namespace gristmill::rows {

// How many of the first ranks are frequent, by the number of rows that have them.
template <class IsFrequent>
[[nodiscard]] std::size_t count_frequent(const FeatureMap& features, IsFrequent is_frequent) {
  std::size_t frequent = 0;
  while (frequent < features.size() && is_frequent(features.count(static_cast<Rank>(frequent)))) ++frequent;
  return frequent;
}

// The lists, by rank, empty for frequent features; set(rank, row) for these. each(visit) calls visit(feature, row) for
// all features of all rows, those of a row after those of the rows before it.
template <class Each, class Set>
[[nodiscard]] Lists<RowId> split_by_frequency(const FeatureMap& features, std::size_t frequent, Each each, Set set) {
  const auto length = [&](std::size_t rank) {
    return rank < frequent ? std::size_t{0} : features.count(static_cast<Rank>(rank));
  };
  return Lists<RowId>::filled(features.size(), length, [&](auto visit) {
    each([&](FeatureId id, std::size_t row) {
      const Rank rank = features.find(id);
      if (rank < frequent) {
        set(rank, row);
      } else {
        visit(rank, static_cast<RowId>(row));
      }
    });
  });
}

// The same where rows are counted as they are.
template <class Set>
[[nodiscard]] Lists<RowId> split_by_frequency(const FeatureMap& features, std::size_t frequent, Rows rows, Set set) {
  const auto each = [&](auto visit) {
    for (std::size_t row = 0; row < rows.size(); ++row) {
      for (const FeatureId id : rows[row]) visit(id, row);
    }
  };
  return split_by_frequency(features, frequent, each, set);
}

}  // namespace gristmill::rows
