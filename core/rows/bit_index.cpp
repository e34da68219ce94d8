// SPDX-License-Identifier: BSD-3-Clause
#include "rows/bit_index.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <stdexcept>

#include "base/variants.hpp"
#include "rows/bit_adders.hpp"
#include "rows/frequent_features.hpp"

namespace gristmill::rows {
namespace {

constexpr std::size_t bits_share = 64;       // a column from one row in this many
constexpr std::size_t adder_columns = 8;     // columns added at once
constexpr std::size_t checked_columns = 16;  // columns between two looks at what can be reached

GRISTMILL_INLINE void add_pair(Lanes4u& sum, Lanes4u& carry, const std::uint64_t* a, const std::uint64_t* b) {
  Lanes4u first;
  Lanes4u second;
  load(first, a);
  load(second, b);
  add_bits(sum, carry, first, second);
}

// Numbers of 256 rows, digit by digit.
struct Planes {
  Lanes4u ones{};
  Lanes4u twos{};
  Lanes4u fours{};
  Lanes4u* planes;  // the same, once stored, and the digits beyond
  unsigned digits = 3;

  GRISTMILL_INLINE void store() const {
    planes[0] = ones;
    planes[1] = twos;
    planes[2] = fours;
  }

  // The columns of eight features; `added` are then in.
  GRISTMILL_INLINE void add(const std::array<const std::uint64_t*, adder_columns>& columns, std::size_t added) {
    Lanes4u two_a;
    Lanes4u two_b;
    Lanes4u four_a;
    Lanes4u four_b;
    Lanes4u carry;
    add_pair(ones, two_a, columns[0], columns[1]);
    add_pair(ones, two_b, columns[2], columns[3]);
    add_bits(twos, four_a, two_a, two_b);
    add_pair(ones, two_a, columns[4], columns[5]);
    add_pair(ones, two_b, columns[6], columns[7]);
    add_bits(twos, four_b, two_a, two_b);
    add_bits(fours, carry, four_a, four_b);
    ripple(planes, 3U, digits, carry);
    if (static_cast<unsigned>(std::bit_width(added)) > digits) planes[digits++] = carry;
  }
};

// The rows whose number is `least` or more.
GRISTMILL_INLINE void mark_from(Lanes4u& found, const Lanes4u* planes, unsigned digits, std::size_t least) {
  Lanes4u equal = ~Lanes4u{};
  found = Lanes4u{};
  if (static_cast<unsigned>(std::bit_width(least)) > digits) return;
  for (unsigned digit = digits; digit-- > 0;) {
    if ((least >> digit & 1) != 0) {
      equal &= planes[digit];
    } else {
      found |= equal & planes[digit];
      equal &= ~planes[digit];
    }
  }
  found |= equal;
}

GRISTMILL_INLINE bool is_any(const Lanes4u& bits) { return ((bits[0] | bits[1]) | (bits[2] | bits[3])) != 0; }

// What is asked of a block: the columns, how many of them are not empty, rows that reach `need`, and rows that reach
// `need_touched` among those touched.
struct Task {
  const std::uint64_t* words;  // of the first column
  std::size_t stride;          // from a column to the next
  std::span<const std::uint32_t> columns;
  std::size_t frequent;
  std::size_t need;
  std::size_t need_touched;
  const std::uint64_t* touched;  // or none
};

// Adds up the columns and marks rows; false where there are none.
GRISTMILL_VARIANTS bool add_and_mark(const Task& task, BitIndex::Block& out) {
  Planes planes{.planes = out.planes};
  const std::size_t least = task.touched != nullptr ? task.need_touched : task.need;
  for (std::size_t at = 0; at < task.columns.size(); at += adder_columns) {
    std::array<const std::uint64_t*, adder_columns> columns;
    for (std::size_t i = 0; i < adder_columns; ++i) columns[i] = task.words + task.columns[at + i] * task.stride;
    const std::size_t added = at + adder_columns;
    planes.add(columns, added);
    if (added % checked_columns != 0 || least + added <= task.frequent || added >= task.frequent) continue;
    planes.store();
    mark_from(out.found, out.planes, planes.digits, least - (task.frequent - added));
    if (!is_any(out.found)) return false;
  }
  planes.store();
  out.digits = planes.digits;
  mark_from(out.found, out.planes, out.digits, task.need);
  if (task.touched != nullptr) {
    Lanes4u some;
    Lanes4u touched;
    load(touched, task.touched);
    mark_from(some, out.planes, out.digits, task.need_touched);
    out.found |= some & touched;
  }
  return is_any(out.found);
}

// Bit r of byte d becomes bit d of byte r (Warren, Hacker's Delight, section 7-3).
GRISTMILL_INLINE std::uint64_t transposed(std::uint64_t bits) {
  std::uint64_t other = (bits ^ (bits >> 7)) & 0x00AA00AA00AA00AA;
  bits ^= other ^ (other << 7);
  other = (bits ^ (bits >> 14)) & 0x0000CCCC0000CCCC;
  bits ^= other ^ (other << 14);
  other = (bits ^ (bits >> 28)) & 0x00000000F0F0F0F0;
  return bits ^ other ^ (other << 28);
}

// The numbers whose digits lie in planes, eight digits at a time; planes from `digits` on are overwritten.
GRISTMILL_VARIANTS void write_numbers(BitIndex::Block& block, BitIndex::Counts& out) {
  constexpr std::size_t bytes = BitIndex::block_rows / 8;  // of a plane
  for (unsigned first = 0; first < block.digits; first += 8) {
    for (unsigned digit = block.digits; digit < first + 8; ++digit) block.planes[digit] = Lanes4u{};
    std::array<std::array<std::uint8_t, bytes>, 8> planes;
    std::memcpy(&planes, block.planes + first, sizeof planes);
    std::array<std::array<std::uint8_t, 8>, bytes> turned;
    for (std::size_t byte = 0; byte < bytes; ++byte) {
      for (std::size_t digit = 0; digit < 8; ++digit) turned[byte][digit] = planes[digit][byte];
    }
    std::array<std::uint64_t, bytes> words;
    std::memcpy(&words, &turned, sizeof words);
    for (std::uint64_t& word : words) word = transposed(word);
    std::array<std::uint8_t, BitIndex::block_rows> numbers;
    std::memcpy(&numbers, &words, sizeof numbers);
    for (std::size_t row = 0; row < numbers.size(); ++row) {
      out[row] = (first == 0 ? 0 : out[row]) | static_cast<std::uint32_t>(numbers[row]) << first;
    }
  }
}

}  // namespace

BitIndex::BitIndex(Rows rows) : rows_(rows.size()), blocks_((rows_ + block_rows - 1) / block_rows), features_(rows) {
  if (rows_ > std::numeric_limits<RowId>::max()) throw std::invalid_argument("more than 2^32 rows cannot be indexed");
  columns_ = count_frequent(features_, [&](std::size_t count) { return is_column(count, rows_); });
  fill(rows);
}

bool BitIndex::is_column(std::size_t count, std::size_t rows) noexcept { return count * bits_share >= rows; }

std::size_t BitIndex::blocks_beside(std::size_t block) const noexcept {
  const std::size_t first = block / tile_blocks * tile_blocks;
  return std::min(tile_blocks, blocks_ - first);
}

std::size_t BitIndex::word_of(std::size_t column, std::size_t block) const noexcept {
  const std::size_t first = block / tile_blocks * tile_blocks;
  return (first * (columns_ + 1) + column * blocks_beside(block) + (block - first)) * block_words;
}

void BitIndex::fill(Rows rows) {
  words_.assign((columns_ + 1) * blocks_ * block_words, 0);
  lists_ = split_by_frequency(features_, columns_, rows, [&](Rank rank, std::size_t row) {
    const std::size_t inside = row % block_rows;
    words_[word_of(rank, row / block_rows) + inside / 64] |= std::uint64_t{1} << (inside % 64);
  });
}

void BitIndex::look_up(Row x, Query& query) const {
  query.columns.clear();
  query.rare.clear();
  for (const FeatureId id : x) {
    const Rank rank = features_.find(id);
    if (rank == FeatureMap::unseen) continue;
    (rank < columns_ ? query.columns : query.rare).push_back(rank);
  }
  query.frequent = query.columns.size();
  query.columns.resize((query.frequent + adder_columns - 1) / adder_columns * adder_columns,
                       static_cast<std::uint32_t>(columns_));
}

void BitIndex::put_rarest_first(Query& query) {
  std::ranges::sort(std::span(query.columns).first(query.frequent), std::ranges::greater());
}

BitIndex::Rare BitIndex::make_rare() const {
  if (!has_lists()) return {};
  return {std::vector<std::uint32_t>(blocks_ * block_rows), std::vector<std::uint64_t>(blocks_ * block_words)};
}

void BitIndex::count_rare(const Query& query, Rare& rare) const {
  for (const Rank rank : query.rare) {
    for (const RowId row : lists_[rank]) {
      ++rare.counts[row];
      rare.touched[row / 64] |= std::uint64_t{1} << (row % 64);
    }
  }
}

void BitIndex::clear_rare(const Query& query, Rare& rare) const {
  for (const Rank rank : query.rare) {
    for (const RowId row : lists_[rank]) {
      rare.counts[row] = 0;
      rare.touched[row / 64] = 0;
    }
  }
}

bool BitIndex::find(const Query& query, const Rare& rare, std::size_t block, std::size_t need, Block& out) const {
  const std::uint64_t* touched = query.rare.empty() ? nullptr : rare.touched.data() + block * block_words;
  const std::size_t need_touched = need - std::min(need, query.rare.size());
  const Task task{words_.data() + word_of(0, block),
                  blocks_beside(block) * block_words,
                  query.columns,
                  query.frequent,
                  need,
                  need_touched,
                  touched != nullptr && (touched[0] | touched[1] | touched[2] | touched[3]) != 0 ? touched : nullptr};
  if (!add_and_mark(task, out)) return false;
  return block + 1 < blocks_ || clip(out);
}

void BitIndex::count(const Query& query, const Rare& rare, std::size_t block, Block& work, Counts& out) const {
  const Task task{words_.data() + word_of(0, block),
                  blocks_beside(block) * block_words,
                  query.columns,
                  query.frequent,
                  0,
                  0,
                  nullptr};
  static_cast<void>(add_and_mark(task, work));
  write_numbers(work, out);
  if (query.rare.empty()) return;
  const std::uint32_t* others = rare.counts.data() + block * block_rows;
  for (std::size_t row = 0; row < block_rows; ++row) out[row] += others[row];
}

// Leaves out what lies behind the last row.
bool BitIndex::clip(Block& last) const {
  const std::size_t rows = rows_ - (blocks_ - 1) * block_rows;
  for (std::size_t word = 0; word < block_words; ++word) {
    const std::size_t inside = rows - std::min(rows, word * 64);
    if (inside < 64) last.found[word] &= (std::uint64_t{1} << inside) - 1;
  }
  return is_any(last.found);
}

std::size_t BitIndex::nbytes() const noexcept {
  return features_.nbytes() + words_.size() * sizeof(std::uint64_t) + lists_.nbytes();
}

}  // namespace gristmill::rows
