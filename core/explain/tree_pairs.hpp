// SPDX-License-Identifier: BSD-3-Clause
// The nodes of one tree, each where it stands (equal subtrees are not one), and the subtrees of an index that a node
// may share fragments with: those of its production, or of its label for kernels that skip children. They are a range
// of ranks, so a pair is a number, and is found without a search.
#pragma once
#include <utility>

#include "base/stop.hpp"
#include "forest/tree_queries.hpp"
#include "kernel/trees/tree_kernel.hpp"

namespace gristmill::explain {

class TreePairs {
 public:
  static constexpr std::size_t none = SIZE_MAX;

  struct Node {
    forest::SubtreeId subtree = 0;  // of the queries
    bool is_marked = false;         // if the index knows its label
    forest::SubtreeRank begin = 0;  // of the index: where the subtrees of its pairs begin
    std::uint32_t size = 0;         // how many there are
    std::size_t first = 0;          // number of the first of its pairs
    std::size_t children = 0;       // where they begin
  };

  TreePairs(const kernel::trees::TreeKernel& kernel, const forest::SubtreeIndex& index,
            const forest::TreeQueries& queries)
      : kernel_(kernel), index_(index), queries_(queries) {}

  // Takes the nodes of another tree.
  void unfold(std::size_t tree);

  // In pre-order: parents before their children.
  [[nodiscard]] std::span<const Node> nodes() const noexcept { return {nodes_.data(), nodes_.size() - 1}; }
  [[nodiscard]] std::span<const std::uint32_t> children(std::size_t node) const noexcept {
    return {children_.data() + nodes_[node].children, children_.data() + nodes_[node + 1].children};
  }
  [[nodiscard]] std::size_t pairs() const noexcept { return nodes_.back().first; }

  // The pair of a node with a subtree of the index, or none.
  [[nodiscard]] std::size_t find(std::size_t node, forest::SubtreeId other) const noexcept {
    const Node& own = nodes_[node];
    const forest::SubtreeRank place = index_.rank(other) - own.begin;  // wraps around below the range
    return place < own.size ? own.first + place : none;
  }
  // The children of the subtree at a rank.
  [[nodiscard]] std::span<const forest::SubtreeId> others(forest::SubtreeRank rank) const noexcept {
    return index_.set().children(index_.subtree(rank));
  }
  [[nodiscard]] bool is_leaf(forest::SubtreeId other) const noexcept { return index_.set().is_leaf(other); }
  [[nodiscard]] const kernel::trees::TreeKernel& kernel() const noexcept { return kernel_; }

 private:
  [[nodiscard]] Node node_of(forest::SubtreeId subtree) const;

  const kernel::trees::TreeKernel& kernel_;
  const forest::SubtreeIndex& index_;
  const forest::TreeQueries& queries_;
  std::vector<Node> nodes_;  // and one that ends the last
  std::vector<std::uint32_t> children_;
  std::vector<std::pair<forest::SubtreeId, std::size_t>> stack_;  // with the place among the children
};

// How many nodes the largest fragment has at most that the tree and one of the index share.
[[nodiscard]] std::size_t largest_fragment(const TreePairs& pairs, Pulse& pulse);

}  // namespace gristmill::explain
