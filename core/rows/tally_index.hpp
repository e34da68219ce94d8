// SPDX-License-Identifier: BSD-3-Clause
// An index of rows in groups, made to answer one question: how many rows of each group share 0, 1, 2, ... features with
// x?
//
// Rows are bits, 256 of them a block. A feature that occurs in more than one row in 256 is a column of bits; the others
// are lists of the rows they occur in. Columns are added up as in an adder of a processor, all rows of a block at once:
// bit p of the sums of all rows is one vector. What is then counted is how many rows have each sum.
// Cost of a query: some 6 instructions per block and frequent feature of x, some 10 per block and possible sum. Memory:
// at most eight times that of lists.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "base/large_pages.hpp"
#include "base/lists.hpp"
#include "rows/feature_map.hpp"
#include "rows/rows.hpp"

namespace gristmill::rows {

class TallyIndex {
 public:
  static constexpr std::size_t block_rows = 256;
  static constexpr std::size_t words = block_rows / 64;  // of a block
  static constexpr std::size_t most_features = 255;      // of a row

  struct Scratch {
    std::vector<const std::uint64_t*> columns;  // of the frequent features of x
    std::vector<std::uint64_t> sums;            // of the rare ones: planes x blocks x words
    std::vector<std::uint32_t> tallies;         // groups x width
  };

  // Groups of row numbers; their rows are what is indexed. None has more than most_features.
  TallyIndex(Rows rows, const Lists<RowId>& groups);

  [[nodiscard]] std::size_t groups() const noexcept { return sizes_.size(); }
  [[nodiscard]] const FeatureMap& features() const noexcept { return features_; }
  [[nodiscard]] std::size_t nbytes() const noexcept;

  // Fills scratch.tallies: [group * width + m] is how many rows share m features with x. Returns the width.
  std::size_t tally(Row x, Scratch& scratch) const;

 private:
  static constexpr std::size_t column_share = 256;  // a column from one row in this many

  void fill(Rows rows, const Lists<RowId>& groups);
  [[nodiscard]] bool has_column(Rank rank) const noexcept { return rank < column_count_; }
  [[nodiscard]] std::size_t look_up(Row x, Scratch& scratch) const;
  void add_rare(Row x, std::size_t planes, std::vector<std::uint64_t>& sums) const;

  FeatureMap features_;
  std::size_t longest_ = 0;              // of the rows
  std::vector<std::size_t> sizes_;       // of the groups
  std::vector<std::uint32_t> group_of_;  // by block
  std::size_t column_count_ = 0;         // ranks below it have columns
  LargeVector<std::uint64_t> columns_;   // column_count_ x blocks x words
  Lists<RowId> places_;                  // by rank: where it occurs, counted in bits; none of those with columns
};

}  // namespace gristmill::rows
