// SPDX-License-Identifier: BSD-3-Clause
#include "forest/subtrees.hpp"

namespace gristmill::forest {

SubtreeId Subtrees::add(const Forest& forest, NodeId root) {
  for_each_postorder([&](NodeId node) { return forest.children(node); }, root, stack_,
                     [&](NodeId node) { return find(node) != NodeNumbers::none; },
                     [&](NodeId node) { add_node(forest, node); });
  return find(root);
}

void Subtrees::add_node(const Forest& forest, NodeId node) {
  numbers_.set(node, static_cast<SubtreeId>(nodes_.size()));
  nodes_.push_back(node);
  labels_.push_back(forest.label(node));
  for (const NodeId child : forest.children(node)) children_.push_back(find(child));
  child_starts_.push_back(children_.size());
}

std::size_t Subtrees::nbytes() const noexcept {
  return numbers_.nbytes() + (nodes_.size() + labels_.size() + children_.size()) * sizeof(NodeId) +
         child_starts_.size() * sizeof(std::size_t);
}

}  // namespace gristmill::forest
