// SPDX-License-Identifier: BSD-3-Clause
#include "rows/tally_index.hpp"

#include <algorithm>
#include <bit>

#include "base/lanes.hpp"
#include "base/variants.hpp"
#include "rows/bit_adders.hpp"
#include "rows/frequent_features.hpp"

namespace gristmill::rows {
namespace {

using BlockBits = Lanes4u;              // a row each
constexpr std::size_t most_planes = 8;  // a sum is at most TallyIndex::most_features

// Two columns at once: a full adder, and one ripple for both.
template <std::size_t Planes>
GRISTMILL_INLINE void add_columns(BlockBits (&planes)[Planes], std::span<const std::uint64_t* const> columns,
                                  std::size_t at) {
  BlockBits one;
  BlockBits other;
  BlockBits carry;
  std::size_t column = 0;
  for (; column + 2 <= columns.size(); column += 2) {
    load(one, columns[column] + at);
    load(other, columns[column + 1] + at);
    add_bits(planes[0], carry, one, other);
    ripple<BlockBits>(planes, std::size_t{1}, Planes, carry);
  }
  if (column < columns.size()) {
    load(carry, columns[column] + at);
    ripple<BlockBits>(planes, std::size_t{0}, Planes, carry);
  }
}

// How many of these rows have the sums from `Sum` on that the planes below `Left` tell apart.
template <std::size_t Left, std::size_t Sum, std::size_t Planes>
GRISTMILL_INLINE void count_sums(const BlockBits (&planes)[Planes], const BlockBits& rows, std::uint32_t* tallies) {
  if constexpr (Left == 0) {
    int count = 0;
    for (std::size_t part = 0; part < TallyIndex::words; ++part) {
      count += std::popcount(rows[part]);
    }
    tallies[Sum] += static_cast<std::uint32_t>(count);
  } else {
    const BlockBits more = rows & planes[Left - 1];
    const BlockBits less = rows & ~planes[Left - 1];
    count_sums<Left - 1, Sum>(planes, less, tallies);
    count_sums<Left - 1, Sum + (std::size_t{1} << (Left - 1))>(planes, more, tallies);
  }
}

struct Job {
  std::span<const std::uint64_t* const> columns;
  const std::uint64_t* sums;  // or none
  std::span<const std::uint32_t> group_of;
  std::uint32_t* tallies;
};

template <std::size_t Planes>
GRISTMILL_INLINE void tally_blocks(const Job& job) {
  const std::size_t blocks = job.group_of.size();
  for (std::size_t block = 0; block < blocks; ++block) {
    BlockBits planes[Planes] = {};
    for (std::size_t plane = 0; job.sums != nullptr && plane < Planes; ++plane) {
      load(planes[plane], job.sums + (plane * blocks + block) * TallyIndex::words);
    }
    add_columns(planes, job.columns, block * TallyIndex::words);
    count_sums<Planes, 0>(planes, ~BlockBits{}, job.tallies + (std::size_t{job.group_of[block]} << Planes));
  }
}

GRISTMILL_VARIANTS void tally_all(const Job& job, std::size_t planes) {
  switch (planes) {
    case 1:
      return tally_blocks<1>(job);
    case 2:
      return tally_blocks<2>(job);
    case 3:
      return tally_blocks<3>(job);
    case 4:
      return tally_blocks<4>(job);
    case 5:
      return tally_blocks<5>(job);
    case 6:
      return tally_blocks<6>(job);
    case 7:
      return tally_blocks<7>(job);
    default:
      return tally_blocks<most_planes>(job);
  }
}

// The rows of all groups, one after the other.
struct Gathered {
  Gathered(Rows rows, const Lists<RowId>& groups) {
    for (const RowId row : groups.items()) {
      ids.insert(ids.end(), rows[row].begin(), rows[row].end());
      offsets.push_back(static_cast<Offset>(ids.size()));
    }
  }
  [[nodiscard]] Rows view() const { return {offsets, ids}; }

