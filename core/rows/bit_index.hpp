// SPDX-License-Identifier: BSD-3-Clause
// Rows as columns of bits, made to find those that share many features with x.
//
// A frequent feature is a column: a bit for each row. The columns of the features of x are added up for 256 rows at
// once, as numbers whose digits lie in planes: bit r of plane p is digit p of the count of row r. Full adders bring a
// column into the planes in about five vector operations, so that a pair of rows costs a fiftieth of an operation per
// feature of x; counting the bits of rows, word by word, costs several per word. Columns are added from the rarest on,
// and a block of rows is left as soon as none of them can come to as many features as are needed.
// A feature that occurs in fewer than one row in 64 is a list of rows.
//
// Cost of a query: 5 operations per frequent feature and 256 rows, and the lists of its rare features. Memory: 4 bytes
// an entry in lists; a column at most twice that.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/lanes.hpp"
#include "base/large_pages.hpp"
#include "base/lists.hpp"
#include "rows/feature_map.hpp"

namespace gristmill::rows {

class BitIndex {
 public:
  static constexpr std::size_t block_rows = 256;
  static constexpr std::size_t block_words = block_rows / 64;
  static constexpr std::size_t tile_blocks = 16;  // whose columns lie together, so that queries find them in the cache

  // What is known of x.
  struct Query {
    std::vector<std::uint32_t> columns;  // of its frequent features, and some that are empty
    std::size_t frequent = 0;            // how many are not
    std::vector<Rank> rare;              // its other known features
    [[nodiscard]] std::size_t known() const noexcept { return frequent + rare.size(); }
  };

  // The rare features that each row shares with x. Between queries all are zero.
  struct Rare {
    std::vector<std::uint32_t> counts;
    std::vector<std::uint64_t> touched;  // a bit for each row
  };

  // The frequent features that each row of a block shares with x, digit by digit, and the rows asked for.
  struct alignas(32) Block {  // whatever the instruction set: that of vectors depends on it
    Lanes4u planes[32];
    Lanes4u found;  // a bit for each row
    unsigned digits;

    [[nodiscard]] std::size_t count(std::size_t row) const noexcept {
      std::size_t count = 0;
      for (unsigned digit = 0; digit < digits; ++digit) {
        count |= static_cast<std::size_t>(planes[digit][row / 64] >> (row % 64) & 1) << digit;
      }
      return count;
    }
  };

  explicit BitIndex(Rows rows);

  // Whether a feature that occurs in `count` of `rows` rows is a column.
  [[nodiscard]] static bool is_column(std::size_t count, std::size_t rows) noexcept;

  [[nodiscard]] std::size_t rows() const noexcept { return rows_; }
  [[nodiscard]] std::size_t blocks() const noexcept { return blocks_; }
  [[nodiscard]] std::size_t tiles() const noexcept { return (blocks_ + tile_blocks - 1) / tile_blocks; }
  [[nodiscard]] std::size_t columns() const noexcept { return columns_; }
  [[nodiscard]] bool has_lists() const noexcept { return columns_ < features_.size(); }
  [[nodiscard]] std::size_t nbytes() const noexcept;

  void look_up(Row x, Query& query) const;
  // find() then leaves blocks earlier; not worth it for count().
  static void put_rarest_first(Query& query);

  // The rare features of x, for find(); make_rare() once, clear_rare() after each query.
  [[nodiscard]] Rare make_rare() const;
  void count_rare(const Query& query, Rare& rare) const;
  void clear_rare(const Query& query, Rare& rare) const;

  // Finds the rows of a block that share `need` features or more with x, and some of those that share fewer but have
  // rare features of x; false where there are none. Counts are known after true.
  [[nodiscard]] bool find(const Query& query, const Rare& rare, std::size_t block, std::size_t need, Block& out) const;

  // How many features each row of a block shares with x; the counts of rows that are not there mean nothing.
  using Counts = std::array<std::uint32_t, block_rows>;
  void count(const Query& query, const Rare& rare, std::size_t block, Block& work, Counts& out) const;

 private:
  void fill(Rows rows);
  [[nodiscard]] std::size_t word_of(std::size_t column, std::size_t block) const noexcept;
  [[nodiscard]] std::size_t blocks_beside(std::size_t block) const noexcept;  // in its tile
  [[nodiscard]] bool clip(Block& last) const;

  std::size_t rows_;
  std::size_t blocks_;
  FeatureMap features_;
  std::size_t columns_ = 0;           // of the first ranks; one more is empty
  LargeVector<std::uint64_t> words_;  // tiles x columns x blocks of the tile x words of a block
  Lists<RowId> lists_;                // by rank; none of those with columns
};

}  // namespace gristmill::rows
