// SPDX-License-Identifier: BSD-3-Clause
// Rows on their way through a scorer. Several are in flight at once, each some steps behind the next, so that the
// memory a row needs has been asked for long before it is used:
//
//   ask for its records  ->  look them up  ->  sort them, add up the block, ask for combs and lines  ->  add up the
//   rest
#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <span>
#include <vector>

#include "base/lanes.hpp"
#include "base/variants.hpp"
#include "rows/rows.hpp"
#include "score/expanded/tables.hpp"

namespace gristmill {

// A row that has been looked up. The features known to the machine, in two orders.
template <class Weight>
struct PreparedRow {
  std::vector<std::uint32_t> ranks;  // ascending, once sorted
  std::vector<std::uint32_t> bases;
  std::vector<Weight> weights;  // of the features alone, in the order of the row; for one output only their sum
  double sum = 0;
  std::uint32_t dense = 0;   // the first so many are dense, ...
  std::uint32_t common = 0;  // ... dense or common
  std::uint32_t size = 0;
  std::size_t length = 0;  // of the row as it came
  bool open = true;        // there is more to add up

  std::vector<std::uint32_t> found_ranks;
  std::vector<std::uint32_t> found_bases;
};

namespace window {

constexpr std::size_t padding = 32;  // sorting reads whole vectors

template <class Weight>
GRISTMILL_INLINE void make_room(PreparedRow<Weight>& row, std::size_t length) {
  if (row.ranks.size() >= length + padding) return;
  for (auto* numbers : {&row.ranks, &row.bases, &row.found_ranks, &row.found_bases}) {
    numbers->resize(2 * length + padding, 0);
  }
  row.weights.resize(2 * length + padding, 0);
}

// For one output the weights of single features are added up at once, for several they are listed.
template <class Weight>
class WeightTaker {
 public:
  explicit WeightTaker(PreparedRow<Weight>& row) : to_(row.weights.data()) {}
  GRISTMILL_INLINE void take(std::uint32_t at, Weight weight) { to_[at] = weight; }
  GRISTMILL_INLINE void finish(PreparedRow<Weight>&) const {}

 private:
  Weight* to_;
};

template <>
class WeightTaker<double> {
 public:
  explicit WeightTaker(PreparedRow<double>&) {}
  GRISTMILL_INLINE void take(std::uint32_t, double weight) { sum_ += weight; }
  GRISTMILL_INLINE void finish(PreparedRow<double>& row) const { row.sum = sum_; }

