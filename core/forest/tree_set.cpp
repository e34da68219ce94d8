// SPDX-License-Identifier: BSD-3-Clause
#include "forest/tree_set.hpp"

#include <stdexcept>

namespace gristmill::forest {

TreeSet::TreeSet(const Forest& forest, std::span<const NodeId> roots) : Subtrees(forest, roots.size()) {
  std::vector<SubtreeId> tops;
  for (const NodeId root : roots) {
    tops.push_back(add(forest, root));
    arrived_.push_back(subtrees());
  }
  count_parts(tops);
}

// The order within a tree is that of its own nodes, so that sums over it are the same whatever other trees there are.
void TreeSet::count_parts(std::span<const SubtreeId> roots) {
  std::vector<std::uint64_t> counts(subtrees(), 0);
  std::vector<SubtreeId> found;
  std::vector<std::pair<SubtreeId, std::size_t>> stack;
  const auto children_of = [&](SubtreeId id) { return children(id); };
  for (const SubtreeId root : roots) {
    found.clear();
    for_each_postorder(
        children_of, root, stack, [&](SubtreeId id) { return counts[id] != 0; },
        [&](SubtreeId id) {
          counts[id] = 1;
          found.push_back(id);
        });
    for (const SubtreeId id : found) counts[id] = id == root ? 1 : 0;
    for (std::size_t at = found.size(); at-- > 0;) {
      for (const SubtreeId child : children(found[at])) counts[child] += counts[found[at]];
    }
    std::uint64_t nodes = 0;
    for (const SubtreeId id : found) {
      nodes += counts[id];
      if (nodes > UINT32_MAX) throw std::length_error("a tree has more than 2^32 nodes");
      parts_.push({id, static_cast<std::uint32_t>(counts[id])});
      counts[id] = 0;
    }
    parts_.close();
  }
}

std::size_t TreeSet::total_bytes() const noexcept {
  return nbytes() + parts_.nbytes() + arrived_.size() * sizeof(std::size_t);
}

}  // namespace gristmill::forest
