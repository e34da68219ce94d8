// SPDX-License-Identifier: BSD-3-Clause
#include "mine/subtrees/fragment_search.hpp"

#include <algorithm>
#include <functional>

namespace gristmill {
namespace {

// Whether a fragment that has no mark can still get one: by this node, or by one behind it that its root has below.
struct WayToMark {
  const MinedTrees& trees;
  TreeNode end;

  bool operator()(const MinedTrees::Child& child) const {
    return trees.is_marked(child.symbol) || trees[child.node].goal < end;
  }
};

}  // namespace

FragmentSearch::FragmentSearch(Mine mine, std::size_t worker)
    : mine_(mine), worker_(worker), first_(mine.trees.symbols(), none), levels_(1) {}

std::vector<FragmentTask> FragmentSearch::roots(const Mine& mine) {
  const MinedTrees& trees = mine.trees;
  std::vector<FragmentTask> tasks(trees.symbols());
  const bool drops = mine.needs_mark && mine.options.rules.marks;
  for (TreeNode at = 0; at < trees.size(); ++at) {
    const MinedTrees::Node& node = trees[at];
    if (!trees.is_frequent(node.symbol)) continue;
    if (drops && !trees.is_marked(node.symbol) && node.goal >= node.end) continue;
    tasks[node.symbol].occurrences.push_back({at, 1});
  }
  for (FragmentSymbol symbol = 0; symbol < tasks.size(); ++symbol) {
    const auto nodes = static_cast<std::uint32_t>(trees.nodes_of(symbol) + trees.nodes_above());
    tasks[symbol].fragment = {0, nodes, 1, trees.is_marked(symbol)};
  }
  std::erase_if(tasks, [&](const FragmentTask& task) {
    const std::vector<Occurrence>& found = task.occurrences;
    return found.empty() || trees[found.front().node].tree == trees[found.back().node].tree;
  });
  std::ranges::stable_sort(tasks, std::greater{}, [&](const FragmentTask& task) {
    double below = 0;
    for (const Occurrence& occurrence : task.occurrences) below += trees[occurrence.node].end - occurrence.node;
    return below / static_cast<double>(task.occurrences.size());
  });
  return tasks;
}

void FragmentSearch::run(const FragmentTask& task, bool precheck) {
  precheck_ = precheck;
  if (!open(levels_[0], task)) return;
  for (std::size_t height = 1; height > 0;) climb(height);
}

std::vector<FragmentTask> FragmentSearch::split(const FragmentTask& task, bool precheck) {
  precheck_ = precheck;
  Level& level = levels_[0];
  std::vector<FragmentTask> tasks;
  if (!open(level, task)) return tasks;
  for (const Extension& extension : level.extensions) {
    const auto begin = level.lists.begin() + extension.begin;
    tasks.push_back({grown(task.fragment, extension), {begin, begin + extension.size}});
  }
  close(level, false);
  return tasks;
}

// One extension of the highest level, or its end. Where an extension with the same trees fails, so does its parent, and
// perhaps the parent of that.
void FragmentSearch::climb(std::size_t& height) {
  const MiningRules& rules = mine_.options.rules;
  Level* level = &levels_[height - 1];
  if (level->next == level->extensions.size()) {
    close(*level, false);
    --height;
    return;
  }
  const Extension extension = level->extensions[level->next++];
  const std::span<const Occurrence> found(level->lists.data() + extension.begin, extension.size);
  const std::span<const std::uint32_t> trees = trees_of(found);
  const auto support = static_cast<std::uint32_t>(trees.size());
  if (rules.known_pairs && mine_.malicious.contains_all(trees)) return;
  if (levels_.size() == height) {
    levels_.emplace_back();
    level = &levels_[height - 1];
  }
  if (open(levels_[height], grown(level->fragment, extension), found, support)) {
    ++height;
    return;
  }
  while (rules.same_support && height > 0 && levels_[height - 1].support == support) --height;
}

Fragment FragmentSearch::grown(const Fragment& fragment, const Extension& extension) const {
  const auto nodes = static_cast<std::uint32_t>(mine_.trees.nodes_of(extension.symbol));
  return {extension.depth, fragment.nodes + nodes, fragment.symbols + 1,
          fragment.marked || mine_.trees.is_marked(extension.symbol)};
}

bool FragmentSearch::open(Level& level, const FragmentTask& task) {
  const auto support = static_cast<std::uint32_t>(trees_of(task.occurrences).size());
  return open(level, task.fragment, task.occurrences, support);
}

bool FragmentSearch::open(Level& level, const Fragment& fragment, std::span<const Occurrence> occurrences,
                          std::uint32_t support) {
  const MiningOptions& options = mine_.options;
  ++searched_;
  level.fragment = fragment;
  level.occurrences = occurrences;
  level.support = support;
  level.next = 0;
  const bool too_large = options.rules.size_limit && fragment.nodes >= options.max_size;
  if (too_large || !generate(level)) {
    condemn(occurrences);
    return false;
  }
  close(level, true);
  return true;
}

// The moment before the extensions are searched, or after: one of them is when the fragment is noted.
void FragmentSearch::close(Level& level, bool before) {
  const bool counts = level.fragment.marked || !mine_.needs_mark;
  if (precheck_ || !counts || before == mine_.options.rules.post_order) return;
  note(level.occurrences, level.fragment.symbols);
}

void FragmentSearch::note(std::span<const Occurrence> occurrences, std::uint32_t symbols) {
  words_.clear();
  for (std::size_t at = 0; at < occurrences.size();) {
    const std::uint32_t tree = mine_.trees[occurrences[at].node].tree;
    std::uint32_t count = 0;
    while (at < occurrences.size() && mine_.trees[occurrences[at].node].tree == tree) {
      count += occurrences[at++].embeddings;
    }
    pattern_words::write(words_, tree, count);
  }
  if (words_ != noted_ || !mine_.patterns.compresses()) hand_in();
  noted_.swap(words_);
  const auto known = std::ranges::find(shares_, symbols, &PatternTable::Share::size);
  if (known != shares_.end()) {
    ++known->fragments;
  } else {
    shares_.push_back({symbols, 1});
  }
}

void FragmentSearch::hand_in() {
  if (!shares_.empty()) mine_.patterns.add(noted_, shares_);
  shares_.clear();
}

void FragmentSearch::condemn(std::span<const Occurrence> occurrences) {
  const std::span<const std::uint32_t> trees = trees_of(occurrences);
  for (std::size_t j = 1; j < trees.size(); ++j) {
    mine_.stop.poll(worker_, j);
    for (std::size_t i = 0; i < j; ++i) {
      if (!mine_.malicious.contains(trees[i], trees[j])) mine_.budget.take(mine_.malicious.add(trees[i], trees[j]));
    }
  }
}

std::span<const std::uint32_t> FragmentSearch::trees_of(std::span<const Occurrence> occurrences) {
  trees_.clear();
  for (const Occurrence& occurrence : occurrences) {
    const std::uint32_t tree = mine_.trees[occurrence.node].tree;
    if (trees_.empty() || trees_.back() != tree) trees_.push_back(tree);
  }
  return trees_;
}

// --- extensions ------------------------------------------------------------------------------------------------------

// False if one of them is found too often.
bool FragmentSearch::generate(Level& level) {
  const MiningRules& rules = mine_.options.rules;
  const bool any_node = level.fragment.marked || !mine_.needs_mark || !rules.marks;
  level.extensions.clear();
  candidates_.clear();
  most_ = 0;
  limit_ = limit_of(level);
  for (const Occurrence& occurrence : level.occurrences) {
    if (any_node) {
      look_right(level, occurrence, [](const MinedTrees::Child&) { return true; });
    } else {
      look_right(level, occurrence, WayToMark{mine_.trees, root_end(level, occurrence.node)});
    }
    if (most_ > limit_ && rules.early_stop) break;
  }
  for (const Extension& extension : level.extensions) first_[extension.symbol] = none;
  mine_.stop.poll(worker_, candidates_.size() + level.occurrences.size());
  if (most_ > limit_) return false;
  sort_out(level);
  return true;
}

// Whether limited or not, what a pattern counts must fit.
std::uint64_t FragmentSearch::limit_of(const Level& level) const {
  constexpr std::uint64_t fits = pattern_words::count_bit - 1;
  const double limit = mine_.options.max_embeddings * level.support;
  if (!mine_.options.rules.list_limit || limit >= static_cast<double>(fits)) return fits;
  return static_cast<std::uint64_t>(limit);
}

TreeNode FragmentSearch::root_end(const Level& level, TreeNode node) const {
  for (std::uint32_t depth = level.fragment.depth; depth > 0; --depth) node = mine_.trees[node].parent;
  return mine_.trees[node].end;
}

// What is below the last node and, upwards along its path, to the right of it.
template <class Worth>
void FragmentSearch::look_right(Level& level, const Occurrence& occurrence, Worth is_worth) {
  const MinedTrees& trees = mine_.trees;
  const MinedTrees::Node* node = &trees[occurrence.node];
  const std::uint32_t tree = node->tree;
  const auto offer = [&](std::uint32_t begin, std::uint32_t end, std::uint32_t depth) {
    for (const MinedTrees::Child& child : std::span(trees.children() + begin, end - begin)) {
      if (is_worth(child)) add_candidate(level, child, depth, tree, occurrence.embeddings);
    }
  };
  std::uint32_t depth = level.fragment.depth;
  offer(node->first_child, node->last_child, depth + 1);
  for (; depth > 0; --depth) {
    const MinedTrees::Node* parent = &trees[node->parent];
    offer(node->after, parent->last_child, depth);
    node = parent;
  }
}

inline void FragmentSearch::add_candidate(Level& level, const MinedTrees::Child& child, std::uint32_t depth,
                                          std::uint32_t tree, std::uint32_t embeddings) {
  const std::uint32_t found = find_extension(level, child, depth, tree);
  Extension& extension = level.extensions[found];
  extension.shared = extension.shared || extension.tree != tree;
  ++extension.size;
  extension.embeddings += embeddings;
  most_ = std::max(most_, extension.embeddings);
  candidates_.push_back({found, {child.node, embeddings}});
}

inline std::uint32_t FragmentSearch::find_extension(Level& level, const MinedTrees::Child& child, std::uint32_t depth,
                                                    std::uint32_t tree) {
  std::uint32_t& first = first_[child.symbol];
  for (std::uint32_t at = first; at != none; at = level.extensions[at].next) {
    if (level.extensions[at].depth == depth && level.extensions[at].place == child.place) return at;
  }
  level.extensions.push_back({child.symbol, depth, child.place, first, tree, 0, 0, 0, false});
  first = static_cast<std::uint32_t>(level.extensions.size() - 1);
  return first;
}

// Lists of the extensions that several trees have.
void FragmentSearch::sort_out(Level& level) {
  std::uint32_t total = 0;
  for (Extension& extension : level.extensions) {
    extension.begin = total;
    if (extension.shared) total += extension.size;
    extension.size = 0;
  }
  level.lists.resize(total);
  for (const Candidate& candidate : candidates_) {
    Extension& extension = level.extensions[candidate.extension];
    if (extension.shared) level.lists[extension.begin + extension.size++] = candidate.occurrence;
  }
  std::erase_if(level.extensions, [](const Extension& extension) { return !extension.shared; });
  for (Extension& extension : level.extensions) merge_equals(level, extension);
}

// Places in order, each once.
void FragmentSearch::merge_equals(Level& level, Extension& extension) {
  const std::span<Occurrence> list(level.lists.data() + extension.begin, extension.size);
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
  extension.size = static_cast<std::uint32_t>(last + 1);
}

}  // namespace gristmill
