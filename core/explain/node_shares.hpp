// SPDX-License-Identifier: BSD-3-Clause
// What every node of a tree adds to the scores of a machine on trees, f(T) - b, exactly, in two ways.
//
//   rooted   everything that is counted with its top at the node: sum over support subtrees s of W(s) Delta(n, s),
//            where W(s) = sum_i a_i * how often support tree i has s
//   shared   the weight of every common fragment, divided equally among all its nodes, those at its lower end included:
//            the Shapley values of the nodes if a fragment counts where all its nodes are there
//
// Let every node of T weigh z, so that a fragment of N nodes weighs z^N. Then 1 / N is the integral of z^(N - 1) over
// (0, 1), and the share of a node is that of the derivative of the score by its own weight: a polynomial, for which the
// Gauss-Legendre rule is exact. Delta is found from the leaves up (inside), derivatives from the root down (outside);
// nothing is subtracted.
//
// Cost: half the nodes of the largest common fragment times the pairs of nodes with support subtrees of the same
// production (or label), each with its children, or pairs of children where they may be skipped. Memory of a thread:
// some doubles for each such pair, and for each pair of children of one of them.
#pragma once
#include <memory>

#include "base/observer.hpp"
#include "forest/tree_queries.hpp"
#include "kernel/trees/tree_kernel.hpp"

namespace gristmill::explain {

class NodeShares {
 public:
  // coef: trees of the index x outputs.
  NodeShares(const kernel::trees::TreeKernel& kernel, std::shared_ptr<const forest::SubtreeIndex> index,
             std::span<const double> coef, std::size_t outputs);

  [[nodiscard]] std::size_t outputs() const noexcept { return outputs_; }
  [[nodiscard]] const forest::SubtreeIndex& index() const noexcept { return *index_; }
  [[nodiscard]] const kernel::trees::TreeKernel& kernel() const noexcept { return kernel_; }
  [[nodiscard]] std::size_t nbytes() const noexcept;

  // How many nodes the trees have, one after the other.
  [[nodiscard]] static std::size_t nodes(const forest::TreeQueries& queries);

  // Both: nodes of all trees, each tree in pre-order, x outputs. `shared` may be empty: it is then not asked for.
  // Queries must know their equals for the identity family.
  void explain(const forest::TreeQueries& queries, std::span<double> rooted, std::span<double> shared,
               std::size_t threads, Observer& observer) const;

  // Of a support subtree, one for each output.
  [[nodiscard]] const double* weights(forest::SubtreeRank rank) const noexcept {
    return weights_.data() + rank * outputs_;
  }

 private:
  void fold(std::span<const double> coef);
  void fold_single_nodes();
  void explain_identity(const forest::TreeQueries& queries, std::span<double> rooted, std::span<double> shared) const;
  void add_single_nodes(const forest::TreeQueries& queries, std::span<double> shares) const;

  kernel::trees::TreeKernel kernel_;
  std::shared_ptr<const forest::SubtreeIndex> index_;
  std::size_t outputs_;
  std::vector<double> weights_;   // W by rank and output
  std::vector<double> by_label_;  // what a node counts as a fragment of its own, by label and output
  std::vector<double> by_leaf_;   // and as a leaf, by production
};

}  // namespace gristmill::explain
