// SPDX-License-Identifier: BSD-3-Clause
#include "forest/forest.hpp"

#include <algorithm>

namespace gristmill {

std::vector<NodeId> reachable(const Forest& forest, std::span<const NodeId> roots) {
  std::vector<bool> seen(forest.size(), false);
  std::vector<NodeId> nodes;
  const auto visit = [&](NodeId node) {
    if (seen[node]) return;
    seen[node] = true;
    nodes.push_back(node);
  };
  for (const NodeId root : roots) visit(root);
  for (std::size_t at = 0; at < nodes.size(); ++at) {
    for (const NodeId child : forest.children(nodes[at])) visit(child);
  }
  constexpr std::size_t sparse = 16;  // sorting so few is faster than a look at all
  if (nodes.size() * sparse < forest.size()) {
    std::ranges::sort(nodes);
    return nodes;
  }
  nodes.clear();
  for (NodeId node = 0; node < forest.size(); ++node) {
    if (seen[node]) nodes.push_back(node);
  }
  return nodes;
}

}  // namespace gristmill
