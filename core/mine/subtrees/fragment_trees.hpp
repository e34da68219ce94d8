// SPDX-License-Identifier: BSD-3-Clause
// Fragments as trees: a Forest of their own, with the labels of the trees they were found in.
#pragma once
#include <string>

#include "mine/subtrees/weighted_growth.hpp"

namespace gristmill {

class FragmentTrees {
 public:
  // Copies the labels; whoever shares the forest of the index holds it still meanwhile.
  explicit FragmentTrees(const SubtreeIndex& index);

  [[nodiscard]] const Forest& forest() const noexcept { return forest_; }
  [[nodiscard]] Forest take() { return std::move(forest_); }

  // A node alone.
  NodeId add_label(LabelId label) { return forest_.add(symbols_[label], {}); }
  // All that is below a subtree of the index.
  NodeId add_subtree(SubtreeId id);
  // Labels in pre-order.
  NodeId add_labels(std::span<const FragmentStep> steps);
  // Productions in pre-order of the nodes they stand at.
  NodeId add_productions(std::span<const FragmentStep> steps);

 private:
  // Nodes with their children, which have larger numbers.
  struct Sketch {
    std::vector<LabelId> labels;
    std::vector<std::vector<std::uint32_t>> children;

    std::uint32_t add(LabelId label);
    std::uint32_t add_below(std::uint32_t parent, LabelId label);
  };
  NodeId add(const Sketch& sketch);

  const SubtreeIndex& index_;
  Forest forest_;
  std::vector<Symbol> symbols_;  // per label
};

}  // namespace gristmill
