// SPDX-License-Identifier: BSD-3-Clause
// All trees of a data set as one directed acyclic graph: equal subtrees are one node. Nodes are numbered as they come,
// so children have smaller numbers than their parents, and a tree is the number of its root. Grows; numbers stay.
#pragma once
#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "forest/symbols.hpp"

namespace gristmill::forest {

using NodeId = std::uint32_t;

class Forest {
 public:
  static constexpr NodeId none = SequenceTable<std::uint32_t>::none;

  [[nodiscard]] std::size_t size() const noexcept { return nodes_.size(); }
  [[nodiscard]] Symbol label(NodeId node) const noexcept { return nodes_[node].front(); }
  [[nodiscard]] std::span<const NodeId> children(NodeId node) const noexcept { return nodes_[node].subspan(1); }
  // How many nodes the tree below a node has, with itself: equal subtrees count as often as they stand in it.
  // UINT32_MAX is that many or more.
  [[nodiscard]] std::uint32_t nodes(NodeId node) const noexcept { return sizes_[node]; }
  [[nodiscard]] const Symbols& symbols() const noexcept { return symbols_; }
  [[nodiscard]] Symbols& symbols() noexcept { return symbols_; }

  // The node, or none. The scratch spares an allocation.
  [[nodiscard]] NodeId find(Symbol label, std::span<const NodeId> children, std::vector<std::uint32_t>& scratch) const {
    return nodes_.find(key(label, children, scratch));
  }
  // The node, made if there is none; children must be nodes.
  NodeId add(Symbol label, std::span<const NodeId> children) {
    if (children.empty()) return add_leaf(label);
    const NodeId node = nodes_.intern(key(label, children, scratch_));
    if (node == sizes_.size()) sizes_.push_back(count_nodes(children));
    return node;
  }

  [[nodiscard]] std::size_t nbytes() const noexcept {
    return symbols_.nbytes() + nodes_.nbytes() + sizes_.size() * sizeof(NodeId);
  }

 private:
  [[nodiscard]] static std::span<const std::uint32_t> key(Symbol label, std::span<const NodeId> children,
                                                          std::vector<std::uint32_t>& scratch) {
    scratch.clear();
    scratch.push_back(label);
    scratch.insert(scratch.end(), children.begin(), children.end());
    return scratch;
  }

  // Half of all nodes are leaves: they are found without a search.
  NodeId add_leaf(Symbol label) {
    if (label >= leaves_.size()) leaves_.resize(label + std::size_t{1}, none);
    if (leaves_[label] == none) {
      leaves_[label] = nodes_.intern(key(label, {}, scratch_));
      sizes_.push_back(1);
    }
    return leaves_[label];
  }

  [[nodiscard]] std::uint32_t count_nodes(std::span<const NodeId> children) const noexcept {
    std::uint64_t nodes = 1;
    for (const NodeId child : children) nodes += sizes_[child];
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(nodes, UINT32_MAX));
  }

  Symbols symbols_;
  SequenceTable<std::uint32_t> nodes_;  // label, then children
  std::vector<std::uint32_t> sizes_;    // of the trees below the nodes
  std::vector<NodeId> leaves_;          // by label
  std::vector<std::uint32_t> scratch_;
};

}  // namespace gristmill::forest