  std::vector<Offset> offsets{0};
  std::vector<FeatureId> ids;
};

}  // namespace

TallyIndex::TallyIndex(Rows rows, const Lists<RowId>& groups) : features_(Gathered(rows, groups).view()) {
  for (const RowId row : groups.items()) longest_ = std::max(longest_, rows.length(row));
  for (std::size_t group = 0; group < groups.size(); ++group) {
    sizes_.push_back(groups[group].size());
    const std::size_t blocks = (groups[group].size() + block_rows - 1) / block_rows;
    group_of_.insert(group_of_.end(), blocks, static_cast<std::uint32_t>(group));
  }
  const std::size_t places = group_of_.size() * block_rows;
  column_count_ = count_frequent(features_, [&](std::size_t count) { return count * column_share >= places; });
  fill(rows, groups);
}

void TallyIndex::fill(Rows rows, const Lists<RowId>& groups) {
  const std::size_t width = group_of_.size() * words;
  columns_.assign(column_count_ * width, 0);
  const auto each = [&](auto visit) {
    std::size_t first = 0;
    for (std::size_t group = 0; group < groups.size(); ++group) {
      for (std::size_t at = 0; at < groups[group].size(); ++at) {
        for (const FeatureId id : rows[groups[group][at]]) visit(id, first + at);
      }
      first += (groups[group].size() + block_rows - 1) / block_rows * block_rows;
    }
  };
  places_ = split_by_frequency(features_, column_count_, each, [&](Rank rank, std::size_t place) {
    columns_[rank * width + place / 64] |= std::uint64_t{1} << place % 64;
  });
}

// Returns how many features of x are known.
std::size_t TallyIndex::look_up(Row x, Scratch& scratch) const {
  const std::size_t width = group_of_.size() * words;
  std::size_t known = 0;
  scratch.columns.clear();
  for (const FeatureId id : x) {
    const Rank rank = features_.find(id);
    if (rank == FeatureMap::unseen) continue;
    ++known;
    if (has_column(rank)) scratch.columns.push_back(columns_.data() + rank * width);
  }
  return known;
}

void TallyIndex::add_rare(Row x, std::size_t planes, std::vector<std::uint64_t>& sums) const {
  const std::size_t width = group_of_.size() * words;
  sums.assign(planes * width, 0);
  for (const FeatureId id : x) {
    const Rank rank = features_.find(id);
    if (rank == FeatureMap::unseen || has_column(rank)) continue;
    for (const RowId place : places_[rank]) {
      std::uint64_t carry = std::uint64_t{1} << place % 64;
      for (std::size_t plane = 0; carry != 0; ++plane) {
        std::uint64_t& sum = sums[plane * width + place / 64];
        const std::uint64_t next = sum & carry;
        sum ^= carry;
        carry = next;
      }
    }
  }
}

std::size_t TallyIndex::tally(Row x, Scratch& scratch) const {
  const std::size_t known = look_up(x, scratch);
  const auto planes = std::max<std::size_t>(1, static_cast<std::size_t>(std::bit_width(std::min(known, longest_))));
  const bool has_rare = known > scratch.columns.size();
  if (has_rare) add_rare(x, planes, scratch.sums);
  const std::size_t width = std::size_t{1} << planes;
  scratch.tallies.assign(groups() * width, 0);
  tally_all({scratch.columns, has_rare ? scratch.sums.data() : nullptr, group_of_, scratch.tallies.data()}, planes);
  for (std::size_t group = 0; group < groups(); ++group) {  // those that fill up blocks share nothing
    const std::size_t filled = (sizes_[group] + block_rows - 1) / block_rows * block_rows;
    scratch.tallies[group * width] -= static_cast<std::uint32_t>(filled - sizes_[group]);
  }
  return width;
}

std::size_t TallyIndex::nbytes() const noexcept {
  return features_.nbytes() + sizes_.size() * sizeof(std::size_t) + group_of_.size() * sizeof(std::uint32_t) +
         columns_.size() * sizeof(std::uint64_t) + places_.nbytes();
}

}  // namespace gristmill::rows
