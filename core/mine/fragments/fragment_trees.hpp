// SPDX-License-Identifier: BSD-3-Clause
// Fragments as trees: a Forest of their own, with the labels of the trees they were found in.
#pragma once
#include <string>

#include "mine/fragments/weighted_growth.hpp"

namespace gristmill::mine::fragments {

class FragmentTrees {
 public:
  // Copies the labels; whoever shares the forest of the index holds it still meanwhile.
  explicit FragmentTrees(const forest::SubtreeIndex& index);

  [[nodiscard]] const forest::Forest& forest() const noexcept { return forest_; }
  [[nodiscard]] forest::Forest take() { return std::move(forest_); }

  // A node alone.
  forest::NodeId add_label(forest::LabelId label) { return forest_.add(symbols_[label], {}); }
  // All that is below a subtree of the index.
  forest::NodeId add_subtree(forest::SubtreeId id);
  // Labels in pre-order.
  forest::NodeId add_labels(std::span<const FragmentStep> steps);
  // Productions in pre-order of the nodes they stand at.
  forest::NodeId add_productions(std::span<const FragmentStep> steps);

 private:
  // Nodes with their children, which have larger numbers.
  struct Sketch {
    std::vector<forest::LabelId> labels;
    std::vector<std::vector<std::uint32_t>> children;

    std::uint32_t add(forest::LabelId label);
    std::uint32_t add_below(std::uint32_t parent, forest::LabelId label);
  };
  forest::NodeId add(const Sketch& sketch);

  const forest::SubtreeIndex& index_;
  forest::Forest forest_;
  std::vector<forest::Symbol> symbols_;     // per label
  std::vector<forest::NodeId> of_subtree_;  // that were added whole
};

}  // namespace gristmill::mine::fragments
