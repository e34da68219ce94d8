// SPDX-License-Identifier: BSD-3-Clause
#include "mine/fragments/growth.hpp"

#include <algorithm>
#include <functional>

#include "mine/fragments/pattern_table.hpp"

namespace gristmill::mine::fragments {
namespace {

// Whether a fragment that has no mark can still get one: by this node, or by one behind it that its root has below. The
// next one behind its last node is, or it would not be there; where the root ends is looked up only for others.
class WayToMark {
 public:
  WayToMark(const MinedTrees& trees, const Fragment& fragment, TreeNode last)
      : trees_(trees), depth_(fragment.depth), last_(last), goal_(trees[last].goal) {}

  bool operator()(const MinedTrees::Child& child) {
    if (child.goal == goal_ || trees_.is_marked(child.symbol)) return true;
    if (end_ == 0) find_end();
    return child.goal < end_;
  }

 private:
  void find_end() {
    TreeNode node = last_;
    for (std::uint32_t depth = depth_; depth > 0; --depth) node = trees_[node].parent;
    end_ = trees_[node].end;
  }

  const MinedTrees& trees_;
  std::uint32_t depth_;
  TreeNode last_;
  TreeNode goal_;
  TreeNode end_ = 0;  // not known yet
};

// Places in order, each once.
void merge_equals(std::span<Occurrence> list, std::uint32_t& size) {
  const auto out_of_order = std::ranges::adjacent_find(list, std::ranges::greater_equal{}, &Occurrence::node);
  if (out_of_order == list.end()) return;
  std::ranges::sort(list, {}, &Occurrence::node);
  std::size_t last = 0;
  for (std::size_t at = 1; at < list.size(); ++at) {
    if (list[at].node == list[last].node) {
      list[last].embeddings += list[at].embeddings;
    } else {
      list[++last] = list[at];
    }
  }
  size = static_cast<std::uint32_t>(last + 1);
}

double mean_below(const MinedTrees& trees, const Placed& root) {
  double below = 0;
  for (const Occurrence& occurrence : root.occurrences) below += trees[occurrence.node].end - occurrence.node;
  return below / static_cast<double>(root.occurrences.size());
}

}  // namespace

Growth::Growth(const MiningTask& task, std::size_t worker)
    : task_(task), worker_(worker), first_(task.trees.symbols(), none) {}

std::vector<Placed> Growth::roots(const MiningTask& task) {
  const MinedTrees& trees = task.trees;
  std::vector<Placed> roots(trees.symbols());
  const bool drops = task.needs_mark && task.options.rules.marks;
  for (TreeNode at = 0; at < trees.size(); ++at) {
    const MinedTrees::Node& node = trees[at];
    if (!trees.is_frequent(node.symbol)) continue;
    if (drops && !trees.is_marked(node.symbol) && node.goal >= node.end) continue;
    roots[node.symbol].occurrences.push_back({at, 1});
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

Fragment Growth::grown(const Fragment& fragment, const Extension& extension) const {
  const auto nodes = static_cast<std::uint32_t>(task_.trees.nodes_of(extension.symbol));
  return {extension.depth, fragment.nodes + nodes, fragment.symbols + 1,
          fragment.marked || task_.trees.is_marked(extension.symbol)};
}

bool Growth::grow(const Fragment& fragment, std::span<const Occurrence> occurrences, std::uint32_t support,
                  Extensions& out) {
  const MiningRules& rules = task_.options.rules;
  const bool any_node = fragment.marked || !task_.needs_mark || !rules.marks;
  const std::uint64_t limit = limit_for(support);
  out.all.clear();
  candidates_.clear();
  paused_ = 0;
  most_ = 0;
  for (const Occurrence& occurrence : occurrences) {
    if (any_node) {
      look_right(fragment, occurrence, out, [](const MinedTrees::Child&) { return true; });
    } else {
      look_right(fragment, occurrence, out, WayToMark(task_.trees, fragment, occurrence.node));
    }
    pause();
    if (most_ > limit && rules.early_stop) break;
  }
  for (const Extension& extension : out.all) first_[extension.symbol] = none;
  task_.stop.poll(worker_, candidates_.size() + occurrences.size());
  if (most_ > limit) return false;
  sort_out(out);
  return true;
}

// Wide nodes with equal labels make candidates by the million.
void Growth::pause() {
  constexpr std::size_t many = std::size_t{1} << 16U;
  if (candidates_.size() < paused_ + many) return;
  task_.stop.poll(worker_, candidates_.size() - paused_);
  paused_ = candidates_.size();
  task_.budget.check(2 * candidates_.size() * sizeof(Candidate));
}

// Whether limited or not, what a pattern counts must fit.
std::uint64_t Growth::limit_for(std::uint32_t support) const {
  constexpr std::uint64_t fits = pattern_words::count_bit - 1;
  const double limit = task_.options.max_embeddings * support;
  if (!task_.options.rules.list_limit || limit >= static_cast<double>(fits)) return fits;
  return static_cast<std::uint64_t>(limit);
}

// What is below the last node and, upwards along its path, to the right of it.
template <class Worth>
void Growth::look_right(const Fragment& fragment, const Occurrence& occurrence, Extensions& out, Worth is_worth) {
  const MinedTrees& trees = task_.trees;
  const MinedTrees::Node* node = &trees[occurrence.node];
  const std::uint32_t tree = trees.tree(occurrence.node);
  const auto offer = [&](std::uint32_t begin, std::uint32_t end, std::uint32_t depth) {
    for (const MinedTrees::Child& child : std::span(trees.children() + begin, end - begin)) {
      if (is_worth(child)) add_candidate(child, depth, tree, occurrence.embeddings, out);
    }
  };
  std::uint32_t depth = fragment.depth;
  offer(node->first_child, node->last_child, depth + 1);
  for (; depth > 0; --depth) {
    const MinedTrees::Node* parent = &trees[node->parent];
    offer(node->after, parent->last_child, depth);
    node = parent;
  }
}

inline void Growth::add_candidate(const MinedTrees::Child& child, std::uint32_t depth, std::uint32_t tree,
                                  std::uint32_t embeddings, Extensions& out) {
  const std::uint32_t found = find_extension(child, depth, tree, out);
  Extension& extension = out.all[found];
  extension.shared = extension.shared || extension.tree != tree;
  ++extension.size;
  extension.embeddings += embeddings;
  most_ = std::max(most_, extension.embeddings);
  candidates_.push_back({found, {child.node, embeddings}});
}

inline std::uint32_t Growth::find_extension(const MinedTrees::Child& child, std::uint32_t depth, std::uint32_t tree,
                                            Extensions& out) {
  std::uint32_t& first = first_[child.symbol];
  for (std::uint32_t at = first; at != none; at = out.all[at].next) {
    if (out.all[at].depth == depth && out.all[at].place == child.place) return at;
  }
  out.all.push_back({child.symbol, depth, child.place, first, tree, 0, 0, 0, false});
  first = static_cast<std::uint32_t>(out.all.size() - 1);
  return first;
}

// Lists of the extensions that several trees have.
void Growth::sort_out(Extensions& out) const {
  std::uint32_t total = 0;
  for (Extension& extension : out.all) {
    extension.begin = total;
    if (extension.shared) total += extension.size;
    extension.size = 0;
  }
  out.lists.resize(total);
  for (const Candidate& candidate : candidates_) {
    Extension& extension = out.all[candidate.extension];
    if (extension.shared) out.lists[extension.begin + extension.size++] = candidate.occurrence;
  }
  std::erase_if(out.all, [](const Extension& extension) { return !extension.shared; });
  for (Extension& extension : out.all) {
    merge_equals(std::span(out.lists).subspan(extension.begin, extension.size), extension.size);
  }
}

}  // namespace gristmill::mine::fragments
