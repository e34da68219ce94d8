// SPDX-License-Identifier: BSD-3-Clause
// Small trees, and Delta of tree kernels by the definition, in a few obvious lines.
#pragma once
#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "forest/forest.hpp"
#include "kernel/marked_value.hpp"
#include "kernel/tree_kernel.hpp"
#include "text/bracketed.hpp"

namespace gristmill {

struct Trees {
  Forest forest;
  std::vector<NodeId> roots;

  NodeId node(std::string_view label, std::span<const NodeId> children = {}) {
    return forest.add(intern_label(forest.symbols(), label, true), children);
  }
  NodeId node(std::string_view label, std::initializer_list<NodeId> children) {
    return node(label, std::span(children.begin(), children.size()));
  }
};

using Labels = std::vector<std::string>;

// All sequences of trees with so many nodes together.
inline std::vector<std::vector<NodeId>> all_sequences(Trees& trees, const Labels& labels, int nodes) {
  if (nodes == 0) return {{}};
  std::vector<std::vector<NodeId>> found;
  for (int first = 1; first <= nodes; ++first) {
    for (const std::string& label : labels) {
      for (const std::vector<NodeId>& below : all_sequences(trees, labels, first - 1)) {
        const NodeId tree = trees.node(label, below);
        for (std::vector<NodeId> rest : all_sequences(trees, labels, nodes - first)) {
          rest.insert(rest.begin(), tree);
          found.push_back(std::move(rest));
        }
      }
    }
  }
  return found;
}

// All trees of up to so many nodes.
inline Trees all_trees(const Labels& labels, int nodes) {
  Trees trees;
  for (int size = 1; size <= nodes; ++size) {
    for (const std::string& label : labels) {
      for (const std::vector<NodeId>& below : all_sequences(trees, labels, size - 1)) {
        trees.roots.push_back(trees.node(label, below));
      }
    }
  }
  return trees;
}

class SlowDelta {
 public:
  SlowDelta(const TreeKernel& kernel, const Forest& forest) : kernel_(kernel), forest_(forest) {}

  // What a pair of nodes counts in the kernel.
  [[nodiscard]] double counted(NodeId a, NodeId b) {
    if (!same_label(a, b)) return 0;
    MarkedValue value = kernel_.constants ? delta(a, b) : weight(a) * below(a, b);
    if (is_leaf(a) && is_leaf(b)) value.without += kernel_.leaves;
    value += kernel_.single_nodes * (is_marked(a) ? MarkedValue{0, 1} : MarkedValue{1, 0});
    return kernel_.marked ? value.with : value.without;
  }

 private:
  static constexpr MarkedValue one{1, 0};

  [[nodiscard]] bool is_leaf(NodeId node) const { return forest_.children(node).empty(); }
  [[nodiscard]] bool is_marked(NodeId node) const {
    return kernel_.marked && forest_.symbols().mark(forest_.label(node)) != 0;
  }
  [[nodiscard]] bool same_label(NodeId a, NodeId b) const { return forest_.label(a) == forest_.label(b); }
  [[nodiscard]] bool same_production(NodeId a, NodeId b) const {
    return same_label(a, b) && std::ranges::equal(forest_.children(a), forest_.children(b),
                                                  [&](NodeId x, NodeId y) { return same_label(x, y); });
  }
  // Of a node, in a kernel on productions with its children.
  [[nodiscard]] MarkedValue weight(NodeId node) const {
    bool has_mark = is_marked(node);
    if (kernel_.family == TreeKernel::Family::production) {
      has_mark =
          has_mark || std::ranges::any_of(forest_.children(node), [&](NodeId child) { return is_marked(child); });
    }
    return has_mark ? MarkedValue{0, kernel_.factor} : MarkedValue{kernel_.factor, 0};
  }

  [[nodiscard]] MarkedValue delta(NodeId a, NodeId b) {
    const auto found = known_.find({a, b});
    return found != known_.end() ? found->second : known_[{a, b}] = computed(a, b);
  }
  [[nodiscard]] MarkedValue computed(NodeId a, NodeId b) {
    if (kernel_.family == TreeKernel::Family::sequence) {
      if (!same_label(a, b)) return {};
      return weight(a) * (MarkedValue{kernel_.base, 0} + below(a, b));
    }
    const bool is_identity = kernel_.family == TreeKernel::Family::identity;
    if (is_leaf(a) || (is_identity ? a != b : !same_production(a, b))) return {};
    MarkedValue value = weight(a);
    for (std::size_t at = 0; at < forest_.children(a).size(); ++at) {
      const NodeId child = forest_.children(a)[at];
      if (is_identity && is_leaf(child)) continue;
      const MarkedValue deeper = delta(child, forest_.children(b)[at]);
      value *= is_identity ? deeper : one + deeper;
    }
    return value;
  }

  // All pairs of subsequences of the children; those that begin behind these places of the children before.
  [[nodiscard]] MarkedValue below(NodeId a, NodeId b) { return behind(a, b, 0, 0, 0); }
  [[nodiscard]] MarkedValue behind(NodeId a, NodeId b, std::size_t left, std::size_t right, std::size_t length) {
    MarkedValue total{};
    if (kernel_.longest != 0 && length == kernel_.longest) return total;
    for (std::size_t i = left; i < forest_.children(a).size(); ++i) {
      for (std::size_t j = right; j < forest_.children(b).size(); ++j) {
        if (!same_label(forest_.children(a)[i], forest_.children(b)[j])) continue;
        const double gaps = std::pow(kernel_.gap, static_cast<double>(i - left + j - right));
        const double weight = length == 0 ? kernel_.first : kernel_.step * gaps;
        total += weight * (delta(forest_.children(a)[i], forest_.children(b)[j]) *
                           (one + behind(a, b, i + 1, j + 1, length + 1)));
      }
    }
    return total;
  }

  const TreeKernel& kernel_;
  const Forest& forest_;
  std::map<std::pair<NodeId, NodeId>, MarkedValue> known_;
};

}  // namespace gristmill
