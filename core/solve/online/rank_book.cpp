// SPDX-License-Identifier: BSD-3-Clause
#include "solve/online/rank_book.hpp"

#include <algorithm>

namespace gristmill {

void RankBook::rank_by_frequency(Rows rows) {
  const FeatureMap features(rows);
  for (const FeatureId id : features.ids()) rank_of(id);
}

Rank RankBook::rank_of(FeatureId id) {
  const auto at = static_cast<std::size_t>(id);
  const auto next = static_cast<Rank>(ids_.size());
  if (at >= table_.size() && at < table_limit) {
    table_.resize(std::min(std::max(at + 1, 2 * table_.size()), table_limit), FeatureMap::unseen);
  }
  Rank& rank = at < table_limit ? table_[at] : large_ids_.try_emplace(id, FeatureMap::unseen).first->second;
  if (rank == FeatureMap::unseen) {
    rank = next;
    ids_.push_back(id);
  }
  return rank;
}

void RankBook::translate(Row ids, std::vector<Rank>& ranks) {
  ranks.clear();
  for (const FeatureId id : ids) ranks.push_back(rank_of(id));
  std::ranges::sort(ranks);
}

void RankBook::translate_known(Row ids, std::vector<Rank>& ranks) const {
  ranks.clear();
  for (const FeatureId id : ids) {
    const auto at = static_cast<std::size_t>(id);
    if (at < table_.size()) {
      if (table_[at] != FeatureMap::unseen) ranks.push_back(table_[at]);
    } else if (const auto found = large_ids_.find(id); found != large_ids_.end()) {
      ranks.push_back(found->second);
    }
  }
  std::ranges::sort(ranks);
}

}  // namespace gristmill
