// SPDX-License-Identifier: BSD-3-Clause
#include "mine/fragments/heaviest_search.hpp"

#include <algorithm>
#include <limits>

namespace gristmill::mine::fragments {

double HeaviestSearch::weigh(std::span<const FragmentStep> fragment, std::span<const WeightedPlace> places) {
  const bool grows = task_.options.max_size == 0 || fragment.size() < task_.options.max_size;
  const bool counts = this->counts(fragment);
  const double value = this->value(fragment);
  double bound = nothing;
  add_places(places, fragment.back().depth, grows);
  sums_.finish([&](std::uint32_t output, const OutputSums::Sum& sum) {
    if (sum.support < task_.options.min_support) return;
    if (counts) offer(fragment, output, sum, value);
    const double most = value * std::max(sum.positive, sum.negative);
    if (grows) bound = std::max(bound, std::isnan(most) ? std::numeric_limits<double>::infinity() : most);
  });
  return bound;
}

void HeaviestSearch::add_places(std::span<const WeightedPlace> places, std::uint32_t depth, bool grows) {
  for (std::size_t at = 0; at < places.size();) {
    const std::uint32_t tree = trees_.tree(places[at].node);
    WeightedPlace all{};
    double room = 0;
    for (; at < places.size() && trees_.tree(places[at].node) == tree; ++at) {
      all.embeddings += places[at].embeddings;
      all.weight += places[at].weight;
      if (grows) room += places[at].weight * room_.at(places[at].node, depth);
    }
    sums_.add(tree, all.embeddings, all.weight, room);
  }
}

bool HeaviestSearch::has_mark(std::span<const FragmentStep> fragment) const {
  return std::ranges::any_of(fragment, [&](const FragmentStep& step) { return trees_.is_marked(step.symbol); });
}

// uPTK has no fragments of one node, but they grow.
bool HeaviestSearch::counts(std::span<const FragmentStep> fragment) const {
  return (task_.kernel.constants || fragment.size() > 1) && (!task_.kernel.marked || has_mark(fragment));
}

// From counts alone: fragments that are made of the same weigh the same to the last bit.
double HeaviestSearch::value(std::span<const FragmentStep> fragment) const {
  const kernel::trees::TreeKernel& kernel = task_.kernel;
  const auto nodes = static_cast<double>(fragment.size());
  if (kernel.family == kernel::trees::TreeKernel::Family::production) return std::pow(kernel.factor, nodes);
  double above = 0;  // nodes with children: what comes next is deeper
  for (std::size_t at = 1; at < fragment.size(); ++at) above += fragment[at].depth > fragment[at - 1].depth ? 1 : 0;
  return std::pow(kernel.factor, nodes) * std::pow(kernel.base, nodes - above) * std::pow(kernel.first, above) *
         std::pow(kernel.step, nodes - 1 - above);
}

void HeaviestSearch::offer(std::span<const FragmentStep> fragment, std::uint32_t output, const OutputSums::Sum& sum,
                           double value) {
  const bool by_production = task_.kernel.family == kernel::trees::TreeKernel::Family::production;
  task_.list.offer({value * sum.weight, output, fragment.size(), sum.support, sum.embeddings},
                   [&](FragmentTrees& trees) {
                     return by_production ? trees.add_productions(fragment) : trees.add_labels(fragment);
                   });
}

void HeaviestSearch::run(const FragmentStep& root, std::span<const WeightedPlace> places) {
  path_.assign(1, root);
  if (levels_.empty()) levels_.emplace_back();
  open(levels_.front(), places);
  for (std::size_t height = 1; height > 0;) grow_or_shrink(height);
}

void HeaviestSearch::open(Level& level, std::span<const WeightedPlace> places) {
  level.next = 0;
  level.branches.clear();
  growth_.grow(path_, has_mark(path_), places, level.extensions);
  for (std::uint32_t at = 0; at < level.extensions.all.size(); ++at) {
    const WeightedExtension& extension = level.extensions.all[at];
    path_.push_back(extension.step);
    const double bound = weigh(path_, level.extensions.of(extension));
    path_.pop_back();
    if (task_.is_worth(bound)) level.branches.push_back({at, bound});
  }
  std::ranges::stable_sort(level.branches, std::ranges::greater{}, &Branch::bound);
}

// One extension of the highest level, or its end; behind one that is not worth it, none is.
void HeaviestSearch::grow_or_shrink(std::size_t& height) {
  if (levels_.size() == height) levels_.emplace_back();
  Level& level = levels_[height - 1];
  if (level.next == level.branches.size() || !task_.is_worth(level.branches[level.next].bound)) {
    path_.pop_back();
    --height;
    return;
  }
  const WeightedExtension& extension = level.extensions.all[level.branches[level.next++].extension];
  path_.push_back(extension.step);
  open(levels_[height++], level.extensions.of(extension));
}

}  // namespace gristmill::mine::fragments
