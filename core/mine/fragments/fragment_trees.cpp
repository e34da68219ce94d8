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

forest::NodeId FragmentTrees::add_subtree(forest::SubtreeId id) {
  const auto label_of = [&](forest::SubtreeId subtree) {
    return index_.productions()[index_.production(subtree)].label;
  };
  Sketch sketch;
  std::vector<forest::SubtreeId> subtrees{id};
  sketch.add(label_of(id));
  for (std::uint32_t node = 0; node < subtrees.size(); ++node) {
    for (const forest::SubtreeId child : index_.set().children(subtrees[node])) {
      sketch.add_below(node, label_of(child));
      subtrees.push_back(child);
    }
  }
  return add(sketch);
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
