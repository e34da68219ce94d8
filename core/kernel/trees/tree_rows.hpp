// SPDX-License-Identifier: BSD-3-Clause
// Rows of the Gram matrix of a tree kernel over a data set: K(t, s) for all its trees s at once. Delta is computed per
// different subtree, the constant part by counts; what remains goes to trees by postings.
#pragma once
#include <memory>

#include "base/observer.hpp"
#include "forest/tree_queries.hpp"
#include "kernel/trees/tree_kernel.hpp"

namespace gristmill::kernel::trees {

class TreeRows {
 public:
  TreeRows() = default;
  TreeRows(const TreeRows&) = delete;
  TreeRows& operator=(const TreeRows&) = delete;
  virtual ~TreeRows() = default;

  [[nodiscard]] virtual const forest::SubtreeIndex& index() const noexcept = 0;
  [[nodiscard]] std::size_t size() const noexcept { return index().trees(); }
  [[nodiscard]] virtual std::size_t nbytes() const noexcept = 0;

  // Every value is multiplied by the scale of its query and that of its tree, where there are scales; a normalised
  // kernel has 1 / sqrt(K(t, t)). Values that leave the range of double throw std::invalid_argument.

  // out: queries x size(), row-major.
  virtual void fill(const forest::TreeQueries& queries, std::span<const double> query_scales,
                    std::span<const double> tree_scales, std::span<double> out, std::size_t threads,
                    Observer& observer) const = 0;

  // Rows of the data set's own matrix: numbers x size(), row-major.
  virtual void fill_own(std::span<const std::uint32_t> numbers, std::span<const double> scales, std::span<double> out,
                        std::size_t threads, Observer& observer) const = 0;

  // Rows begin..end of the data set's own matrix, of each the part up to the diagonal: (end - begin) x size(),
  // row-major; nothing is written to the right of the diagonal.
  virtual void fill_lower(std::size_t begin, std::size_t end, std::span<const double> scales, std::span<double> out,
                          std::size_t threads, Observer& observer) const = 0;

  // The data set's own matrix, size() x size(), each pair computed once.
  virtual void fill_symmetric(std::span<const double> scales, std::span<double> out, std::size_t threads,
                              Observer& observer) const = 0;
};

// max_bytes: what every thread may take to remember Delta from row to row.
[[nodiscard]] std::unique_ptr<TreeRows> make_tree_rows(const TreeKernel& kernel,
                                                       std::shared_ptr<const forest::SubtreeIndex> index,
                                                       std::size_t max_bytes);

}  // namespace gristmill::kernel::trees
