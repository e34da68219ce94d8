// SPDX-License-Identifier: BSD-3-Clause
#include "rows/feature_map.hpp"

#include <algorithm>
#include <numeric>

namespace gristmill::rows {
namespace {

struct Counted {
  FeatureId id;
  std::size_t count;
};

std::size_t id_limit(Rows rows) {
  return rows.ids.empty() ? 0 : static_cast<std::size_t>(*std::ranges::max_element(rows.ids)) + 1;
}

std::vector<Counted> count_by_table(Rows rows, std::size_t limit) {
  std::vector<std::size_t> counts(limit, 0);
  for (const FeatureId id : rows.ids) ++counts[static_cast<std::size_t>(id)];
  std::vector<Counted> counted;
  for (std::size_t id = 0; id < limit; ++id) {
    if (counts[id] > 0) counted.push_back({static_cast<FeatureId>(id), counts[id]});
  }
  return counted;
}

std::vector<Counted> count_by_sorting(Rows rows) {
  std::vector<FeatureId> ids(rows.ids.begin(), rows.ids.end());
  std::ranges::sort(ids);
  std::vector<Counted> counted;
  for (const FeatureId id : ids) {
    if (counted.empty() || counted.back().id != id) counted.push_back({id, 0});
    ++counted.back().count;
  }
  return counted;
}

std::vector<Counted> counted_features(Rows rows) {
  const std::size_t limit = id_limit(rows);
  const bool table = limit <= (std::size_t{1} << 16) + 16 * rows.ids.size();
  return table ? count_by_table(rows, limit) : count_by_sorting(rows);
}

std::vector<Rank> first_ranks(std::size_t size) {
  std::vector<Rank> ranks(size);
  std::iota(ranks.begin(), ranks.end(), Rank{0});
  return ranks;
}

}  // namespace

FeatureMap::FeatureMap(Rows rows) {
  std::vector<Counted> counted = counted_features(rows);
  std::ranges::stable_sort(counted, std::ranges::greater{}, &Counted::count);
  for (const auto& [id, times] : counted) {
    ids_.push_back(id);
    counts_.push_back(times);
  }
  ranks_ = IdTable<Rank>(ids_, first_ranks(ids_.size()), unseen);
}

std::size_t FeatureMap::nbytes() const noexcept {
  return ids_.size() * sizeof(FeatureId) + counts_.size() * sizeof(std::size_t) + ranks_.nbytes();
}

}  // namespace gristmill::rows
