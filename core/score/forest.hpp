// SPDX-License-Identifier: BSD-3-Clause
// The forest scorer: a tree machine folded onto the different subtrees of its support trees. The weight of a subtree is
// the sum of the coefficients of the trees that have it; what a subtree of the data contributes is computed once by
// each thread, however often it occurs among the trees to be scored (compare the SDAG of Aiolli et al. 2006). Subtrees
// the machine has never seen are as exact as others.
#pragma once
#include <memory>

#include "base/observer.hpp"
#include "kernel/tree_kernel.hpp"
#include "kernel/tree_queries.hpp"

namespace gristmill {

class ForestScorer {
 public:
  ForestScorer() = default;
  ForestScorer(const ForestScorer&) = delete;
  ForestScorer& operator=(const ForestScorer&) = delete;
  virtual ~ForestScorer() = default;

  [[nodiscard]] virtual const SubtreeIndex& index() const noexcept = 0;
  [[nodiscard]] virtual std::size_t outputs() const noexcept = 0;
  [[nodiscard]] virtual std::size_t nbytes() const noexcept = 0;

  // out: queries x outputs(), row-major: sum_i coef[i] K(s_i, query).
  virtual void score(const TreeQueries& queries, std::span<double> out, std::size_t threads,
                     Observer& observer) const = 0;
};

// coef: support trees x outputs, row-major.
[[nodiscard]] std::unique_ptr<ForestScorer> make_forest_scorer(const TreeKernel& kernel,
                                                               std::shared_ptr<const SubtreeIndex> index,
                                                               std::span<const double> coef, std::size_t outputs);

}  // namespace gristmill
