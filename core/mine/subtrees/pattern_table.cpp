// SPDX-License-Identifier: BSD-3-Clause
#include "mine/subtrees/pattern_table.hpp"

#include <algorithm>
#include <numeric>

#include "base/sequence_hash.hpp"

namespace gristmill {

void PatternTable::add(std::span<const std::uint32_t> words, std::span<const Share> shares) {
  constexpr std::size_t beside = 32;  // bytes of a pattern besides its words, hash table included
  Shard& shard = shards_[hash_of(words) % shards];
  const std::scoped_lock lock(shard.mutex);
  if (!compress_) {
    shard.scratch.assign(words.begin(), words.end());
    shard.scratch.insert(shard.scratch.end(),
                         {pattern_words::own_number, static_cast<std::uint32_t>(shard.first.size())});
    words = shard.scratch;
  }
  const std::uint32_t pattern = shard.patterns.intern(words);
  std::size_t taken = 0;
  if (pattern == shard.first.size()) {
    taken = words.size_bytes() + beside;
    shard.first.push_back(none);
  }
  const std::size_t before = shard.cells.size();
  for (const Share& share : shares) shard.count(pattern, share);
  taken += (shard.cells.size() - before) * sizeof(Cell);
  if (taken != 0) budget_.take(taken);
}

void PatternTable::Shard::count(std::uint32_t pattern, const Share& share) {
  for (std::uint32_t at = first[pattern]; at != none; at = cells[at].next) {
    if (cells[at].share.size != share.size) continue;
    cells[at].share.fragments += share.fragments;
    return;
  }
  cells.push_back({share, first[pattern]});
  first[pattern] = static_cast<std::uint32_t>(cells.size() - 1);
}

std::vector<std::uint32_t> PatternTable::Shard::in_order() const {
  std::vector<std::uint32_t> order(patterns.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::sort(order, [&](std::uint32_t a, std::uint32_t b) {
    return std::ranges::lexicographical_compare(patterns[a], patterns[b]);
  });
  return order;
}

auto PatternTable::Shard::shares_of(std::uint32_t pattern) const -> std::vector<Share> {
  std::vector<Share> shares;
  for (std::uint32_t at = first[pattern]; at != none; at = cells[at].next) shares.push_back(cells[at].share);
  std::ranges::sort(shares, {}, &Share::size);
  return shares;
}

void PatternTable::Shard::let_go() {
  patterns = {};
  first = {};
  cells = {};
}

}  // namespace gristmill
