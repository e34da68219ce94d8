// SPDX-License-Identifier: BSD-3-Clause
// Rows on their way through a scorer. Several are in flight at once, each some steps behind the next, so that the
// memory a row needs has been asked for long before it is used:
//
//   ask for its ranks  ->  look them up  ->  sort them, add up the block, ask for combs and lines  ->  add up the rest
//
// The first two steps take a handful of rows at a time: their features stand in line, and it does not matter to a
// look-up which row it is for.
#pragma once
#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "rows/rows.hpp"
#include "score/expanded/rank_sort.hpp"
#include "score/expanded/tables.hpp"

namespace gristmill::score::expanded {

// A row that has been looked up: the features known to the machine, the most frequent first.
struct PreparedRow : SortedRanks {
  std::vector<std::uint32_t> bases;  // of their records
  double sum = 0;                    // of their own weights, for one output
  std::size_t length = 0;            // of the row as it came
  std::size_t slot = 0;              // below RowWindow::ring_size: of no other row that is in flight
  bool open = true;                  // there is more to add up
};

class RowWindow {
 public:
  static constexpr std::size_t ring_size = 4;

  // add_block(row) sees each row first, and may close it; add_rest(row, its number) ends it. Rows go in order.
  template <class Tables, class AddBlock, class AddRest>
  GRISTMILL_INLINE void run(const Tables& tables, rows::Rows rows, std::size_t begin, std::size_t end,
                            AddBlock add_block, AddRest add_rest) {
    ask_for_ranks(tables, rows, begin, end);
    for (std::size_t first = begin; first < end; first += handful) {
      look_up(tables, rows, first, end);
      ask_for_ranks(tables, rows, first + handful, end);
      const std::size_t last = std::min(end, first + handful);
      for (std::size_t row = first; row < last; ++row) {
        PreparedRow& it = ring_[row % ring_size];
        prepare(tables, rows, first, row, it);
        it.open = true;
        it.slot = row % ring_size;
        add_block(it);
        if (it.open) ask_for_combs(tables, it);
        if (row >= begin + lag) add_rest(ring_[(row - lag) % ring_size], row - lag);
      }
    }
    for (std::size_t row = std::max(begin + lag, end) - lag; row < end; ++row) add_rest(ring_[row % ring_size], row);
  }

 private:
  static constexpr std::size_t handful = 8;
  static constexpr std::size_t lag = 2;

  [[nodiscard]] GRISTMILL_INLINE static rows::Row features(rows::Rows rows, std::size_t first, std::size_t end) {
    const auto from = static_cast<std::size_t>(rows.offsets[first]);
    return rows.ids.subspan(from, static_cast<std::size_t>(rows.offsets[std::min(end, first + handful)]) - from);
  }

  template <class Tables>
  GRISTMILL_INLINE static void ask_for_ranks(const Tables& tables, rows::Rows rows, std::size_t first,
                                             std::size_t end) {
    if (first < end) tables.ranks.prefetch_all(features(rows, first, end));
  }

  template <class Tables>
  GRISTMILL_INLINE void look_up(const Tables& tables, rows::Rows rows, std::size_t first, std::size_t end) {
    const rows::Row ids = features(rows, first, end);
    if (found_.size() < ids.size() + rank_sort::longest_counted) {
      found_.resize(2 * ids.size() + rank_sort::longest_counted);
    }
    tables.ranks.find_all(ids, found_.data());
  }

  [[nodiscard]] GRISTMILL_INLINE static double own_weight(const FeatureRecord<double>& record) { return record.weight; }
  [[nodiscard]] GRISTMILL_INLINE static double own_weight(const FeatureRecord<RowRef>&) { return 0; }

  template <class Tables>
  GRISTMILL_INLINE void prepare(const Tables& tables, rows::Rows rows, std::size_t first, std::size_t row,
                                PreparedRow& to) const {
    const rows::Rank* found = found_.data() + (rows.offsets[row] - rows.offsets[first]);
    to.length = rows.length(row);
    sort_ranks(found, static_cast<std::uint32_t>(to.length),
               {static_cast<rows::Rank>(tables.strip), static_cast<rows::Rank>(tables.dense),
                static_cast<rows::Rank>(tables.common), static_cast<rows::Rank>(tables.features)},
               to);
    if (to.bases.size() < to.length) to.bases.resize(to.ranks.size());
    double sum = 0;
    for (std::size_t i = 0; i < to.length; ++i) {
      const auto& record = tables.records.data()[to.ranks.data()[i]];
      to.bases.data()[i] = record.base;
      sum += own_weight(record);
    }
    to.sum = sum;
  }

  template <class Tables>
  GRISTMILL_INLINE static void ask_for_combs(const Tables& tables, const PreparedRow& row) {
    const auto ask = [&](const auto& check, const auto& slots) __attribute__((always_inline)) {
      for (std::uint32_t i = row.dense; i < row.common; ++i) {
        for (std::uint32_t j = row.strip; j < i; ++j) {
          const std::uint32_t slot = row.bases.data()[i] + row.ranks.data()[j];
          __builtin_prefetch(check.data() + slot);
          __builtin_prefetch(slots.data() + slot);
        }
      }
    };
    if (tables.degree == 2) {
      for (std::uint32_t i = row.dense; i < row.common; ++i) {
        const double* strip = tables.block.data() + strip_row(tables, row.ranks.data()[i]);
        for (std::uint32_t j = 0; j < row.strip; ++j) __builtin_prefetch(strip + row.ranks.data()[j]);
      }
      ask(tables.leaf_check, tables.leaf);
    } else {
      ask(tables.inner_check, tables.inner);
    }
    for (std::uint32_t i = row.common; i < row.size; ++i) {
      const std::uint64_t* lines = tables.rare.at(row.bases.data()[i]);
      for (std::size_t word = 0; word < 32; word += 8) __builtin_prefetch(lines + word);
    }
  }

  std::vector<rows::Rank> found_;
  std::array<PreparedRow, ring_size> ring_;
};

}  // namespace gristmill::score::expanded
