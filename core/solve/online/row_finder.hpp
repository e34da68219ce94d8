// SPDX-License-Identifier: BSD-3-Clause
// Finds the stored row that is equal to a given one, so that each is stored once.
#pragma once
#include <algorithm>
#include <cstdint>
#include <unordered_map>

#include "solve/online/log.hpp"

namespace gristmill::solve::online {

class RowFinder {
 public:
  static constexpr RowId no_row = 0xFFFFFFFF;

  [[nodiscard]] RowId find(const RankRows& rows, std::span<const rows::Rank> ranks) const {
    const auto [begin, end] = places_.equal_range(hash(ranks));
    const auto found =
        std::find_if(begin, end, [&](const auto& at) { return std::ranges::equal(rows[at.second], ranks); });
    return found == end ? no_row : found->second;
  }
  void insert(std::span<const rows::Rank> ranks, RowId row) { places_.emplace(hash(ranks), row); }

 private:
  // FNV-1a over whole ranks.
  [[nodiscard]] static std::uint64_t hash(std::span<const rows::Rank> ranks) {
    std::uint64_t h = 0xCBF29CE484222325;
    for (const rows::Rank rank : ranks) h = (h ^ rank) * 0x100000001B3;
    return h ^ (h >> 32);
  }

  std::unordered_multimap<std::uint64_t, RowId> places_;
};

}  // namespace gristmill::solve::online
