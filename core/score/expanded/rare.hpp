// SPDX-License-Identifier: BSD-3-Clause
// Rare features are not expanded (splitSVM, Goldberg and Elhadad 2008; docs/formulas.md A7). For each support row that
// has the feature, its more frequent features stand in line with the coefficient: the 128 most frequent as a bitmap,
// the others as a list. One comparison with x gives the overlap m, and with it all conjunctions of the feature at once:
//
//   a (k(m + 1) - k(m) - k(1) + k(0)),     the feature's own weight a (k(1) - k(0)) being counted elsewhere.
//
// Given conjunctions stand in line with the others of their rarest feature. One holds where the overlap is as large as
// it can be, so all lines count alike: shorter ones list `everybody` besides.
//
// Cost: two popcounts and a load per listed feature; the lines of a feature are consecutive in memory.
#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "base/buffer.hpp"
#include "base/large_pages.hpp"
#include "base/variants.hpp"
#include "rows/conjunction_index.hpp"
#include "rows/ranked_rows.hpp"

namespace gristmill::score::expanded {

constexpr rows::Rank bitmap_ranks = 128;

// The ranks of x, as bits and as bytes.
struct Marks {
  std::array<std::uint64_t, bitmap_ranks / 64> bits{};
  std::vector<std::uint8_t> bytes;  // by rank; that of nobody stays 0, that of everybody 1 (see tables.hpp)
};

[[nodiscard]] inline Marks marks_for(std::size_t features) {
  Marks marks{{}, std::vector<std::uint8_t>(features + 2, 0)};
  marks.bytes.back() = 1;
  return marks;
}

// The features of ranks from `first` on, and the support rows they stand in. Dropped ones stand nowhere: nothing is
// compared.
class SharedRare {
 public:
  SharedRare(const rows::RankedRows& rows, rows::Rank first, std::vector<bool> dropped = {})
      : rows_(rows), first_(first), dropped_(std::move(dropped)) {}

  [[nodiscard]] rows::Rank first() const noexcept { return first_; }
  [[nodiscard]] std::size_t features() const noexcept { return rows_.features().size(); }
  [[nodiscard]] bool is_dropped(rows::Rank rank) const { return !dropped_.empty() && dropped_[rank - first_]; }
  [[nodiscard]] std::size_t count(rows::Rank rank) const { return is_dropped(rank) ? 0 : rows_.places(rank).size(); }
  [[nodiscard]] static std::size_t least_listed() noexcept { return 0; }

  // visit(support row, its more frequent features) for every line of the feature.
  template <class Visit>
  void for_each_line(rows::Rank rank, Visit visit) const {
    if (is_dropped(rank)) return;
    for (const auto place : rows_.places(rank)) visit(place.row, rows_.more_frequent(place));
  }

 private:
  const rows::RankedRows& rows_;
  rows::Rank first_;
  std::vector<bool> dropped_;  // by rank from `first` on; empty: none
};

// The same for given conjunctions of several features, each with its rarest.
class GivenRare {
 public:
  GivenRare(const rows::ConjunctionIndex& index, rows::Rank first) : index_(index), first_(first) {}

  [[nodiscard]] rows::Rank first() const noexcept { return first_; }
  [[nodiscard]] std::size_t features() const noexcept { return index_.features().size(); }
  [[nodiscard]] static bool is_dropped(rows::Rank) noexcept { return false; }
  [[nodiscard]] std::size_t count(rows::Rank rank) const {
    const rows::ConjunctionIndex::Branch home = index_.at_home(rank);
    return home.end - index_.first_longer(home);
  }
  // Lines list at least so many features, `everybody` to begin with.
  [[nodiscard]] std::size_t least_listed() const { return std::max<std::size_t>(index_.longest(), 1) - 1; }

  template <class Visit>
  void for_each_line(rows::Rank rank, Visit visit) const {
    const rows::ConjunctionIndex::Branch home = index_.at_home(rank);
    for (auto place = index_.first_longer(home); place < home.end; ++place) {
      visit(index_.number(place), index_.others(place));
    }
  }

 private:
  const rows::ConjunctionIndex& index_;
  rows::Rank first_;
};

class RarePostings {
 public:
  static constexpr std::size_t line_head = 1 + bitmap_ranks / 64;  // words of a line before its list

  RarePostings() = default;

  // payloads[row] stands at the head of every line of that row. A feature starts with one word that holds the number of
  // its lines and the words a line; starts: where, one per feature.
  template <class Rare>
  RarePostings(const Rare& features, std::span<const std::uint64_t> payloads, std::vector<std::uint32_t>& starts);

  // Words of a line of the feature that list features beyond the bitmap.
  template <class Rare>
  [[nodiscard]] static std::size_t listing_words(const Rare& features, rows::Rank rank);

  // What that will take. Quadratic in the length of a row whose features are rare, so ask before building.
  template <class Rare>
  [[nodiscard]] static std::size_t nbytes_for(const Rare& features);

  [[nodiscard]] const std::uint64_t* at(std::uint32_t start) const { return words_.data() + start; }
  void set_bits_for(std::size_t features) { wide_ = bits_for(features) == 32; }
  [[nodiscard]] unsigned bits() const noexcept { return wide_ ? 32 : 16; }  // a listed rank takes
  [[nodiscard]] const Buffer<std::uint64_t>& words() const noexcept { return words_; }
  [[nodiscard]] Buffer<std::uint64_t>& words() noexcept { return words_; }

 private:
  static unsigned bits_for(std::size_t features) {
    return features + 1 > std::numeric_limits<std::uint16_t>::max() ? 32 : 16;  // everybody has the last rank
  }

  bool wide_ = false;
  Buffer<std::uint64_t> words_;
};

// The overlap of x with the row of a line, counting only what is more frequent than the feature.
template <unsigned ListedBits>
GRISTMILL_INLINE std::uint32_t overlap_with(const std::uint64_t* line, std::uint32_t stride, const Marks& marks) {
  constexpr std::uint64_t mask = (std::uint64_t{1} << ListedBits) - 1;
  const std::uint8_t* bytes = marks.bytes.data();
  std::uint32_t overlap = 0;
  for (std::size_t word = 0; word < marks.bits.size(); ++word) {
    overlap += static_cast<std::uint32_t>(std::popcount(line[1 + word] & marks.bits[word]));
  }
  for (std::size_t at = RarePostings::line_head; at < stride; ++at) {
    for (unsigned shift = 0; shift < 64; shift += ListedBits) overlap += bytes[line[at] >> shift & mask];
  }
  return overlap;
}

}  // namespace gristmill::score::expanded
