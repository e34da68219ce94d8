// SPDX-License-Identifier: BSD-3-Clause
#include "mine/fragments/pattern_table.hpp"

#include <algorithm>
#include <compare>
#include <numeric>

namespace gristmill::mine::fragments {
namespace {

// Any rule will do that looks at nothing but the words; the table within a shard looks at all of them.
std::size_t shard_of(std::span<const std::uint32_t> words) {
  const std::uint64_t ends = std::uint64_t{words.front()} << 32U | words.back();
  return (ends + words.size()) * 0x9E3779B97F4A7C15 >> 32U & (PatternTable::shards - 1);
}

std::span<const std::uint32_t> without_number(std::span<const std::uint32_t> words) {
  const bool has_number = words.size() > 2 && words[words.size() - 2] == pattern_words::own_number;
  return has_number ? words.first(words.size() - 2) : words;
}

}  // namespace

void PatternTable::add(std::span<const std::uint32_t> words, std::span<const Share> shares) {
  constexpr std::size_t beside = 32;  // bytes of a pattern besides its words, hash table included
  Shard& shard = shards_[shard_of(words)];
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

// Equals that are kept apart are told by the size of their only fragment, not by when they came.
std::vector<std::uint32_t> PatternTable::Shard::in_order() const {
  const auto comes_before = [&](std::uint32_t a, std::uint32_t b) {
    const auto order =
        std::lexicographical_compare_three_way(without_number(patterns[a]).begin(), without_number(patterns[a]).end(),
                                               without_number(patterns[b]).begin(), without_number(patterns[b]).end());
    return order == 0 ? cells[first[a]].share.size < cells[first[b]].share.size : order < 0;
  };
  std::vector<std::uint32_t> order(patterns.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::sort(order, comes_before);
  return order;
}

auto PatternTable::Shard::shares_of(std::uint32_t pattern) const -> std::vector<Share> {
  std::vector<Share> shares;
  for (std::uint32_t at = first[pattern]; at != none; at = cells[at].next) shares.push_back(cells[at].share);
  std::ranges::sort(shares, {}, &Share::size);
  return shares;
}

void PatternTable::Shard::release() {
  patterns = {};
  first = {};
  cells = {};
}

}  // namespace gristmill::mine::fragments
