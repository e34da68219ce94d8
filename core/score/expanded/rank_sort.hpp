// SPDX-License-Identifier: BSD-3-Clause
// The ranks of a row in ascending order, and how many of them are dense, common or known at all.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "base/lanes.hpp"
#include "base/variants.hpp"
#include "rows/feature_map.hpp"

namespace gristmill::score::expanded {

// Where classes of ranks end. Unknown features have rank `known` + 1.
struct RankLimits {
  rows::Rank strip;
  rows::Rank dense;
  rows::Rank common;
  rows::Rank known;
};

struct SortedRanks {
  std::vector<rows::Rank> ranks;  // those of unknown features behind all others
  std::uint32_t strip = 0;        // the first so many are in the strip, ...
  std::uint32_t dense = 0;        // ... dense, ...
  std::uint32_t common = 0;       // ... dense or common, ...
  std::uint32_t size = 0;         // ... known
};

namespace rank_sort {

constexpr std::uint32_t longest_counted = 32;
constexpr Lanes8i numbers{0, 1, 2, 3, 4, 5, 6, 7};

// Positions by counting how many ranks are smaller: no branch depends on the data. Reads whole vectors.
template <std::size_t Vectors>
GRISTMILL_INLINE void by_counting(const rows::Rank* found, std::uint32_t count, const RankLimits& limits,
                                  SortedRanks& to) {
  std::array<Lanes8i, Vectors> ranks;
  std::array<Lanes8i, Vectors> smaller{};
  Lanes8i classes{};  // a byte of each lane for each class
#pragma GCC unroll 4
  for (std::size_t v = 0; v < Vectors; ++v) {
    load(ranks[v], found + 8 * v);
    const Lanes8i outside = numbers >= static_cast<std::int32_t>(count) - static_cast<std::int32_t>(8 * v);
    ranks[v] |= outside & 0x7FFFFFFF;
    classes += ((ranks[v] < static_cast<std::int32_t>(limits.strip)) & 0x1) +
               ((ranks[v] < static_cast<std::int32_t>(limits.dense)) & 0x100) +
               ((ranks[v] < static_cast<std::int32_t>(limits.common)) & 0x10000) +
               ((ranks[v] < static_cast<std::int32_t>(limits.known)) & 0x1000000);
  }
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto rank = static_cast<std::int32_t>(found[i]);
#pragma GCC unroll 4
    for (std::size_t v = 0; v < Vectors; ++v) smaller[v] -= ranks[v] > rank;
  }
  std::array<std::uint32_t, 8 * Vectors> position;
#pragma GCC unroll 4
  for (std::size_t v = 0; v < Vectors; ++v) store(smaller[v], position.data() + 8 * v);
  // Unknown features share the position behind the last known one; those behind it are filled beforehand.
  rows::Rank* sorted = to.ranks.data();
  const Lanes8i unknown = Lanes8i{} + static_cast<std::int32_t>(limits.known + 1);
#pragma GCC unroll 4
  for (std::size_t v = 0; v < Vectors; ++v) store(unknown, sorted + 8 * v);
  for (std::uint32_t i = 0; i < count; ++i) sorted[position[i]] = found[i];
  std::uint32_t counts = 0;
#pragma GCC unroll 8
  for (std::size_t lane = 0; lane < 8; ++lane) counts += static_cast<std::uint32_t>(classes[lane]);
  to.strip = counts & 0xFF;
  to.dense = counts >> 8 & 0xFF;
  to.common = counts >> 16 & 0xFF;
  to.size = counts >> 24;
}

inline void by_comparing(const rows::Rank* found, std::uint32_t count, const RankLimits& limits, SortedRanks& to) {
  const auto end = std::copy_n(found, count, to.ranks.begin());
  std::sort(to.ranks.begin(), end);
  const auto below = [&](rows::Rank limit) {
    return static_cast<std::uint32_t>(std::lower_bound(to.ranks.begin(), end, limit) - to.ranks.begin());
  };
  to.strip = below(limits.strip);
  to.dense = below(limits.dense);
  to.common = below(limits.common);
  to.size = below(limits.known);
}

}  // namespace rank_sort

// found: `count` ranks and room to read 32.
GRISTMILL_INLINE void sort_ranks(const rows::Rank* found, std::uint32_t count, const RankLimits& limits,
                                 SortedRanks& to) {
  if (to.ranks.size() < count + rank_sort::longest_counted) to.ranks.resize(2 * count + rank_sort::longest_counted);
  if (count <= 8) {
    rank_sort::by_counting<1>(found, count, limits, to);
  } else if (count <= 16) {
    rank_sort::by_counting<2>(found, count, limits, to);
  } else if (count <= rank_sort::longest_counted) {
    rank_sort::by_counting<4>(found, count, limits, to);
  } else {
    rank_sort::by_comparing(found, count, limits, to);
  }
}

}  // namespace gristmill::score::expanded
