// SPDX-License-Identifier: BSD-3-Clause
#include "mine/fragments/mined_trees.hpp"

#include <algorithm>
#include <stdexcept>

#include "forest/unfolding.hpp"

namespace gristmill::mine::fragments {

MinedTrees::MinedTrees(const kernel::trees::TreeKernel& kernel, const forest::SubtreeIndex& index,
                       std::size_t min_support)
    : by_production_(kernel.family == kernel::trees::TreeKernel::Family::production),
      trees_(index.trees()),
      min_support_(min_support) {
  forest::check_unfolding(index.set());
  set_symbols(index);
  for (std::size_t tree = 0; tree < trees_; ++tree) walk(index, tree);
  count_support();
  set_goals();
  set_children();
}

void MinedTrees::set_symbols(const forest::SubtreeIndex& index) {
  if (by_production_) {
    for (const forest::SubtreeIndex::Production& production : index.productions()) {
      marked_.push_back(production.marked ? 1 : 0);
      nodes_of_.push_back(static_cast<std::uint32_t>(production.children.size()));
    }
  } else {
    for (forest::LabelId label = 0; label < index.labels(); ++label) marked_.push_back(index.is_marked(label) ? 1 : 0);
    nodes_of_.assign(index.labels(), 1);
  }
}

FragmentSymbol MinedTrees::symbol_of(const forest::SubtreeIndex& index, forest::SubtreeId id) const {
  const forest::ProductionId production = index.production(id);
  if (!by_production_) return index.productions()[production].label;
  return index.set().is_leaf(id) ? none : production;
}

// Children are put on the stack from the last to the first; a node ends where the next one that is not below it begins.
void MinedTrees::walk(const forest::SubtreeIndex& index, std::size_t tree) {
  struct Waiting {
    forest::SubtreeId id;
    TreeNode parent;
    std::uint32_t place;
  };
  std::vector<Waiting> waiting{{index.set().root(tree), none, 0}};
  const std::size_t begin = nodes_.size();
  while (!waiting.empty()) {
    const Waiting here = waiting.back();
    waiting.pop_back();
    if (nodes_.size() == none) throw std::length_error("trees with more than 2^32 - 1 nodes cannot be mined");
    const auto node = static_cast<TreeNode>(nodes_.size());
    nodes_.push_back({here.parent, 0, 0, 0, node + 1, none, symbol_of(index, here.id)});
    tree_of_.push_back(static_cast<std::uint32_t>(tree));
    labels_.push_back(index.productions()[index.production(here.id)].label);
    places_.push_back(here.place);
    const std::span<const forest::SubtreeId> children = index.set().children(here.id);
    for (std::size_t at = children.size(); at-- > 0;) {
      waiting.push_back({children[at], node, static_cast<std::uint32_t>(at)});
    }
  }
  for (std::size_t node = nodes_.size(); --node > begin;) {
    TreeNode& end = nodes_[nodes_[node].parent].end;
    end = std::max(end, nodes_[node].end);
  }
}

void MinedTrees::count_support() {
  support_.assign(marked_.size(), 0);
  std::vector<std::uint32_t> last(marked_.size(), none);  // tree that has the symbol
  for (TreeNode node = 0; node < nodes_.size(); ++node) {
    const FragmentSymbol symbol = nodes_[node].symbol;
    if (symbol == none || last[symbol] == tree(node)) continue;
    last[symbol] = tree(node);
    ++support_[symbol];
  }
}

void MinedTrees::set_children() {
  std::vector<std::uint32_t> next(nodes_.size() + 1, 0);  // first how many children a node has, then where one goes
  const auto is_child = [&](const Node& node) { return node.parent != none && is_frequent(node.symbol); };
  for (const Node& node : nodes_) {
    if (is_child(node)) ++next[node.parent + 1];
  }
  for (std::size_t node = 0; node < nodes_.size(); ++node) {
    next[node + 1] += next[node];
    nodes_[node].first_child = next[node];
    nodes_[node].last_child = next[node + 1];
  }
  children_.resize(next.back());
  for (TreeNode at = 0; at < nodes_.size(); ++at) {
    Node& node = nodes_[at];
    if (!is_child(node)) continue;
    children_[next[node.parent]] = {at, node.symbol, by_production_ ? places_[at] : 0, node.goal};
    node.after = ++next[node.parent];
  }
}

void MinedTrees::set_goals() {
  TreeNode goal = none;
  for (std::size_t at = nodes_.size(); at-- > 0;) {
    nodes_[at].goal = goal;
    if (nodes_[at].symbol != none && is_marked(nodes_[at].symbol)) goal = static_cast<TreeNode>(at);
  }
}

}  // namespace gristmill::mine::fragments
