// SPDX-License-Identifier: BSD-3-Clause
// Trees as plain arrays, for files and for other languages: only what some roots reach, in order of arrival,
// so that equal trees in equal order give equal arrays.
#pragma once
#include <string>

#include "base/types.hpp"
#include "forest/forest.hpp"

namespace gristmill::forest {

struct FlatForest {
  std::string texts;                 // of all symbols, one after the other
  std::vector<Offset> text_ends;     // in texts
  std::vector<std::uint32_t> marks;  // of symbols
  std::vector<Offset> node_ends;     // in nodes
  std::vector<std::uint32_t> nodes;  // label, then children, which stand before their parents
  std::vector<NodeId> roots;
};

[[nodiscard]] FlatForest flatten(const Forest& forest, std::span<const NodeId> roots);

// Adds the trees and returns their roots. Throws std::invalid_argument for arrays that are not what flatten() gives.
[[nodiscard]] std::vector<NodeId> unflatten(Forest& forest, const FlatForest& flat);

// How large trees are: nodes, leaves and levels of each. Equal subtrees count as often as they stand in a tree; `most`
// is that many or more, so that sums over trees stay in the range of 64 bits.
struct TreeShape {
  static constexpr std::uint64_t most = std::uint64_t{1} << 40U;

  std::uint64_t nodes;
  std::uint64_t leaves;
  std::uint64_t depth;
};
[[nodiscard]] std::vector<TreeShape> shapes(const Forest& forest, std::span<const NodeId> roots);

}  // namespace gristmill::forest
