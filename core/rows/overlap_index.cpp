// SPDX-License-Identifier: BSD-3-Clause
#include "rows/overlap_index.hpp"

#include <limits>
#include <stdexcept>

#include "base/variants.hpp"
#include "rows/frequent_features.hpp"

namespace gristmill::rows {
namespace {

constexpr std::size_t column_share = 16;    // a column from one row in this many
constexpr std::size_t column_minimum = 64;  // below this many rows postings are as good

template <class Counter>
GRISTMILL_INLINE void add_column_plain(std::span<Counter> counters, std::span<const std::uint8_t> column) {
  for (std::size_t i = 0; i < column.size(); ++i) counters[i] = static_cast<Counter>(counters[i] + (column[i] & 1U));
}

// One function per width: variants cannot be templates.
GRISTMILL_VARIANTS void add_column(std::span<std::uint8_t> counters, std::span<const std::uint8_t> column) {
  add_column_plain(counters, column);
}
GRISTMILL_VARIANTS void add_column(std::span<std::uint16_t> counters, std::span<const std::uint8_t> column) {
  add_column_plain(counters, column);
}
GRISTMILL_VARIANTS void add_column(std::span<std::uint32_t> counters, std::span<const std::uint8_t> column) {
  add_column_plain(counters, column);
}

}  // namespace

OverlapIndex::OverlapIndex(Rows rows) : rows_(rows.size()), longest_(rows.longest()), features_(rows) {
  if (rows_ > std::numeric_limits<RowId>::max()) throw std::invalid_argument("more than 2^32 rows cannot be indexed");
  column_count_ = count_frequent(features_, [&](std::size_t count) { return is_column(count, rows_); });
  fill(rows);
}

bool OverlapIndex::is_column(std::size_t count, std::size_t rows) noexcept {
  return rows >= column_minimum && count * column_share >= rows;
}

void OverlapIndex::fill(Rows rows) {
  columns_.assign(column_count_ * rows_, 0);
  postings_ = split_by_frequency(features_, column_count_, rows,
                                 [&](Rank rank, std::size_t row) { columns_[rank * rows_ + row] = 0xFF; });
}

OverlapIndex::Counters OverlapIndex::make_counters() const {
  if (longest_ <= std::numeric_limits<std::uint8_t>::max()) return std::vector<std::uint8_t>(rows_, 0);
  if (longest_ <= std::numeric_limits<std::uint16_t>::max()) return std::vector<std::uint16_t>(rows_, 0);
  return std::vector<std::uint32_t>(rows_, 0);
}

void OverlapIndex::look_up(Row x, Query& query) const {
  query.ranks.clear();
  query.postings = query.columns = 0;
  for (const FeatureId id : x) {
    const Rank rank = features_.find(id);
    if (rank == FeatureMap::unseen) continue;
    query.ranks.push_back(rank);
    if (has_column(rank)) {
      ++query.columns;
    } else {
      query.postings += postings(rank).size();
    }
  }
}

template <class Counter>
void OverlapIndex::count(const Query& query, std::vector<Counter>& counters) const {
  for (const Rank rank : query.ranks) {
    if (has_column(rank)) {
      add_column(std::span<Counter>(counters), column(rank));
    } else {
      for (const RowId row : postings(rank)) ++counters[row];
    }
  }
}

template <class Counter>
void OverlapIndex::count_touched(const Query& query, std::vector<Counter>& counters,
                                 std::vector<RowId>& touched) const {
  // Written always, kept only at the first touch: a branch here would be a coin toss.
  touched.resize(query.postings + 1);
  std::size_t size = 0;
  for (const Rank rank : query.ranks) {
    for (const RowId row : postings(rank)) {
      touched[size] = row;
      size += counters[row]++ == 0 ? 1U : 0U;
    }
  }
  touched.resize(size);
}

std::span<const std::uint8_t> OverlapIndex::column(Rank rank) const {
  return std::span(columns_).subspan(rank * rows_, rows_);
}

std::size_t OverlapIndex::nbytes() const noexcept { return features_.nbytes() + columns_.size() + postings_.nbytes(); }

#define GRISTMILL_COUNT_FOR(Counter)                                                     \
  template void OverlapIndex::count<Counter>(const Query&, std::vector<Counter>&) const; \
  template void OverlapIndex::count_touched<Counter>(const Query&, std::vector<Counter>&, std::vector<RowId>&) const;
GRISTMILL_COUNT_FOR(std::uint8_t)
GRISTMILL_COUNT_FOR(std::uint16_t)
GRISTMILL_COUNT_FOR(std::uint32_t)
#undef GRISTMILL_COUNT_FOR

}  // namespace gristmill::rows
