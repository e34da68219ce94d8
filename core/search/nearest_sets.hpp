// SPDX-License-Identifier: BSD-3-Clause
// The rows that are most similar to x by a kernel of sets, exactly.
//
// Rows stand by length. With rows of one length the kernel is a function of the overlap alone, so the similarity that a
// row must have says how many features it must share, or that no row of this length will do: for Tanimoto's kernel and
// a similarity t only lengths from t|x| to |x|/t remain (Swamidass and Baldi 2007). BitIndex finds the rows that share
// as many. While the k nearest are sought, the k-th of those found says what others must have; lengths that promise
// most come first.
//
// Cost of a query: that of BitIndex, of the lengths that remain. Memory: BitIndex, and three numbers a row.
#pragma once
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "base/observer.hpp"
#include "kernel/set_values.hpp"
#include "rows/bit_index.hpp"
#include "rows/by_length.hpp"

namespace gristmill::search {

struct Neighbour {
  double similarity;
  RowId number;

  // Similar rows come first, of those that are equally similar the one with the smaller number.
  [[nodiscard]] bool operator<(const Neighbour& other) const noexcept {
    return similarity > other.similarity || (similarity == other.similarity && number < other.number);
  }
};

// At most `most` rows for each query, of those whose similarity is at least `threshold`.
struct Request {
  std::size_t most = std::numeric_limits<std::size_t>::max();
  double threshold = -std::numeric_limits<double>::infinity();
};

class NearestSets {
 public:
  NearestSets(kernel::SetKernel kernel, rows::Rows rows) : NearestSets(std::move(kernel), rows::ByLength(rows)) {}

  [[nodiscard]] std::size_t size() const noexcept { return order_.size(); }
  [[nodiscard]] std::size_t nbytes() const noexcept;

  // A list for each query, in order. If the queries are the rows themselves, none is its own neighbour.
  [[nodiscard]] std::vector<std::vector<Neighbour>> find(rows::Rows queries, bool are_the_rows, const Request& request,
                                                         std::size_t threads, Observer& observer) const;

 private:
  // The neighbours found so far, the least similar one on top of a heap.
  class Found {
   public:
    void begin(const Request& request);
    [[nodiscard]] double least() const noexcept { return least_; }  // similarity that a row must have
    void offer(const Neighbour& one);
    [[nodiscard]] std::vector<Neighbour> take();

   private:
    std::vector<Neighbour> heap_;
    std::size_t most_ = 0;
    double least_ = 0;
  };
  // What rows of one length must share to be as similar as `similarity`; `top` is the most similar they can be.
  struct Need {
    double top;
    double similarity;
    std::size_t shared;
  };
  struct Sought {  // a query
    rows::BitIndex::Query query;
    rows::BitIndex::Rare rare;
    std::vector<Need> needs;  // of each different length
    std::size_t length;       // of x
    std::size_t itself;       // the number of x among the rows
    Found found;
  };
  struct Scratch {
    std::vector<Sought> sought;
    std::vector<std::size_t> tiles;
    std::vector<double> tops;  // of the tiles
    rows::BitIndex::Block block;
  };

  NearestSets(kernel::SetKernel kernel, const rows::ByLength& rows);

  [[nodiscard]] bool grows_for(std::size_t length) const noexcept { return length < growing_; }
  [[nodiscard]] std::size_t queries_at_once(std::size_t queries, std::size_t threads) const noexcept;
  void find_batch(rows::Rows queries, std::span<const RowId> batch, bool are_the_rows, const Request& request,
                  Scratch& scratch, std::vector<std::vector<Neighbour>>& out) const;
  void begin(rows::Row x, Sought& sought) const;
  void order_tiles(const Sought& sought, Scratch& scratch) const;
  void visit_tile(std::size_t tile, Sought& sought, rows::BitIndex::Block& block) const;
  template <class Value>
  void visit_block(std::size_t at, const Value& value, Sought& sought, rows::BitIndex::Block& block) const;
  template <class Value>
  void update(std::size_t place, const Value& value, const Sought& sought, Need& need) const;

  std::vector<RowId> order_;          // row numbers, by length
  rows::BitIndex index_;              // of the rows in that order
  kernel::SetValues values_;          // likewise
  std::vector<RowId> starts_;         // of each different length, and the end
  std::vector<std::size_t> lengths_;  // the place of the first length of each block
  std::size_t growing_;               // for x of less features, similarity grows with the overlap
};

}  // namespace gristmill::search
