// SPDX-License-Identifier: BSD-3-Clause
// Trees to be scored, in terms of support trees: a node is an item, the number of an equal subtree of the support or,
// beyond those, one of the nodes the support does not have, whose children are items again.
#pragma once
#include <memory>

#include "forest/productions.hpp"

namespace gristmill::forest {

using Item = std::uint32_t;

// The support trees.
struct SupportGraph {
  std::shared_ptr<const Forest> forest;
  Subtrees subtrees;
  Productions productions;
  std::size_t symbols;  // that the forest had: others may add some
};

class QueryGraph {
 public:
  QueryGraph(const SupportGraph& support, const Forest& forest, std::span<const NodeId> roots);

  [[nodiscard]] std::size_t known() const noexcept { return known_; }
  [[nodiscard]] std::size_t size() const noexcept { return labels_.size(); }  // nodes the support does not have
  [[nodiscard]] std::span<const Item> roots() const noexcept { return roots_; }

  // Of such nodes, which come after their children: at = item - known(). Labels are symbols of the support, or none.
  [[nodiscard]] Symbol label(std::size_t at) const noexcept { return labels_[at]; }
  [[nodiscard]] ProductionId production(std::size_t at) const noexcept { return productions_[at]; }
  [[nodiscard]] std::span<const Item> children(std::size_t at) const noexcept {
    return {children_.data() + starts_[at], children_.data() + starts_[at + 1]};
  }
  // Links to children, all nodes' one after the other.
  [[nodiscard]] std::size_t first_link(std::size_t at) const noexcept { return starts_[at]; }
  [[nodiscard]] Item child(std::size_t link) const noexcept { return children_[link]; }
  [[nodiscard]] bool is_last(std::size_t link) const noexcept { return is_last_[link]; }

 private:
  class Reader;

  std::size_t known_;
  std::vector<Item> roots_;
  std::vector<Symbol> labels_;
  std::vector<ProductionId> productions_;
  std::vector<std::size_t> starts_{0};
  std::vector<Item> children_;
  std::vector<bool> is_last_;  // of its node
};

}  // namespace gristmill::forest
