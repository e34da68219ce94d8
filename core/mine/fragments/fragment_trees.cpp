// SPDX-License-Identifier: BSD-3-Clause
#include "mine/fragments/fragment_trees.hpp"

namespace gristmill::mine::fragments {

FragmentTrees::FragmentTrees(const forest::SubtreeIndex& index) : index_(index) {
  const forest::Symbols& names = index.forest().symbols();
  for (forest::LabelId label = 0; label < index.labels(); ++label) {
    const forest::SubtreeRank first = index.productions()[index.first_production(label)].begin;
    const forest::Symbol symbol = index.set().label(index.subtree(first));
    symbols_.push_back(forest_.symbols().intern(names.text(symbol), names.mark(symbol)));
  }
}

std::uint32_t FragmentTrees::Sketch::add(forest::LabelId label) {
  labels.push_back(label);
  children.emplace_back();
  return static_cast<std::uint32_t>(labels.size() - 1);
}

std::uint32_t FragmentTrees::Sketch::add_below(std::uint32_t parent, forest::LabelId label) {
  const std::uint32_t node = add(label);
  children[parent].push_back(node);
  return node;
}

forest::NodeId FragmentTrees::add(const Sketch& sketch) {
  std::vector<forest::NodeId> done(sketch.labels.size());
  std::vector<forest::NodeId> below;
  for (std::size_t node = sketch.labels.size(); node-- > 0;) {
    below.clear();
    for (const std::uint32_t child : sketch.children[node]) below.push_back(done[child]);
    done[node] = forest_.add(symbols_[sketch.labels[node]], below);
  }
  return done.front();
}

// Subtree by subtree, not node by node: its tree may be far larger than its graph.
forest::NodeId FragmentTrees::add_subtree(forest::SubtreeId id) {
  const forest::TreeSet& set = index_.set();
  of_subtree_.resize(set.subtrees(), forest::Forest::none);
  std::vector<std::pair<std::uint32_t, std::size_t>> stack;
  std::vector<forest::NodeId> below;
  forest::for_each_postorder([&](forest::SubtreeId one) { return set.children(one); }, id, stack,
                             [&](forest::SubtreeId one) { return of_subtree_[one] != forest::Forest::none; },
                             [&](forest::SubtreeId one) {
                               below.clear();
                               for (const forest::SubtreeId child : set.children(one))
                                 below.push_back(of_subtree_[child]);
                               const forest::LabelId label = index_.productions()[index_.production(one)].label;
                               of_subtree_[one] = forest_.add(symbols_[label], below);
                             });
  return of_subtree_[id];
}

forest::NodeId FragmentTrees::add_labels(std::span<const FragmentStep> steps) {
  Sketch sketch;
  std::vector<std::uint32_t> path;
  for (const FragmentStep& step : steps) {
    path.resize(step.depth);
    path.push_back(path.empty() ? sketch.add(step.symbol) : sketch.add_below(path.back(), step.symbol));
  }
  return add(sketch);
}

forest::NodeId FragmentTrees::add_productions(std::span<const FragmentStep> steps) {
  Sketch sketch;
  std::vector<std::uint32_t> path;
  sketch.add(index_.productions()[steps.front().symbol].label);
  for (const FragmentStep& step : steps) {
    path.resize(step.depth);
    path.push_back(path.empty() ? 0 : sketch.children[path.back()][step.place]);
    for (const forest::LabelId label : index_.productions()[step.symbol].children) sketch.add_below(path.back(), label);
  }
  return add(sketch);
}

}  // namespace gristmill::mine::fragments
