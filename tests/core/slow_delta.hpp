// SPDX-License-Identifier: BSD-3-Clause
// Small trees, and Delta of tree kernels by the definition, in a few obvious lines.
#pragma once
#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "forest/forest.hpp"
#include "kernel/trees/semiring.hpp"
#include "kernel/trees/tree_kernel.hpp"
#include "text/bracketed.hpp"

namespace gristmill {

struct Trees {
  forest::Forest forest;
  std::vector<forest::NodeId> roots;

  forest::NodeId node(std::string_view label, std::span<const forest::NodeId> children = {}) {
    return forest.add(text::intern_label(forest.symbols(), label, true), children);
  }
  forest::NodeId node(std::string_view label, std::initializer_list<forest::NodeId> children) {
    return node(label, std::span(children.begin(), children.size()));
  }
};

using Labels = std::vector<std::string>;

// All sequences of trees with so many nodes together.
inline std::vector<std::vector<forest::NodeId>> all_sequences(Trees& trees, const Labels& labels, int nodes) {
  if (nodes == 0) return {{}};
  std::vector<std::vector<forest::NodeId>> found;
  for (int first = 1; first <= nodes; ++first) {
    for (const std::string& label : labels) {
      for (const std::vector<forest::NodeId>& below : all_sequences(trees, labels, first - 1)) {
        const forest::NodeId tree = trees.node(label, below);
        for (std::vector<forest::NodeId> rest : all_sequences(trees, labels, nodes - first)) {
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
      for (const std::vector<forest::NodeId>& below : all_sequences(trees, labels, size - 1)) {
        trees.roots.push_back(trees.node(label, below));
      }
    }
  }
  return trees;
}

class SlowDelta {
 public:
  SlowDelta(const kernel::trees::TreeKernel& kernel, const forest::Forest& forest) : kernel_(kernel), forest_(forest) {}

  // What a pair of nodes counts in the kernel.
  [[nodiscard]] double counted(forest::NodeId a, forest::NodeId b) {
    if (!same_label(a, b)) return 0;
    kernel::trees::MarkedValue value = kernel_.constants ? delta(a, b) : weight(a) * below(a, b);
    if (is_leaf(a) && is_leaf(b)) value.without += kernel_.leaves;
    value +=
        kernel_.single_nodes * (is_marked(a) ? kernel::trees::MarkedValue{0, 1} : kernel::trees::MarkedValue{1, 0});
    return kernel_.marked ? value.with : value.without;
  }

 private:
  static constexpr kernel::trees::MarkedValue one{1, 0};

  [[nodiscard]] bool is_leaf(forest::NodeId node) const { return forest_.children(node).empty(); }
  [[nodiscard]] bool is_marked(forest::NodeId node) const {
    return kernel_.marked && forest_.symbols().mark(forest_.label(node)) != 0;
  }
  [[nodiscard]] bool same_label(forest::NodeId a, forest::NodeId b) const {
    return forest_.label(a) == forest_.label(b);
  }
  [[nodiscard]] bool same_production(forest::NodeId a, forest::NodeId b) const {
    return same_label(a, b) && std::ranges::equal(forest_.children(a), forest_.children(b),
                                                  [&](forest::NodeId x, forest::NodeId y) { return same_label(x, y); });
  }
  // Of a node, in a kernel on productions with its children.
  [[nodiscard]] kernel::trees::MarkedValue weight(forest::NodeId node) const {
    bool has_mark = is_marked(node);
    if (kernel_.family == kernel::trees::TreeKernel::Family::production) {
      has_mark = has_mark ||
                 std::ranges::any_of(forest_.children(node), [&](forest::NodeId child) { return is_marked(child); });
    }
    return has_mark ? kernel::trees::MarkedValue{0, kernel_.factor} : kernel::trees::MarkedValue{kernel_.factor, 0};
  }

  [[nodiscard]] kernel::trees::MarkedValue delta(forest::NodeId a, forest::NodeId b) {
    const auto found = known_.find({a, b});
    return found != known_.end() ? found->second : known_[{a, b}] = computed(a, b);
  }
  [[nodiscard]] kernel::trees::MarkedValue computed(forest::NodeId a, forest::NodeId b) {
    if (kernel_.family == kernel::trees::TreeKernel::Family::sequence) {
      if (!same_label(a, b)) return {};
      const double base = is_leaf(a) || is_leaf(b) ? kernel_.base * kernel_.terminals : kernel_.base;
      return weight(a) * (kernel::trees::MarkedValue{base, 0} + below(a, b));
    }
    const bool is_identity = kernel_.family == kernel::trees::TreeKernel::Family::identity;
    if (is_leaf(a) || (is_identity ? a != b : !same_production(a, b))) return {};
    kernel::trees::MarkedValue value = weight(a);
    for (std::size_t at = 0; at < forest_.children(a).size(); ++at) {
      const forest::NodeId child = forest_.children(a)[at];
      if (is_identity && is_leaf(child)) continue;
      const kernel::trees::MarkedValue deeper = delta(child, forest_.children(b)[at]);
      value *= is_identity ? deeper : one + deeper;
    }
    return value;
  }

  // All pairs of subsequences of the children; those that begin behind these places of the children before.
  [[nodiscard]] kernel::trees::MarkedValue below(forest::NodeId a, forest::NodeId b) { return behind(a, b, 0, 0, 0); }
  [[nodiscard]] kernel::trees::MarkedValue behind(forest::NodeId a, forest::NodeId b, std::size_t left,
                                                  std::size_t right, std::size_t length) {
    kernel::trees::MarkedValue total{};
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

  const kernel::trees::TreeKernel& kernel_;
  const forest::Forest& forest_;
  std::map<std::pair<forest::NodeId, forest::NodeId>, kernel::trees::MarkedValue> known_;
};

}  // namespace gristmill
