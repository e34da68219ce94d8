// SPDX-License-Identifier: BSD-3-Clause
#include "mine/fragments/weighted_growth.hpp"

#include <algorithm>
#include <functional>

namespace gristmill::mine::fragments {
namespace {

// Places in order, each once.
void merge_equals(std::span<WeightedPlace> list, std::size_t& size) {
  const auto out_of_order = std::ranges::adjacent_find(list, std::ranges::greater_equal{}, &WeightedPlace::node);
  if (out_of_order == list.end()) return;
  std::ranges::stable_sort(list, {}, &WeightedPlace::node);
  std::size_t last = 0;
  for (std::size_t at = 1; at < list.size(); ++at) {
    if (list[at].node == list[last].node) {
      list[last].embeddings += list[at].embeddings;
      list[last].weight += list[at].weight;
    } else {
      list[++last] = list[at];
    }
  }
  size = last + 1;
}

}  // namespace

WeightedGrowth::WeightedGrowth(const kernel::trees::TreeKernel& kernel, const MinedTrees& trees, Stop& stop,
                               std::size_t worker)
    : trees_(trees),
      stop_(stop),
      worker_(worker),
      needs_mark_(kernel.marked),
      longest_(kernel.longest),
      gap_(kernel.family == kernel::trees::TreeKernel::Family::sequence ? kernel.gap : 1),
      first_(trees.symbols(), none) {}

void WeightedGrowth::grow(std::span<const FragmentStep> fragment, bool has_mark, std::span<const WeightedPlace> places,
                          WeightedExtensions& out) {
  const std::uint32_t depth = fragment.back().depth;
  out.all.clear();
  candidates_.clear();
  if (longest_ != 0) count_children(fragment);
  for (const WeightedPlace& place : places) {
    goal_end_ = 0;
    if (needs_mark_ && !has_mark) {
      TreeNode root = place.node;
      for (std::uint32_t up = depth; up > 0; --up) root = trees_[root].parent;
      goal_end_ = trees_[root].end;
    }
    const std::size_t before = candidates_.size();
    look_right(place, depth, out);
    stop_.poll(worker_, candidates_.size() - before + depth + 1);
  }
  for (const WeightedExtension& extension : out.all) first_[extension.step.symbol] = none;
  sort_out(out);
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

// What is below the last node and, upwards along its path, to the right of it.
void WeightedGrowth::look_right(const WeightedPlace& place, std::uint32_t depth, WeightedExtensions& out) {
  const auto children = [&](std::uint32_t begin, std::uint32_t end) {
    return std::span(trees_.children() + begin, end - begin);
  };
  const MinedTrees::Node* node = &trees_[place.node];
  TreeNode at = place.node;
  offer(children(node->first_child, node->last_child), depth + 1, none, place, out);
  for (; depth > 0; --depth) {
    const MinedTrees::Node* parent = &trees_[node->parent];
    if (!is_full(depth)) offer(children(node->after, parent->last_child), depth, at, place, out);
    at = node->parent;
    node = parent;
  }
}

void WeightedGrowth::offer(std::span<const MinedTrees::Child> children, std::uint32_t depth, TreeNode before,
                           const WeightedPlace& place, WeightedExtensions& out) {
  for (const MinedTrees::Child& child : children) {
    if (goal_end_ != 0 && child.goal >= goal_end_ && !trees_.is_marked(child.symbol)) continue;
    const std::uint32_t found = find_extension({child.symbol, depth, child.place}, out);
    const double gap = before == none || gap_ == 1 ? 1 : gap_between(before, child.node);
    ++out.all[found].size;
    candidates_.push_back({found, {child.node, place.embeddings, gap * place.weight}});
  }
}

double WeightedGrowth::gap_between(TreeNode before, TreeNode child) {
  const std::size_t skipped = trees_.place(child) - trees_.place(before) - 1;
  while (gaps_.size() <= skipped) gaps_.push_back(gap_ * gaps_.back());
  return gaps_[skipped];
}

std::uint32_t WeightedGrowth::find_extension(const FragmentStep& step, WeightedExtensions& out) {
  std::uint32_t& first = first_[step.symbol];
  for (std::uint32_t at = first; at != none; at = out.all[at].next) {
    if (out.all[at].step.depth == step.depth && out.all[at].step.place == step.place) return at;
  }
  out.all.push_back({step, first, 0, 0});
  first = static_cast<std::uint32_t>(out.all.size() - 1);
  return first;
}

void WeightedGrowth::sort_out(WeightedExtensions& out) const {
  std::size_t total = 0;
  for (WeightedExtension& extension : out.all) {
    extension.begin = total;
    total += extension.size;
    extension.size = 0;
  }
  out.lists.resize(total);
  for (const Candidate& candidate : candidates_) {
    WeightedExtension& extension = out.all[candidate.extension];
    out.lists[extension.begin + extension.size++] = candidate.place;
  }
  for (WeightedExtension& extension : out.all) {
    merge_equals(std::span(out.lists).subspan(extension.begin, extension.size), extension.size);
  }
}

}  // namespace gristmill::mine::fragments
