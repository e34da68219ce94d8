// SPDX-License-Identifier: BSD-3-Clause
// The inverted index of a set of rows, made to answer one question: how many features does x share with each of them?
//
// Most features are kept as postings (the rows they occur in). A feature that occurs in more than one row in sixteen is
// kept as a column of bytes instead: adding a column to the counters is a vector loop and beats walking the postings
// from there on. Ranks go by frequency, so the columns belong to the first ranks.
//
// Cost of a query: the postings of its rare features, plus rows/16 vector steps per frequent one. Memory: 4 bytes a
// posting; a column costs at most four times the postings it replaces.
#pragma once
#include <span>
#include <variant>
#include <vector>

#include "base/lists.hpp"
#include "rows/feature_map.hpp"

namespace gristmill::rows {

class OverlapIndex {
 public:
  // As wide as the longest row needs. Between queries all counters are zero.
  using Counters = std::variant<std::vector<std::uint8_t>, std::vector<std::uint16_t>, std::vector<std::uint32_t>>;

  // What a query will touch, found before any counter is.
  struct Query {
    std::vector<Rank> ranks;   // the known features of x
    std::size_t postings = 0;  // of its rare features
    std::size_t columns = 0;   // of its frequent ones
  };

  explicit OverlapIndex(Rows rows);

  // Whether a feature that occurs in `count` of `rows` rows is kept as a column.
  [[nodiscard]] static bool is_column(std::size_t count, std::size_t rows) noexcept;

  [[nodiscard]] std::size_t rows() const noexcept { return rows_; }
  [[nodiscard]] std::size_t longest() const noexcept { return longest_; }
  [[nodiscard]] const FeatureMap& features() const noexcept { return features_; }
  [[nodiscard]] std::size_t nbytes() const noexcept;

  [[nodiscard]] bool has_column(Rank rank) const noexcept { return rank < column_count_; }
  [[nodiscard]] std::span<const RowId> postings(Rank rank) const { return postings_[rank]; }
  [[nodiscard]] std::span<const std::uint8_t> column(Rank rank) const;  // of one that has it: all bits for its rows

  [[nodiscard]] Counters make_counters() const;
  void look_up(Row x, Query& query) const;

  // Adds the overlaps to counters that were zero.
  template <class Counter>
  void count(const Query& query, std::vector<Counter>& counters) const;

  // The same for a query without columns, and notes each row at its first touch.
  template <class Counter>
  void count_touched(const Query& query, std::vector<Counter>& counters, std::vector<RowId>& touched) const;

 private:
  void fill(Rows rows);

  std::size_t rows_;
  std::size_t longest_;
  FeatureMap features_;
  std::size_t column_count_ = 0;       // ranks below it have columns
  std::vector<std::uint8_t> columns_;  // column_count_ x rows_
  Lists<RowId> postings_;              // by rank; none of those with columns
};

}  // namespace gristmill::rows
