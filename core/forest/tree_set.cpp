// SPDX-License-Identifier: BSD-3-Clause
#include "forest/tree_set.hpp"

#include <stdexcept>
#include <string>

#include "forest/unfolding.hpp"

namespace gristmill::forest {

TreeSet::TreeSet(const Forest& forest, std::span<const NodeId> roots) : Subtrees(forest, roots.size()) {
  std::vector<SubtreeId> tops;
  for (const NodeId root : roots) {
    nodes_.push_back(forest.nodes(root));
    if (nodes_.back() == UINT32_MAX) {
      throw std::length_error("tree " + std::to_string(tops.size()) +
                              " has 2^32 - 1 nodes or more, as equal subtrees are counted wherever they stand; kernels "
                              "count nodes up to 2^32 - 2: leave it out");
    }
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
    for (const SubtreeId id : found) {
      parts_.push({id, static_cast<std::uint32_t>(counts[id])});
      counts[id] = 0;
    }
    parts_.close();
    check_parts();
  }
}

// Trees of one graph may share most of it: every subtree of a chain as a tree of its own has half of its square.
void TreeSet::check_parts() const {
  const std::uint64_t most = most_unfolded(graph_size() + nodes_.size());
  if (parts_.items().size() <= most) return;
  throw std::length_error("up to tree " + std::to_string(parts_.size() - 1) + " the trees have more than " +
                          std::to_string(most) +
                          " different subtrees, counted for each tree, though together they have but " +
                          std::to_string(subtrees()) + "; take fewer trees at once");
}

std::size_t TreeSet::total_bytes() const noexcept {
  return nbytes() + parts_.nbytes() + nodes_.size() * sizeof(std::uint32_t) + arrived_.size() * sizeof(std::size_t);
}

}  // namespace gristmill::forest
