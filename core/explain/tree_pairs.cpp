// SPDX-License-Identifier: BSD-3-Clause
#include "explain/tree_pairs.hpp"

#include <algorithm>
#include <stdexcept>

namespace gristmill::explain {
namespace {

// Sizes of common fragments by pairs, children first. Limits on subsequences and marks are left aside.
class FragmentSizes {
 public:
  FragmentSizes(const TreePairs& pairs, Pulse& pulse) : pairs_(pairs), pulse_(pulse), sizes_(pairs.pairs(), 0) {}

  [[nodiscard]] std::size_t largest() {
    const bool skips = pairs_.kernel().family == kernel::trees::TreeKernel::Family::sequence;
    std::size_t largest = 0;
    for (std::size_t node = pairs_.nodes().size(); node-- > 0;) {
      const TreePairs::Node& own = pairs_.nodes()[node];
      children_ = pairs_.children(node);
      for (std::uint32_t at = 0; at < own.size; ++at) {
        others_ = pairs_.others(own.begin + at);
        const std::uint32_t size = 1 + (skips ? of_subsequences() : of_all_children());
        sizes_[own.first + at] = size;
        largest = std::max<std::size_t>(largest, size);
      }
    }
    return largest;
  }

 private:
  [[nodiscard]] std::uint32_t below(std::size_t i, std::size_t j) const {
    const std::size_t pair = pairs_.find(children_[i], others_[j]);
    return pair == TreePairs::none ? 0 : sizes_[pair];
  }

  [[nodiscard]] std::uint32_t of_all_children() const {
    pulse_(children_.size() + 1);
    std::uint32_t size = 0;
    for (std::size_t j = 0; j < children_.size(); ++j) size += std::max<std::uint32_t>(1, below(j, j));
    return size;
  }

  // The heaviest common subsequence.
  [[nodiscard]] std::uint32_t of_subsequences() {
    best_.assign(others_.size() + 1, 0);
    for (std::size_t i = 0; i < children_.size(); ++i) {
      pulse_(best_.size());
      std::uint32_t before = 0;  // without this child of either
      for (std::size_t j = 0; j < others_.size(); ++j) {
        const std::uint32_t with = before + below(i, j);
        before = best_[j + 1];
        best_[j + 1] = std::max({best_[j], before, with});
      }
    }
    return best_.back();
  }

  const TreePairs& pairs_;
  Pulse& pulse_;
  std::vector<std::uint32_t> sizes_;
  std::span<const std::uint32_t> children_;
  std::span<const forest::SubtreeId> others_;
  std::vector<std::uint32_t> best_;  // with the first children of the other
};

}  // namespace

void TreePairs::unfold(std::size_t tree) {
  const forest::TreeSet& set = queries_.set();
  nodes_.clear();
  children_.assign(1, 0);  // the root is nobody's child
  stack_.assign(1, {set.root(tree), 0});
  std::size_t pairs = 0;
  while (!stack_.empty()) {
    const auto [subtree, place] = stack_.back();
    stack_.pop_back();
    if (nodes_.size() == INT32_MAX) throw std::length_error("a tree has too many nodes to be explained");
    children_[place] = static_cast<std::uint32_t>(nodes_.size());
    Node& node = nodes_.emplace_back(node_of(subtree));
    node.first = pairs;
    node.children = children_.size();
    pairs += node.size;
    const std::span<const forest::SubtreeId> below = set.children(subtree);
    children_.resize(children_.size() + below.size());
    for (std::size_t at = below.size(); at-- > 0;) stack_.emplace_back(below[at], node.children + at);
  }
  nodes_.push_back({.first = pairs, .children = children_.size()});
}

TreePairs::Node TreePairs::node_of(forest::SubtreeId subtree) const {
  Node node{.subtree = subtree};
  const forest::LabelId label = queries_.label(subtree);
  if (label == forest::TreeQueries::none) return node;
  node.is_marked = index_.is_marked(label);
  forest::ProductionId first = queries_.production(subtree);
  forest::ProductionId end = first + 1;
  if (kernel_.family == kernel::trees::TreeKernel::Family::sequence) {
    first = index_.first_production(label);
    end = index_.first_production(label + 1);
  } else if (first == forest::TreeQueries::none || queries_.set().is_leaf(subtree)) {
    return node;
  }
  node.begin = index_.productions()[first].begin;
  node.size = index_.productions()[end - 1].end - node.begin;
  return node;
}

std::size_t largest_fragment(const TreePairs& pairs, Pulse& pulse) { return FragmentSizes(pairs, pulse).largest(); }

}  // namespace gristmill::explain
