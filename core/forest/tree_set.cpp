// SPDX-License-Identifier: BSD-3-Clause
#include "forest/tree_set.hpp"

#include <algorithm>
#include <stdexcept>

namespace gristmill {
namespace {

constexpr SubtreeId unseen = Forest::none;

// Calls arrive(node) for every node below the root that was not seen, children first. Nothing recurses.
template <class Seen, class Arrive>
void climb(const Forest& forest, NodeId root, std::vector<std::pair<NodeId, std::size_t>>& stack, Seen seen,
           Arrive arrive) {
  if (seen(root)) return;
  stack.assign(1, {root, 0});
  while (!stack.empty()) {
    auto& [node, next] = stack.back();
    const std::span<const NodeId> children = forest.children(node);
    while (next < children.size() && seen(children[next])) ++next;
    if (next < children.size()) {
      stack.emplace_back(children[next++], 0);
    } else {
      const NodeId done = node;
      stack.pop_back();
      if (!seen(done)) arrive(done);
    }
  }
}

}  // namespace

TreeSet::TreeSet(const Forest& forest, std::span<const NodeId> roots) { number_subtrees(forest, roots); }

void TreeSet::number_subtrees(const Forest& forest, std::span<const NodeId> roots) {
  std::vector<SubtreeId> numbers(forest.size(), unseen);  // of nodes
  std::vector<std::pair<NodeId, std::size_t>> stack;
  std::vector<SubtreeId> tops;
  for (const NodeId root : roots) {
    climb(
        forest, root, stack, [&](NodeId node) { return numbers[node] != unseen; },
        [&](NodeId node) {
          numbers[node] = static_cast<SubtreeId>(nodes_.size());
          arrive(forest, node, numbers);
        });
    tops.push_back(numbers[root]);
    arrived_.push_back(nodes_.size());
  }
  count_parts(tops);
}

void TreeSet::arrive(const Forest& forest, NodeId node, std::span<const SubtreeId> numbers) {
  nodes_.push_back(node);
  labels_.push_back(forest.label(node));
  for (const NodeId child : forest.children(node)) children_.push_back(numbers[child]);
  child_starts_.push_back(children_.size());
}

void TreeSet::count_parts(std::span<const SubtreeId> roots) {
  std::vector<std::uint64_t> counts(nodes_.size(), 0);
  std::vector<SubtreeId> found;
  for (const SubtreeId root : roots) {
    found.assign(1, root);
    counts[root] = 1;
    for (std::size_t at = 0; at < found.size(); ++at) {
      for (const SubtreeId child : children(found[at])) {
        if (counts[child] == 0) found.push_back(child);
        counts[child] = 1;
      }
    }
    std::ranges::sort(found);
    for (const SubtreeId id : found) counts[id] = id == root ? 1 : 0;
    for (std::size_t at = found.size(); at-- > 0;) {
      for (const SubtreeId child : children(found[at])) counts[child] += counts[found[at]];
    }
    for (const SubtreeId id : found) {
      if (counts[id] > UINT32_MAX) throw std::length_error("a tree has more than 2^32 equal subtrees");
      parts_.push_back({id, static_cast<std::uint32_t>(counts[id])});
      counts[id] = 0;
    }
    part_starts_.push_back(parts_.size());
  }
}

std::size_t TreeSet::nbytes() const noexcept {
  return (nodes_.size() + labels_.size() + children_.size()) * sizeof(NodeId) + parts_.size() * sizeof(Part) +
         (child_starts_.size() + part_starts_.size() + arrived_.size()) * sizeof(std::size_t);
}

}  // namespace gristmill
