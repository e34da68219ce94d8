// SPDX-License-Identifier: BSD-3-Clause
#include "mine/fragments/weighted_growth.hpp"

namespace gristmill::mine::fragments {

WeightedGrowth::WeightedGrowth(const kernel::trees::TreeKernel& kernel, const MinedTrees& trees, Stop& stop,
                               std::size_t worker)
    : trees_(trees),
      pulse_(stop, worker),
      needs_mark_(kernel.marked),
      longest_(kernel.longest),
      gap_(kernel.family == kernel::trees::TreeKernel::Family::sequence ? kernel.gap : 1),
      expansion_(trees) {}

void WeightedGrowth::grow(std::span<const FragmentStep> fragment, bool has_mark, std::span<const WeightedPlace> places,
                          WeightedExtensions& out) {
  const std::uint32_t depth = fragment.back().depth;
  expansion_.start(out);
  if (longest_ != 0) count_children(fragment);
  for (const WeightedPlace& place : places) {
    const std::size_t before = expansion_.size();
    if (needs_mark_ && !has_mark) {
      look_right(place, depth, out, WayToMark(trees_, place.node, depth));
    } else {
      look_right(place, depth, out, [](const MinedTrees::Child&) { return true; });
    }
    pulse_(expansion_.size() - before + depth + 1);
  }
  expansion_.end(out);
  expansion_.sort_out(out, [](const WeightedExtension&) { return true; });
}

// A new node on the path has no children yet, and hides what was deeper.
void WeightedGrowth::count_children(std::span<const FragmentStep> fragment) {
  widths_.assign(1, 0);
  for (const FragmentStep& step : fragment) {
    widths_.resize(step.depth + std::size_t{2}, 0);
    widths_[step.depth + std::size_t{1}] = 0;
    ++widths_[step.depth];
  }
}

template <class Worth>
void WeightedGrowth::look_right(const WeightedPlace& place, std::uint32_t depth, WeightedExtensions& out,
                                Worth is_worth) {
  expansion_.look_right(
      place.node, depth, [&](std::span<const MinedTrees::Child> children, std::uint32_t below, TreeNode before) {
        const bool is_new = before == MinedTrees::none;  // the last node has no children in the fragment yet
        if (!is_new && is_full(below)) return;
        for (const MinedTrees::Child& child : children) {
          if (!is_worth(child)) continue;
          const double gap = is_new || gap_ == 1 ? 1 : gap_between(before, child.node);
          expansion_.add(child, below, {child.node, place.embeddings, gap * place.weight}, {}, out);
        }
      });
}

double WeightedGrowth::gap_between(TreeNode before, TreeNode child) {
  const std::size_t skipped = trees_.place(child) - trees_.place(before) - 1;
  while (gaps_.size() <= skipped) gaps_.push_back(gap_ * gaps_.back());
  return gaps_[skipped];
}

}  // namespace gristmill::mine::fragments
