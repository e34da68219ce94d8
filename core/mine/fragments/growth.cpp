// SPDX-License-Identifier: BSD-3-Clause
#include "mine/fragments/growth.hpp"

#include <algorithm>
#include <functional>

#include "mine/fragments/pattern_table.hpp"

namespace gristmill::mine::fragments {
namespace {

double mean_below(const MinedTrees& trees, const Placed& root) {
  double below = 0;
  for (const Occurrence& occurrence : root.occurrences) below += trees[occurrence.node].end - occurrence.node;
  return below / static_cast<double>(root.occurrences.size());
}

}  // namespace

std::vector<Placed> Growth::roots(const MiningTask& task) {
  const MinedTrees& trees = task.trees;
  std::vector<Placed> roots(trees.symbols());
  const bool drops = task.needs_mark && task.options.rules.marks;
  for (TreeNode at = 0; at < trees.size(); ++at) {
    if (trees.may_start(trees[at], drops)) roots[trees[at].symbol].occurrences.push_back({at, 1});
  }
  for (FragmentSymbol symbol = 0; symbol < roots.size(); ++symbol) {
    const auto nodes = static_cast<std::uint32_t>(trees.nodes_of(symbol) + trees.nodes_above());
    roots[symbol].fragment = {0, nodes, 1, trees.is_marked(symbol)};
  }
  std::erase_if(roots, [&](const Placed& root) {
    const std::vector<Occurrence>& found = root.occurrences;
    return found.empty() || trees.tree(found.front().node) == trees.tree(found.back().node);
  });
  std::ranges::stable_sort(roots, std::greater{}, [&](const Placed& root) { return mean_below(trees, root); });
  return roots;
}

Fragment Growth::grown(const Fragment& fragment, const SharedExtension& extension) const {
  const FragmentSymbol symbol = extension.step.symbol;
  const auto nodes = static_cast<std::uint32_t>(task_.trees.nodes_of(symbol));
  return {extension.step.depth, fragment.nodes + nodes, fragment.symbols + 1,
          fragment.marked || task_.trees.is_marked(symbol)};
}

bool Growth::grow(const Fragment& fragment, std::span<const Occurrence> occurrences, std::uint32_t support,
                  SharedExtensions& out) {
  const MiningRules& rules = task_.options.rules;
  const bool any_node = fragment.marked || !task_.needs_mark || !rules.marks;
  const std::uint64_t limit = limit_for(support);
  expansion_.start(out);
  paused_ = 0;
  most_ = 0;
  for (const Occurrence& occurrence : occurrences) {
    if (any_node) {
      look_right(fragment, occurrence, out, [](const MinedTrees::Child&) { return true; });
    } else {
      look_right(fragment, occurrence, out, WayToMark(task_.trees, occurrence.node, fragment.depth));
    }
    pause();
    if (most_ > limit && rules.early_stop) break;
  }
  expansion_.end(out);
  pulse_(expansion_.size() + occurrences.size());
  if (most_ > limit) return false;
  expansion_.sort_out(out, [](const SharedExtension& extension) { return extension.tally.shared; });
  return true;
}

// Wide nodes with equal labels make candidates by the million.
void Growth::pause() {
  constexpr std::size_t many = std::size_t{1} << 16U;
  if (expansion_.size() < paused_ + many) return;
  pulse_(expansion_.size() - paused_);
  paused_ = expansion_.size();
  task_.budget.check(2 * expansion_.bytes_of(paused_));
}

// Whether limited or not, what a pattern counts must fit.
std::uint64_t Growth::limit_for(std::uint32_t support) const {
  constexpr std::uint64_t fits = pattern_words::count_bit - 1;
  const double limit = task_.options.max_embeddings * support;
  if (!task_.options.rules.list_limit || limit >= static_cast<double>(fits)) return fits;
  return static_cast<std::uint64_t>(limit);
}

template <class Worth>
void Growth::look_right(const Fragment& fragment, const Occurrence& occurrence, SharedExtensions& out, Worth is_worth) {
  const std::uint32_t tree = task_.trees.tree(occurrence.node);
  const std::uint32_t embeddings = occurrence.embeddings;
  expansion_.look_right(occurrence.node, fragment.depth,
                        [&](std::span<const MinedTrees::Child> children, std::uint32_t depth, TreeNode) {
                          for (const MinedTrees::Child& child : children) {
                            if (!is_worth(child)) continue;
                            Occurrence::Tally& tally =
                                expansion_.add(child, depth, {child.node, embeddings}, {0, tree, false}, out).tally;
                            tally.shared = tally.shared || tally.tree != tree;
                            tally.embeddings += embeddings;
                            most_ = std::max(most_, tally.embeddings);
                          }
                        });
}

}  // namespace gristmill::mine::fragments
