// SPDX-License-Identifier: BSD-3-Clause
#include "forest/count_columns.hpp"

#include <algorithm>

#include "base/variants.hpp"

namespace gristmill::forest {
namespace {

constexpr std::size_t dense_share = 16;  // features of more than one in so many trees get a column

GRISTMILL_VARIANTS void add_column(const std::uint8_t* column, std::int32_t times, std::int32_t* sums,
                                   std::size_t trees) {
  for (std::size_t tree = 0; tree < trees; ++tree) sums[tree] += times * column[tree];
}

GRISTMILL_VARIANTS void add_column(const std::uint8_t* column, double times, double* sums, std::size_t trees) {
  for (std::size_t tree = 0; tree < trees; ++tree) sums[tree] += times * column[tree];
}

}  // namespace

CountColumns::CountColumns(const TreeSet& set, std::span<const std::uint32_t> feature_of, std::size_t features)
    : trees_(set.trees()) {
  std::vector<std::uint32_t> counts(features, 0);
  std::vector<std::uint32_t> touched;
  const auto count = [&](std::size_t tree) {
    touched.clear();
    for (const TreeSet::Part& part : set.parts(tree)) {
      const std::uint32_t feature = feature_of[part.subtree];
      if (feature == none) continue;
      if (counts[feature] == 0) touched.push_back(feature);
      counts[feature] += part.count;
    }
  };
  std::vector<std::size_t> trees_with(features, 0);
  std::vector<std::uint32_t> largest(features, 0);
  for (std::size_t tree = 0; tree < trees_; ++tree) {
    count(tree);
    for (const std::uint32_t feature : touched) {
      ++trees_with[feature];
      largest[feature] = std::max(largest[feature], counts[feature]);
      counts[feature] = 0;
    }
  }
  column_of_.assign(features, none);
  std::uint32_t columns = 0;
  for (std::size_t feature = 0; feature < features; ++feature) {
    if (trees_with[feature] * dense_share <= trees_ || largest[feature] > UINT8_MAX) continue;
    column_of_[feature] = columns++;
    trees_with[feature] = 0;
  }
  dense_.assign(columns * trees_, 0);
  entries_ = Lists<Entry>::of_lengths(features, [&](std::size_t feature) { return trees_with[feature]; });
  std::vector<std::size_t> next(features, 0);
  for (std::size_t tree = 0; tree < trees_; ++tree) {
    count(tree);
    for (const std::uint32_t feature : touched) {
      if (column_of_[feature] != none) {
        dense_[column_of_[feature] * trees_ + tree] = static_cast<std::uint8_t>(counts[feature]);
      } else {
        entries_[feature][next[feature]++] = {static_cast<std::uint32_t>(tree), counts[feature]};
      }
      counts[feature] = 0;
    }
  }
}

template <class Sum>
void CountColumns::add(std::uint32_t feature, Sum times, std::span<Sum> sums) const {
  if (column_of_[feature] != none) {
    add_column(dense_.data() + column_of_[feature] * trees_, times, sums.data(), sums.size());
    return;
  }
  for (const Entry& entry : entries_[feature]) {
    if (entry.tree >= sums.size()) return;
    sums[entry.tree] += times * static_cast<Sum>(entry.count);
  }
}

template void CountColumns::add(std::uint32_t, std::int32_t, std::span<std::int32_t>) const;
template void CountColumns::add(std::uint32_t, double, std::span<double>) const;

}  // namespace gristmill::forest
