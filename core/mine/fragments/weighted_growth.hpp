// SPDX-License-Identifier: BSD-3-Clause
// Right-most expansion as in growth.hpp, for fragments that are to be weighed: of every tree, not only of those that
// share them, with as many embeddings as there are, and with what gaps between children make of them (PTK).
// Cost: the places of a fragment times what lies to the right of their paths.
#pragma once
#include "base/stop.hpp"
#include "mine/fragments/mined_trees.hpp"

namespace gristmill::mine::fragments {

// Where the last node of embeddings stands, how many there are and what they weigh: gap^(children skipped) each.
struct WeightedPlace {
  TreeNode node;
  double embeddings;
  double weight;
};

// A symbol of a fragment: how far below its root and, where symbols are productions, which child of the one above.
struct FragmentStep {
  FragmentSymbol symbol;
  std::uint32_t depth;
  std::uint32_t place;
};

struct WeightedExtension {
  FragmentStep step;
  std::uint32_t next;  // extension by the same symbol elsewhere
  std::size_t begin;   // of its places
  std::size_t size;
};

struct WeightedExtensions {
  std::vector<WeightedExtension> all;
  std::vector<WeightedPlace> lists;

  [[nodiscard]] std::span<const WeightedPlace> of(const WeightedExtension& one) const {
    return std::span(lists).subspan(one.begin, one.size);
  }
};

class WeightedGrowth {
 public:
  WeightedGrowth(const kernel::trees::TreeKernel& kernel, const MinedTrees& trees, Stop& stop, std::size_t worker);

  // All extensions of a fragment by one symbol. Of a marked kernel, those that have no mark and cannot get one are left
  // out.
  void grow(std::span<const FragmentStep> fragment, bool has_mark, std::span<const WeightedPlace> places,
            WeightedExtensions& out);

 private:
  static constexpr std::uint32_t none = MinedTrees::none;

  struct Candidate {
    std::uint32_t extension;
    WeightedPlace place;
  };

  void count_children(std::span<const FragmentStep> fragment);
  [[nodiscard]] bool is_full(std::uint32_t depth) const { return longest_ != 0 && widths_[depth] >= longest_; }
  void look_right(const WeightedPlace& place, std::uint32_t depth, WeightedExtensions& out);
  void offer(std::span<const MinedTrees::Child> children, std::uint32_t depth, TreeNode before,
             const WeightedPlace& place, WeightedExtensions& out);
  [[nodiscard]] double gap_between(TreeNode before, TreeNode child);
  [[nodiscard]] std::uint32_t find_extension(const FragmentStep& step, WeightedExtensions& out);
  void sort_out(WeightedExtensions& out) const;

  const MinedTrees& trees_;
  Stop& stop_;
  std::size_t worker_;
  bool needs_mark_;
  std::size_t longest_;
  double gap_;
  std::vector<double> gaps_{1};        // powers of gap
  std::vector<std::uint32_t> widths_;  // per depth: children that the node above, on the right-most path, has already
  std::vector<std::uint32_t> first_;   // per symbol: its extension, while they are collected
  std::vector<Candidate> candidates_;
  TreeNode goal_end_ = 0;  // a mark is needed before it, 0: nowhere
};

}  // namespace gristmill::mine::fragments
