// SPDX-License-Identifier: BSD-3-Clause
#include "rows/feature_map.hpp"

#include <algorithm>
#include <bit>

namespace gristmill {
namespace {

struct Counted {
  FeatureId id;
  std::size_t count;
};

// A table by id is worth its memory while it stays within a small multiple of what it holds.
bool worth_a_table(std::size_t limit, std::size_t entries) { return limit <= (std::size_t{1} << 16) + 16 * entries; }

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

}  // namespace

FeatureMap::FeatureMap(Rows rows) {
  const std::size_t limit = id_limit(rows);
  std::vector<Counted> counted =
      worth_a_table(limit, rows.ids.size()) ? count_by_table(rows, limit) : count_by_sorting(rows);
  std::ranges::stable_sort(counted, std::ranges::greater{}, &Counted::count);
  std::vector<FeatureId> by_rank;
  for (const auto& [id, count] : counted) {
    by_rank.push_back(id);
    counts_.push_back(count);
  }
  if (worth_a_table(limit, by_rank.size())) {
    fill_direct(by_rank, limit);
  } else {
    fill_slots(by_rank);
  }
}

void FeatureMap::fill_direct(const std::vector<FeatureId>& by_rank, std::size_t limit) {
  direct_.assign(std::max<std::size_t>(limit, 1), unseen);
  for (Rank rank = 0; rank < by_rank.size(); ++rank) direct_[static_cast<std::size_t>(by_rank[rank])] = rank;
}

void FeatureMap::fill_slots(const std::vector<FeatureId>& by_rank) {
  const std::size_t capacity = std::bit_ceil(2 * by_rank.size() + 2);
  shift_ = static_cast<unsigned>(64 - std::countr_zero(capacity));
  slots_.assign(capacity, {0, unseen});
  for (Rank rank = 0; rank < by_rank.size(); ++rank) {
    const auto id = static_cast<std::uint32_t>(by_rank[rank]);
    std::size_t at = home(id);
    while (slots_[at].rank != unseen) at = (at + 1) & (capacity - 1);
    slots_[at] = {id, rank};
  }
}

std::size_t FeatureMap::home(std::uint32_t id) const noexcept {
  constexpr std::uint64_t golden = 0x9E3779B97F4A7C15;  // Fibonacci hashing
  return (id * golden) >> shift_;
}

Rank FeatureMap::probe(std::uint32_t id) const noexcept {
  std::size_t at = home(id);
  while (slots_[at].rank != unseen && slots_[at].id != id) at = (at + 1) & (slots_.size() - 1);
  return slots_[at].rank;
}

std::size_t FeatureMap::nbytes() const noexcept {
  return counts_.size() * sizeof(std::size_t) + direct_.size() * sizeof(Rank) + slots_.size() * sizeof(Slot);
}

}  // namespace gristmill
