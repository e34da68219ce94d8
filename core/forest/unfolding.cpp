// SPDX-License-Identifier: BSD-3-Clause
#include "forest/unfolding.hpp"

#include <stdexcept>
#include <string>

#include "forest/tree_set.hpp"

namespace gristmill::forest {
namespace {

// nodes_of(tree): how many it has, or UINT32_MAX for more.
template <class NodesOf>
void check(std::size_t trees, std::uint64_t graph, NodesOf nodes_of) {
  std::uint64_t nodes = 0;
  std::size_t largest = 0;
  for (std::size_t tree = 0; tree < trees; ++tree) {
    nodes += nodes_of(tree);
    if (nodes_of(tree) > nodes_of(largest)) largest = tree;
  }
  const std::uint64_t most = most_unfolded(graph + trees);
  if (nodes <= most) return;
  const std::uint64_t own = nodes_of(largest);
  throw std::length_error(
      "the trees have " + std::to_string(nodes) + " nodes, tree " + std::to_string(largest) + " alone " +
      (own == UINT32_MAX ? "2^32 - 1 or more" : std::to_string(own)) +
      ", though all their subtrees and links are but " + std::to_string(graph) +
      ": they may be taken node by node up to " + std::to_string(most) +
      " nodes (half a million, or 64 for each subtree and link). Take fewer trees at once, or leave "
      "this one out; kernels and scores do not need its nodes");
}

}  // namespace

void check_unfolding(const Forest& forest, std::span<const NodeId> roots) {
  const auto nodes_of = [&](std::size_t tree) { return forest.nodes(roots[tree]); };
  std::uint64_t nodes = 0;
  for (const NodeId root : roots) nodes += forest.nodes(root);
  if (nodes <= most_unfolded(0)) return;  // mostly, and then their graph need not be known
  Subtrees graph(forest, roots.size());
  for (const NodeId root : roots) graph.add(forest, root);
  check(roots.size(), graph.graph_size(), nodes_of);
}

void check_unfolding(const TreeSet& set) {
  const auto nodes_of = [&](std::size_t tree) { return set.nodes(tree); };
  check(set.trees(), set.graph_size(), nodes_of);
}

}  // namespace gristmill::forest
