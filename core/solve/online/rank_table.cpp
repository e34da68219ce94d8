// SPDX-License-Identifier: BSD-3-Clause
#include "solve/online/rank_table.hpp"

#include <algorithm>

namespace gristmill::solve::online {

void RankTable::rank_by_frequency(rows::Rows rows) {
  const rows::FeatureMap features(rows);
  for (const FeatureId id : features.ids()) rank_of(id);
}

rows::Rank RankTable::rank_of(FeatureId id) {
  const auto at = static_cast<std::size_t>(id);
  const auto next = static_cast<rows::Rank>(ids_.size());
  if (at >= table_.size() && at < table_limit) {
    table_.resize(std::min(std::max(at + 1, 2 * table_.size()), table_limit), rows::FeatureMap::unseen);
  }
  rows::Rank& rank = at < table_limit ? table_[at] : large_ids_.try_emplace(id, rows::FeatureMap::unseen).first->second;
  if (rank == rows::FeatureMap::unseen) {
    rank = next;
    ids_.push_back(id);
  }
  return rank;
}

void RankTable::translate(rows::Row ids, std::vector<rows::Rank>& ranks) {
  ranks.clear();
  for (const FeatureId id : ids) ranks.push_back(rank_of(id));
  std::ranges::sort(ranks);
}

void RankTable::translate_known(rows::Row ids, std::vector<rows::Rank>& ranks) const {
  ranks.clear();
  for (const FeatureId id : ids) {
    const auto at = static_cast<std::size_t>(id);
    if (at < table_.size()) {
      if (table_[at] != rows::FeatureMap::unseen) ranks.push_back(table_[at]);
    } else if (const auto found = large_ids_.find(id); found != large_ids_.end()) {
      ranks.push_back(found->second);
    }
  }
  std::ranges::sort(ranks);
}

}  // namespace gristmill::solve::online
