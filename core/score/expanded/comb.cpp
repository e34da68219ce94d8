// SPDX-License-Identifier: BSD-3-Clause
#include "score/expanded/comb.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>
#include <stdexcept>

namespace gristmill::score::expanded {
namespace {

// A growing set of bits read 64 at a time from any position.
class Bits {
 public:
  [[nodiscard]] std::uint64_t window(std::size_t at) const {
    const std::size_t word = at / 64;
    const unsigned shift = at % 64;
    if (word + 1 >= words_.size()) return word < words_.size() ? words_[word] >> shift : 0;
    return shift == 0 ? words_[word] : words_[word] >> shift | words_[word + 1] << (64 - shift);
  }

  void set(std::size_t at) {
    if (at / 64 >= words_.size()) words_.resize(std::max(at / 64 + 1, 2 * words_.size()), 0);
    words_[at / 64] |= std::uint64_t{1} << (at % 64);
  }

 private:
  std::vector<std::uint64_t> words_;
};

class Packer {
 public:
  // The first shift from `from` on that fits, 64 of them tried at a time; after `tries` windows the first that is free
  // for certain.
  [[nodiscard]] std::size_t fit(std::span<const rows::Rank> columns, std::size_t from, std::size_t tries) const {
    std::size_t shift = from;
    for (; tries > 0 && shift < end_; --tries, shift += 64) {
      std::uint64_t blocked = shifts_.window(shift);
      for (std::size_t at = 0; at < columns.size() && blocked != ~std::uint64_t{0}; ++at) {
        blocked |= slots_.window(shift + columns[at]);
      }
      if (blocked != ~std::uint64_t{0}) return shift + static_cast<std::size_t>(std::countr_one(blocked));
    }
    return std::max(shift, end_);
  }

  void place(std::span<const rows::Rank> columns, std::size_t shift) {
    shifts_.set(shift);
    for (const rows::Rank column : columns) slots_.set(shift + column);
    if (!columns.empty()) end_ = std::max(end_, shift + columns.back() + 1);
  }

  [[nodiscard]] std::size_t end() const noexcept { return end_; }

 private:
  Bits slots_;
  Bits shifts_;
  std::size_t end_ = 1;  // from here on all is free
};

// Longest first: the short ones fill the gaps.
std::vector<std::size_t> by_length(const CombRows& rows) {
  std::vector<std::size_t> order(rows.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::ranges::greater{}, [&](std::size_t row) { return rows[row].size(); });
  return order;
}

// Work per row is bounded: long rows rarely fit into gaps, so they may look at fewer windows.
std::size_t tries(std::size_t length) {
  constexpr std::size_t work_per_row = 1U << 12;
  return std::max<std::size_t>(work_per_row / length, 4);
}

}  // namespace

Packing pack(const CombRows& rows, std::size_t column_limit, Observer& observer) {
  Packer packer;
  std::vector<std::size_t> shifts(rows.size());
  std::size_t last = 1;    // rows are of falling length: where one did not fit, the next will not as a rule
  std::size_t length = 0;  // of the rows that `last` speaks of
  std::size_t done = 0;
  for (const std::size_t row : by_length(rows)) {
    const std::span<const rows::Rank> columns = rows[row];
    if (columns.size() * 2 <= length || length == 0) {
      last = 1;
      length = columns.size();
    }
    // An empty row needs a place where no probe can hit.
    last = columns.empty() ? packer.end() : packer.fit(columns, last, tries(columns.size()));
    packer.place(columns, last);
    shifts[row] = last;
    ++done;
    if (done % 256 == 0) require(observer, done, rows.size());
  }
  const std::size_t size = packer.end() + column_limit;
  if (size > std::numeric_limits<std::uint32_t>::max()) {
    throw std::length_error("the expansion needs more than 2^32 slots");
  }
  return {{shifts.begin(), shifts.end()}, size};
}

}  // namespace gristmill::score::expanded
