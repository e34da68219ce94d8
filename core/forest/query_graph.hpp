// SPDX-License-Identifier: BSD-3-Clause
// Trees to be scored, in terms of support trees: a node is the number of an equal subtree of the support or, beyond
// those, one of the nodes the support does not have, whose children are such numbers again.
#pragma once
#include <memory>

#include "forest/productions.hpp"

namespace gristmill::forest {

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
  [[nodiscard]] std::span<const SubtreeId> roots() const noexcept { return roots_; }

  // Of such nodes, which come after their children: at = number - known(). Labels are symbols of the support, or none.
  [[nodiscard]] Symbol label(std::size_t at) const noexcept { return labels_[at]; }
  [[nodiscard]] ProductionId production(std::size_t at) const noexcept { return productions_[at]; }
  [[nodiscard]] std::span<const SubtreeId> children(std::size_t at) const noexcept { return children_[at]; }
  // Links to children, all nodes' one after the other.
  [[nodiscard]] std::size_t first_link(std::size_t at) const noexcept { return children_.starts()[at]; }
  [[nodiscard]] SubtreeId child(std::size_t link) const noexcept { return children_.items()[link]; }
  [[nodiscard]] bool is_last(std::size_t link) const noexcept { return is_last_[link]; }

 private:
  class Reader;

  std::size_t known_;
  std::vector<SubtreeId> roots_;
  std::vector<Symbol> labels_;
  std::vector<ProductionId> productions_;
  Lists<SubtreeId> children_;
  std::vector<bool> is_last_;  // of its node
};

}  // namespace gristmill::forest
