// SPDX-License-Identifier: BSD-3-Clause
// The different subtrees of some trees of a Forest, and what each tree consists of. Subtrees are numbered in order of
// arrival: tree by tree, children before parents, so that those of the first trees are a prefix.
#pragma once
#include <span>
#include <vector>

#include "forest/node_numbers.hpp"

namespace gristmill {

using SubtreeId = std::uint32_t;

class TreeSet {
 public:
  struct Part {
    SubtreeId subtree;
    std::uint32_t count;  // how often it occurs in the tree
  };

  TreeSet(const Forest& forest, std::span<const NodeId> roots);

  // The subtree that is this node, or Forest::none.
  [[nodiscard]] SubtreeId find(NodeId node) const { return numbers_.find(node); }

  [[nodiscard]] std::size_t trees() const noexcept { return arrived_.size() - 1; }
  [[nodiscard]] std::size_t subtrees() const noexcept { return nodes_.size(); }

  [[nodiscard]] NodeId node(SubtreeId id) const noexcept { return nodes_[id]; }
  [[nodiscard]] Symbol label(SubtreeId id) const noexcept { return labels_[id]; }
  [[nodiscard]] std::span<const SubtreeId> children(SubtreeId id) const noexcept {
    return {children_.data() + child_starts_[id], children_.data() + child_starts_[id + 1]};
  }
  [[nodiscard]] bool is_leaf(SubtreeId id) const noexcept { return child_starts_[id] == child_starts_[id + 1]; }

  // Children before parents, the root last; in an order that depends on the tree alone.
  [[nodiscard]] std::span<const Part> parts(std::size_t tree) const noexcept {
    return {parts_.data() + part_starts_[tree], parts_.data() + part_starts_[tree + 1]};
  }
  [[nodiscard]] SubtreeId root(std::size_t tree) const noexcept { return parts(tree).back().subtree; }
  // How many subtrees the first trees have.
  [[nodiscard]] std::size_t arrived(std::size_t trees) const noexcept { return arrived_[trees]; }

  [[nodiscard]] std::size_t nbytes() const noexcept;

 private:
  void number_subtrees(const Forest& forest, std::span<const NodeId> roots);
  void arrive(const Forest& forest, NodeId node);
  void count_parts(std::span<const SubtreeId> roots);

  NodeNumbers numbers_;
  std::vector<NodeId> nodes_;
  std::vector<Symbol> labels_;
  std::vector<std::size_t> child_starts_{0};
  std::vector<SubtreeId> children_;
  std::vector<std::size_t> part_starts_{0};
  std::vector<Part> parts_;
  std::vector<std::size_t> arrived_{0};
};

}  // namespace gristmill
