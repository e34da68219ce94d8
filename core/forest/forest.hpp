// SPDX-License-Identifier: BSD-3-Clause
// All trees of a data set as one directed acyclic graph: equal subtrees are one node. Nodes are numbered as they come,
// so children have smaller numbers than their parents, and a tree is the number of its root. Grows; numbers stay.
#pragma once
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
  [[nodiscard]] const Symbols& symbols() const noexcept { return symbols_; }
  [[nodiscard]] Symbols& symbols() noexcept { return symbols_; }

  // The node, or none. The scratch spares an allocation.
  [[nodiscard]] NodeId find(Symbol label, std::span<const NodeId> children, std::vector<std::uint32_t>& scratch) const {
    return nodes_.find(key(label, children, scratch));
  }
  // The node, made if there is none; children must be nodes.
  NodeId add(Symbol label, std::span<const NodeId> children) {
    return children.empty() ? add_leaf(label) : nodes_.intern(key(label, children, scratch_));
  }

  [[nodiscard]] std::size_t nbytes() const noexcept { return symbols_.nbytes() + nodes_.nbytes(); }

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
    if (leaves_[label] == none) leaves_[label] = nodes_.intern(key(label, {}, scratch_));
    return leaves_[label];
  }

  Symbols symbols_;
  SequenceTable<std::uint32_t> nodes_;  // label, then children
  std::vector<NodeId> leaves_;          // by label
  std::vector<std::uint32_t> scratch_;
};

}  // namespace gristmill::forest
