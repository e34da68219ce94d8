// SPDX-License-Identifier: BSD-3-Clause
// The different subtrees of some trees of a Forest, numbered in order of arrival: tree by tree, children before
// parents, so that those of the first trees are a prefix. Grows; numbers stay.
#pragma once
#include <span>
#include <vector>

#include "base/lists.hpp"
#include "forest/node_numbers.hpp"

namespace gristmill::forest {

using SubtreeId = std::uint32_t;

class Subtrees {
 public:
  // For so many trees of the forest, which are to be added.
  Subtrees(const Forest& forest, std::size_t trees) : numbers_(forest, trees) {}

  // The number of the tree's root. The forest must be the same every time; it may have grown.
  SubtreeId add(const Forest& forest, NodeId root);

  // The subtree that is this node, or Forest::none.
  [[nodiscard]] SubtreeId find(NodeId node) const { return numbers_.find(node); }

  [[nodiscard]] std::size_t subtrees() const noexcept { return nodes_.size(); }
  [[nodiscard]] NodeId node(SubtreeId id) const noexcept { return nodes_[id]; }
  [[nodiscard]] Symbol label(SubtreeId id) const noexcept { return labels_[id]; }
  [[nodiscard]] std::span<const SubtreeId> children(SubtreeId id) const noexcept { return children_[id]; }
  [[nodiscard]] bool is_leaf(SubtreeId id) const noexcept { return children_[id].empty(); }

  // Subtrees, and links to children.
  [[nodiscard]] std::size_t graph_size() const noexcept { return nodes_.size() + children_.items().size(); }

  [[nodiscard]] std::size_t nbytes() const noexcept;

 private:
  void add_node(const Forest& forest, NodeId node);

  NodeNumbers numbers_;
  std::vector<NodeId> nodes_;
  std::vector<Symbol> labels_;
  Lists<SubtreeId> children_;
  std::vector<std::pair<NodeId, std::size_t>> stack_;  // spares an allocation
};

// visit(node) for every node below the root, and the root, that was not seen; children first. Visited nodes must be
// seen from then on. Nothing recurses.
template <class ChildrenOf, class Seen, class Visit>
void for_each_postorder(ChildrenOf children_of, std::uint32_t root,
                        std::vector<std::pair<std::uint32_t, std::size_t>>& stack, Seen seen, Visit visit) {
  if (seen(root)) return;
  stack.assign(1, {root, 0});
  while (!stack.empty()) {
    auto& [node, next] = stack.back();
    const std::span<const std::uint32_t> children = children_of(node);
    while (next < children.size() && seen(children[next])) ++next;
    if (next < children.size()) {
      const std::uint32_t child = children[next++];
      stack.emplace_back(child, 0);
    } else {
      const std::uint32_t done = node;
      stack.pop_back();
      visit(done);
    }
  }
}

}  // namespace gristmill::forest