 private:
  double sum_ = 0;
};

template <class Tables>
GRISTMILL_INLINE void look_up(const Tables& tables, Row x, PreparedRow<typename Tables::Weight>& row) {
  make_room(row, x.size());
  std::uint32_t* ranks = row.found_ranks.data();
  std::uint32_t* bases = row.found_bases.data();
  WeightTaker<typename Tables::Weight> weights(row);
  std::uint32_t size = 0;
  std::uint32_t dense = 0;
  std::uint32_t common = 0;
  for (const FeatureId id : x) {
    const auto& record = tables.records.find(id);
    ranks[size] = record.rank;
    bases[size] = record.base;
    weights.take(size, record.weight);
    size += record.rank != FeatureMap::unseen ? 1 : 0;
    dense += record.rank < tables.dense ? 1 : 0;
    common += record.rank < tables.common ? 1 : 0;
  }
  weights.finish(row);
  row.size = size;
  row.dense = dense;
  row.common = common;
  row.length = x.size();
}

// Positions by counting how many ranks are smaller: no branch depends on the data.
template <std::size_t Vectors, class Weight>
GRISTMILL_INLINE void sort_by_counting(PreparedRow<Weight>& row) {
  std::array<Lanes8i, Vectors> ranks;
  std::array<Lanes8i, Vectors> smaller{};
  const std::uint32_t* from = row.found_ranks.data();
#pragma GCC unroll 4
  for (std::size_t v = 0; v < Vectors; ++v) load(ranks[v], from + 8 * v);
  for (std::uint32_t i = 0; i < row.size; ++i) {
    const auto rank = static_cast<std::int32_t>(from[i]);
#pragma GCC unroll 4
    for (std::size_t v = 0; v < Vectors; ++v) smaller[v] -= ranks[v] > rank;
  }
  std::array<std::uint32_t, 8 * Vectors> to;
#pragma GCC unroll 4
  for (std::size_t v = 0; v < Vectors; ++v) store(smaller[v], to.data() + 8 * v);
  for (std::uint32_t i = 0; i < row.size; ++i) {
    row.ranks.data()[to[i]] = from[i];
    row.bases.data()[to[i]] = row.found_bases.data()[i];
  }
}

template <class Weight>
void sort_long(PreparedRow<Weight>& row) {
  std::vector<std::uint64_t> keys(row.size);
  for (std::size_t i = 0; i < row.size; ++i) keys[i] = std::uint64_t{row.found_ranks[i]} << 32 | row.found_bases[i];
  std::ranges::sort(keys);
  for (std::size_t i = 0; i < row.size; ++i) {
    row.ranks[i] = static_cast<std::uint32_t>(keys[i] >> 32);
    row.bases[i] = static_cast<std::uint32_t>(keys[i]);
  }
}

template <class Weight>
GRISTMILL_INLINE void sort(PreparedRow<Weight>& row) {
  if (row.size <= 8) {
    sort_by_counting<1>(row);
  } else if (row.size <= 16) {
    sort_by_counting<2>(row);
  } else if (row.size <= padding) {
    sort_by_counting<4>(row);
  } else {
    sort_long(row);
  }
}

template <class Tables>
GRISTMILL_INLINE void ask_for_combs(const Tables& tables, const PreparedRow<typename Tables::Weight>& row) {
  const auto* check = tables.degree == 2 ? tables.leaf_check.data() : tables.inner_check.data();
  for (std::uint32_t i = row.dense; i < row.common; ++i) {
    for (std::uint32_t j = 0; j < i; ++j) __builtin_prefetch(check + row.bases.data()[i] + row.ranks.data()[j]);
  }
  for (std::uint32_t i = row.common; i < row.size; ++i) __builtin_prefetch(tables.rare.at(row.bases.data()[i]));
}

}  // namespace window

template <class Weight>
class RowWindow {
 public:
  // add_block(row) sees each row first, and may close it; add_rest(row, its number) ends it. Rows go in order.
  template <class Tables, class AddBlock, class AddRest>
  GRISTMILL_INLINE void run(const Tables& tables, Rows rows, std::size_t begin, std::size_t end, AddBlock add_block,
                            AddRest add_rest) {
    const auto step = [&](std::size_t row, std::size_t lag, auto act) __attribute__((always_inline)) {
      if (row >= begin + lag && row < end + lag) act(ring_[(row - lag) % ring_size]);
    };
    for (std::size_t row = begin; row < std::min(end, begin + ask_ahead); ++row) ask_for_records(tables, rows[row]);
    for (std::size_t row = begin; row < end + finish_lag; ++row) {
      if (row + ask_ahead < end) ask_for_records(tables, rows[row + ask_ahead]);
      step(row, 0, [&](auto& it) __attribute__((always_inline)) { window::look_up(tables, rows[row], it); });
      step(row, 1, [&](auto& it) __attribute__((always_inline)) {
        window::sort(it);
        it.open = true;
        add_block(it);
        if (it.open) window::ask_for_combs(tables, it);
      });
      step(row, finish_lag, [&](auto& it) __attribute__((always_inline)) { add_rest(it, row - finish_lag); });
    }
  }

 private:
  static constexpr std::size_t ring_size = 4;
  static constexpr std::size_t ask_ahead = 3;
  static constexpr std::size_t finish_lag = 3;

  template <class Tables>
  GRISTMILL_INLINE static void ask_for_records(const Tables& tables, Row x) {
    for (const FeatureId id : x) tables.records.prefetch(id);
  }

  std::array<PreparedRow<Weight>, ring_size> ring_;
};

}  // namespace gristmill
