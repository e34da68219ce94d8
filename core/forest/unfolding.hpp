// SPDX-License-Identifier: BSD-3-Clause
// How far trees may be taken node by node. A forest keeps equal subtrees once, so a tree may have far more nodes than
// the graph that it is: 30 levels of (S n n) are 31 subtrees and 2^31 - 1 nodes, and fit into a file of a kilobyte.
// Kernels compute on the graph. Whatever walks over trees as trees (text, explanations, mining) asks here first.
#pragma once
#include <algorithm>
#include <cstdint>
#include <span>

#include "forest/forest.hpp"

namespace gristmill::forest {

class TreeSet;

// Nodes, or other parts of trees, that some trees may be taken apart into: half a million, or 64 for each subtree, link
// and root of their graph. Trees that were read node by node stay far below.
[[nodiscard]] constexpr std::uint64_t most_unfolded(std::uint64_t graph) noexcept {
  constexpr std::uint64_t plenty = std::uint64_t{1} << 19U;
  constexpr std::uint64_t for_each_part = 64;
  return std::max(plenty, graph * for_each_part);
}

// Throw std::length_error, which names the largest tree, where the trees have more nodes together.
void check_unfolding(const Forest& forest, std::span<const NodeId> roots);
void check_unfolding(const TreeSet& set);

}  // namespace gristmill::forest
