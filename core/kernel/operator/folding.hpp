// SPDX-License-Identifier: BSD-3-Clause
// From weights of trees to weights of subtrees, and from values of subtrees to values of trees: a subtree counts as
// often as it occurs, which nobody counts. Weights are pushed from parents to children and values pulled the other
// way, each link once, however many trees there are.
#pragma once
#include "forest/subtrees.hpp"

namespace gristmill::kernel::gram {

class Folding {
 public:
  // Without `leaves`, those get no weight and have no value.
  Folding(const forest::Subtrees& subtrees, bool leaves);

  // weights[subtree * columns + column]: those of trees stand at their roots, and go to all subtrees.
  void fold(std::span<double> weights, std::size_t columns) const;
  // values[subtree * columns + column]: become sums over all nodes of the subtree.
  void gather(std::span<double> values, std::size_t columns) const;

  [[nodiscard]] std::size_t nbytes() const noexcept {
    return (starts_.size() + children_.size()) * sizeof(forest::SubtreeId);
  }

 private:
  std::vector<std::uint32_t> starts_{0};
  std::vector<forest::SubtreeId> children_;  // that count
};

}  // namespace gristmill::kernel::gram
