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
  for (const NodeId child : forest.children(node)) children_.push(find(child));
  children_.close();
}

std::size_t Subtrees::nbytes() const noexcept {
  return numbers_.nbytes() + (nodes_.size() + labels_.size()) * sizeof(NodeId) + children_.nbytes();
}

}  // namespace gristmill::forest
