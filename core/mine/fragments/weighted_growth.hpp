// SPDX-License-Identifier: BSD-3-Clause
// How fragments grow that are to be weighed: of every tree, not only of those that share them, with as many embeddings
// as there are, and with what gaps between children make of them (PTK).
// Cost: the places of a fragment times what lies to the right of their paths.
#pragma once
#include "base/stop.hpp"
#include "mine/fragments/expansion.hpp"

namespace gristmill::mine::fragments {

// Where the last node of embeddings stands, how many there are and what they weigh: gap^(children skipped) each.
struct WeightedPlace {
  TreeNode node;
  double embeddings;
  double weight;

  struct Tally {};
  void merge(const WeightedPlace& other) noexcept {
    embeddings += other.embeddings;
    weight += other.weight;
  }
};

using WeightedExtension = Extension<WeightedPlace>;
using WeightedExtensions = Extensions<WeightedPlace>;

class WeightedGrowth {
 public:
  WeightedGrowth(const kernel::trees::TreeKernel& kernel, const MinedTrees& trees, Stop& stop, std::size_t worker);

  // All extensions of a fragment by one symbol. Of a marked kernel, those that have no mark and cannot get one are left
  // out.
  void grow(std::span<const FragmentStep> fragment, bool has_mark, std::span<const WeightedPlace> places,
            WeightedExtensions& out);

 private:
  void count_children(std::span<const FragmentStep> fragment);
  [[nodiscard]] bool is_full(std::uint32_t depth) const { return longest_ != 0 && widths_[depth] >= longest_; }
  template <class Worth>
  void look_right(const WeightedPlace& place, std::uint32_t depth, WeightedExtensions& out, Worth is_worth);
  [[nodiscard]] double gap_between(TreeNode before, TreeNode child);

  const MinedTrees& trees_;
  Pulse pulse_;
  bool needs_mark_;
  std::size_t longest_;
  double gap_;
  std::vector<double> gaps_{1};        // powers of gap
  std::vector<std::uint32_t> widths_;  // per depth: children that the node above, on the right-most path, has already
  Expansion<WeightedPlace> expansion_;
};

}  // namespace gristmill::mine::fragments
