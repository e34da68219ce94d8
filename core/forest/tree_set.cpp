// SPDX-License-Identifier: BSD-3-Clause
#include "forest/tree_set.hpp"

#include <algorithm>
#include <stdexcept>

namespace gristmill {
namespace {

// Calls arrive(node) for every node below the root that was not seen, children first. Nothing recurses.
template <class ChildrenOf, class Seen, class Arrive>
void climb(ChildrenOf children_of, std::uint32_t root, std::vector<std::pair<std::uint32_t, std::size_t>>& stack,
           Seen seen, Arrive arrive) {
  if (seen(root)) return;
  stack.assign(1, {root, 0});
  while (!stack.empty()) {
    auto& [node, next] = stack.back();
    const std::span<const std::uint32_t> children = children_of(node);
    while (next < children.size() && seen(children[next])) ++next;
    if (next < children.size()) {
      const std::uint32_t child = children[next++];
      stack.emplace_back(child, 0);
    } else {
      const std::uint32_t done = node;
      stack.pop_back();
      arrive(done);
    }
  }
}

}  // namespace

TreeSet::TreeSet(const Forest& forest, std::span<const NodeId> roots) : numbers_(forest, roots.size()) {
  number_subtrees(forest, roots);
}

void TreeSet::number_subtrees(const Forest& forest, std::span<const NodeId> roots) {
  std::vector<std::pair<NodeId, std::size_t>> stack;
  std::vector<SubtreeId> tops;
  for (const NodeId root : roots) {
    climb([&](NodeId node) { return forest.children(node); }, root, stack,
          [&](NodeId node) { return numbers_.find(node) != NodeNumbers::none; },
          [&](NodeId node) { arrive(forest, node); });
    tops.push_back(numbers_.find(root));
    arrived_.push_back(nodes_.size());
  }
  count_parts(tops);
}

void TreeSet::arrive(const Forest& forest, NodeId node) {
  numbers_.set(node, static_cast<SubtreeId>(nodes_.size()));
  nodes_.push_back(node);
  labels_.push_back(forest.label(node));
  for (const NodeId child : forest.children(node)) children_.push_back(numbers_.find(child));
  child_starts_.push_back(children_.size());
}

// The order within a tree is that of its own nodes, whatever other trees there are, so that sums over it are the same
// in any company.
void TreeSet::count_parts(std::span<const SubtreeId> roots) {
  std::vector<std::uint64_t> counts(nodes_.size(), 0);
  std::vector<SubtreeId> found;
  std::vector<std::pair<SubtreeId, std::size_t>> stack;
  const auto children_of = [&](SubtreeId id) { return children(id); };
  for (const SubtreeId root : roots) {
    found.clear();
    climb(
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
      parts_.push_back({id, static_cast<std::uint32_t>(counts[id])});
      counts[id] = 0;
    }
    part_starts_.push_back(parts_.size());
  }
}

std::size_t TreeSet::nbytes() const noexcept {
  return numbers_.nbytes() + (nodes_.size() + labels_.size() + children_.size()) * sizeof(NodeId) +
         parts_.size() * sizeof(Part) +
         (child_starts_.size() + part_starts_.size() + arrived_.size()) * sizeof(std::size_t);
}

}  // namespace gristmill
