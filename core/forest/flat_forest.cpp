// SPDX-License-Identifier: BSD-3-Clause
#include "forest/flat_forest.hpp"

#include <algorithm>
#include <stdexcept>

#include "base/utf8.hpp"
#include "forest/subtrees.hpp"

namespace gristmill::forest {
namespace {

constexpr std::uint32_t absent = Forest::none;

void require(bool sound, const char* what) {
  if (!sound) throw std::invalid_argument(std::string("the arrays are no forest: ") + what);
}

bool ascends(const std::vector<Offset>& ends, std::size_t size) {
  Offset last = 0;
  for (const Offset end : ends) {
    if (end < last) return false;
    last = end;
  }
  return static_cast<std::size_t>(last) == size;
}

std::vector<Symbol> unflatten_symbols(Forest& forest, const FlatForest& flat) {
  require(ascends(flat.text_ends, flat.texts.size()), "ends of symbols");
  require(flat.marks.size() == flat.text_ends.size(), "number of marks");
  std::vector<Symbol> symbols;
  Offset begin = 0;
  for (std::size_t at = 0; at < flat.text_ends.size(); ++at) {
    const auto size = static_cast<std::size_t>(flat.text_ends[at] - begin);
    require(size > 0, "a symbol is empty");
    const std::string_view text = std::string_view(flat.texts).substr(static_cast<std::size_t>(begin), size);
    require(is_utf8(text), "a symbol is not UTF-8");
    symbols.push_back(forest.symbols().intern(text, flat.marks[at]));
    begin = flat.text_ends[at];
  }
  return symbols;
}

}  // namespace

FlatForest flatten(const Forest& forest, std::span<const NodeId> roots) {
  FlatForest flat;
  Subtrees set(forest, roots.size());
  for (const NodeId root : roots) flat.roots.push_back(set.add(forest, root));
  std::vector<std::uint32_t> symbol_numbers(forest.symbols().size(), absent);
  for (SubtreeId id = 0; id < set.subtrees(); ++id) {
    std::uint32_t& symbol = symbol_numbers[set.label(id)];
    if (symbol == absent) {
      symbol = static_cast<std::uint32_t>(flat.marks.size());
      flat.texts += forest.symbols().text(set.label(id));
      flat.text_ends.push_back(static_cast<Offset>(flat.texts.size()));
      flat.marks.push_back(forest.symbols().mark(set.label(id)));
    }
    flat.nodes.push_back(symbol);
    const std::span<const SubtreeId> children = set.children(id);
    flat.nodes.insert(flat.nodes.end(), children.begin(), children.end());
    flat.node_ends.push_back(static_cast<Offset>(flat.nodes.size()));
  }
  return flat;
}

std::vector<NodeId> unflatten(Forest& forest, const FlatForest& flat) {
  require(ascends(flat.node_ends, flat.nodes.size()), "ends of nodes");
  const std::vector<Symbol> symbols = unflatten_symbols(forest, flat);
  std::vector<NodeId> nodes;
  std::vector<NodeId> children;
  Offset begin = 0;
  for (const Offset end : flat.node_ends) {
    require(begin < end, "a node has no label");
    const std::uint32_t label = flat.nodes[static_cast<std::size_t>(begin)];
    require(label < symbols.size(), "a label is no symbol");
    children.clear();
    for (Offset at = begin + 1; at < end; ++at) {
      const std::uint32_t child = flat.nodes[static_cast<std::size_t>(at)];
      require(child < nodes.size(), "a child does not stand before its parent");
      children.push_back(nodes[child]);
    }
    nodes.push_back(forest.add(symbols[label], children));
    begin = end;
  }
  std::vector<NodeId> roots;
  for (const NodeId root : flat.roots) {
    require(root < nodes.size(), "a root is no node");
    roots.push_back(nodes[root]);
  }
  return roots;
}

std::vector<TreeShape> shapes(const Forest& forest, std::span<const NodeId> roots) {
  Subtrees set(forest, roots.size());
  std::vector<SubtreeId> tops;
  for (const NodeId root : roots) tops.push_back(set.add(forest, root));
  std::vector<TreeShape> found;
  for (SubtreeId id = 0; id < set.subtrees(); ++id) {
    TreeShape shape{1, set.is_leaf(id) ? 1U : 0U, 1};
    for (const SubtreeId child : set.children(id)) {
      shape.nodes = std::min(shape.nodes + found[child].nodes, TreeShape::most);
      shape.leaves = std::min(shape.leaves + found[child].leaves, TreeShape::most);
      shape.depth = std::max(shape.depth, found[child].depth + 1);
    }
    found.push_back(shape);
  }
  std::vector<TreeShape> result;
  result.reserve(tops.size());
  for (const SubtreeId top : tops) result.push_back(found[top]);
  return result;
}

}  // namespace gristmill::forest
