// SPDX-License-Identifier: BSD-3-Clause
// Rows of the Gram matrix of converted trees (Kazama and Torisawa 2005, Algorithm 4.1): what trees share is added up
// over the patterns that the tree of the row has; malicious pairs are computed as the kernel is defined, once.
// Cost: for an entry of a row one addition for each pattern that its two trees share.
#pragma once
#include <memory>

#include "base/large_pages.hpp"
#include "base/lists.hpp"
#include "base/observer.hpp"
#include "forest/subtree_index.hpp"
#include "mine/fragments/subtree_patterns.hpp"

namespace gristmill::mine::fragments {

class ConvertedRows {
 public:
  // Columns are numbers of trees of the index that was mined, each at most once. The kernel is the one that was mined,
  // or has another decay.
  ConvertedRows(const SubtreePatterns& patterns, const kernel::trees::TreeKernel& kernel,
                const forest::SubtreeIndex& index, std::span<const std::uint32_t> columns, std::size_t threads,
                Observer& observer);

  [[nodiscard]] std::size_t trees() const noexcept { return parts_.size(); }
  [[nodiscard]] std::size_t size() const noexcept { return columns_.size(); }
  [[nodiscard]] std::span<const double> diagonal() const noexcept { return diagonal_; }  // of all trees
  [[nodiscard]] std::size_t nbytes() const noexcept;
  // Additions for an entry, on average over all trees and columns; malicious pairs not counted.
  [[nodiscard]] double work() const;

  // out: queries (trees, which need not be columns) x size(), row-major. Scales as for TreeRows.
  void fill(std::span<const std::uint32_t> queries, std::span<const double> query_scales,
            std::span<const double> column_scales, std::span<double> out, std::size_t threads,
            Observer& observer) const;
  // The row of a column, by its number.
  void fill_own(std::size_t column, std::span<const double> scales, std::span<double> out) const;
  // K of each column with itself, scaled like any other entry.
  [[nodiscard]] std::vector<double> column_diagonal(std::span<const double> scales) const;
  // The matrix of the columns, each pair computed once.
  void fill_symmetric(std::span<const double> scales, std::span<double> out, std::size_t threads,
                      Observer& observer) const;

 private:
  // A pattern that a tree has.
  struct Part {
    std::uint32_t pattern;
    std::uint32_t count;
  };
  // Columns that have a pattern: first those that have it once, then the others, with how often.
  struct List {
    double weight;
    std::size_t begin;
    std::uint32_t single;
    std::uint32_t repeated;
    std::size_t counts;  // of the first repeated one
  };
  struct Known {
    std::uint32_t column;
    double value;
  };

  [[nodiscard]] std::vector<std::uint32_t> places() const;
  void set_lists(const SubtreePatterns& patterns, std::span<const double> weights);
  void set_parts(const SubtreePatterns& patterns);
  void set_known(const SubtreePatterns& patterns, const kernel::trees::TreeKernel& kernel,
                 const forest::SubtreeIndex& index, std::size_t threads, Observer& observer);
  void fill_row(std::uint32_t tree, std::span<double> row) const;
  void add_list(const List& list, double count, std::span<double> row) const;

  std::vector<std::uint32_t> columns_;
  std::vector<std::uint32_t> kept_;  // number of a pattern here, or none: those that no column has are left out
  LargeVector<List> lists_;
  LargeVector<std::uint32_t> entries_;
  std::vector<double> counts_;
  Lists<Part, std::size_t, LargeVector<Part>> parts_;  // of every tree
  Lists<Known> known_;                                 // of every tree
  std::vector<double> diagonal_;
};

}  // namespace gristmill::mine::fragments
