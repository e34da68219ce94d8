// SPDX-License-Identifier: BSD-3-Clause
// The trees of an index node by node, in pre-order, as the miner walks over them. What a fragment is made of is a
// symbol: for K_lo the label of a node, for K_c its production, so that a fragment grows by all children at once.
// Symbols that fewer trees have than are wanted (two, where fragments are to be shared) are in no fragment worth
// finding; they are nobody's children here.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "base/large_pages.hpp"
#include "forest/subtree_index.hpp"
#include "kernel/trees/tree_kernel.hpp"

namespace gristmill::mine::fragments {

using TreeNode = std::uint32_t;
using FragmentSymbol = std::uint32_t;

class MinedTrees {
 public:
  static constexpr std::uint32_t none = forest::SubtreeIndex::none;

  struct Node {
    TreeNode parent;
    std::uint32_t first_child;  // in children
    std::uint32_t last_child;
    std::uint32_t after;    // the child behind this one
    TreeNode end;           // behind the last node below
    TreeNode goal;          // the next node, anywhere behind this one, with a symbol that has a mark; or none
    FragmentSymbol symbol;  // none for leaves, if symbols are productions
  };
  struct Child {
    TreeNode node;
    FragmentSymbol symbol;
    std::uint32_t place;  // productions: among its siblings
    TreeNode goal;        // as of the node
  };

  MinedTrees(const kernel::trees::TreeKernel& kernel, const forest::SubtreeIndex& index, std::size_t min_support = 2);

  [[nodiscard]] std::size_t trees() const noexcept { return trees_; }
  [[nodiscard]] std::size_t size() const noexcept { return nodes_.size(); }
  [[nodiscard]] std::size_t symbols() const noexcept { return marked_.size(); }
  [[nodiscard]] const Node& operator[](TreeNode node) const noexcept { return nodes_[node]; }
  [[nodiscard]] std::uint32_t tree(TreeNode node) const noexcept { return tree_of_[node]; }
  // That a node will be looked at soon.
  void expect(TreeNode node) const noexcept { __builtin_prefetch(&nodes_[node]); }
  [[nodiscard]] forest::LabelId label(TreeNode node) const noexcept { return labels_[node]; }
  // Among all its siblings, also those that are nobody's children here.
  [[nodiscard]] std::uint32_t place(TreeNode node) const noexcept { return places_[node]; }
  [[nodiscard]] const Child* children() const noexcept { return children_.data(); }
  [[nodiscard]] bool is_marked(FragmentSymbol symbol) const noexcept { return marked_[symbol] != 0; }
  [[nodiscard]] bool is_frequent(FragmentSymbol symbol) const noexcept {
    return symbol != none && support_[symbol] >= min_support_;
  }
  // The root of a fragment, so far above its last node.
  [[nodiscard]] TreeNode root_of(TreeNode last, std::uint32_t depth) const noexcept {
    for (; depth > 0; --depth) last = nodes_[last].parent;
    return last;
  }
  // Whether a fragment can start at a node: its symbol is frequent and, where a mark is needed, it or a node below has
  // one.
  [[nodiscard]] bool may_start(const Node& node, bool needs_mark) const noexcept {
    return is_frequent(node.symbol) && (!needs_mark || is_marked(node.symbol) || node.goal < node.end);
  }
  // Nodes that a fragment gains by a symbol; its root is one more where symbols are productions.
  [[nodiscard]] std::size_t nodes_of(FragmentSymbol symbol) const noexcept { return nodes_of_[symbol]; }
  [[nodiscard]] std::size_t nodes_above() const noexcept { return by_production_ ? 1 : 0; }

 private:
  void set_symbols(const forest::SubtreeIndex& index);
  void walk(const forest::SubtreeIndex& index, std::size_t tree);
  void count_support();
  void set_children();
  void set_goals();
  [[nodiscard]] FragmentSymbol symbol_of(const forest::SubtreeIndex& index, forest::SubtreeId id) const;

  bool by_production_;
  std::size_t trees_;
  std::size_t min_support_;
  LargeVector<Node> nodes_;
  LargeVector<std::uint32_t> tree_of_;  // apart from the rest of a node: asked for most often
  std::vector<forest::LabelId> labels_;
  std::vector<std::uint32_t> places_;
  LargeVector<Child> children_;
  std::vector<char> marked_;             // per symbol
  std::vector<std::uint32_t> support_;   // per symbol: trees
  std::vector<std::uint32_t> nodes_of_;  // per symbol
};

}  // namespace gristmill::mine::fragments
