// SPDX-License-Identifier: BSD-3-Clause
// Shares of the nodes of one tree: inside and outside, some quadrature points at a time. A rule says what Delta is.
#pragma once
#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>

#include "explain/gauss_legendre.hpp"
#include "explain/gradients.hpp"
#include "explain/node_shares.hpp"
#include "explain/tree_pairs.hpp"

namespace gristmill::explain {

template <class Rule>
class SharePasses {
 public:
  SharePasses(const NodeShares& machine, const forest::TreeQueries& queries, Stop& stop, std::size_t worker)
      : machine_(machine),
        pulse_(stop, worker),
        pairs_(machine.kernel(), machine.index(), queries),
        rule_(pairs_, deltas_, pulse_) {}
  SharePasses(const SharePasses&) = delete;  // its parts point at one another
  SharePasses& operator=(const SharePasses&) = delete;

  // Takes a tree; what is given back below has a row for each of its nodes, in pre-order, and a column per output.
  void take(std::size_t tree) {
    if (tree == tree_) return;
    tree_ = tree;
    pairs_.unfold(tree);
    check_room();
    deltas_.resize(pairs_.pairs());
  }
  [[nodiscard]] std::size_t nodes() const noexcept { return pairs_.nodes().size(); }
  [[nodiscard]] std::size_t largest() { return largest_fragment(pairs_, pulse_); }

  // What hangs from each node is added where every node weighs 1.
  void add_rooted(std::span<double> out) {
    weigh({});
    inside(out);
  }
  // The derivatives by the weights of the nodes, times the points' weights, are added.
  void add_shared(std::span<const QuadraturePoint> points, std::span<double> out) {
    for (std::size_t at = 0; at < points.size(); at += Points::count) {
      weigh(points.subspan(at, std::min(Points::count, points.size() - at)));
      inside({});
      for (std::size_t first = 0; first < machine_.outputs(); first += columns_) {
        columns_ = std::min(room(), machine_.outputs() - first);
        outside(first);
        collect(first, out);
      }
    }
  }

 private:
  using Value = typename Rule::Value;
  using Gradient = Gradients<Value>;
  static constexpr std::size_t most_columns = 8;
  static constexpr std::size_t most_bytes = std::size_t{1} << 30U;  // of a thread
  static constexpr std::size_t bar_bytes = std::size_t{256} << 20U;

  // A long chain that is compared with another has as many pairs as both lengths multiplied.
  void check_room() const {
    const std::size_t bytes = pairs_.pairs() * 2 * sizeof(Value);  // and their derivatives
    if (bytes <= most_bytes) return;
    throw std::length_error("to explain tree " + std::to_string(tree_) + " takes " + std::to_string(bytes >> 20U) +
                            " MB, more than " + std::to_string(most_bytes >> 20U) + " MB, for " +
                            std::to_string(pairs_.pairs()) +
                            " pairs of its nodes with subtrees of the support; leave such large trees out");
  }

  // Outputs that are done at once.
  [[nodiscard]] std::size_t room() const {
    const std::size_t fitting = bar_bytes / (sizeof(Value) * std::max<std::size_t>(pairs_.pairs(), 1));
    return std::clamp<std::size_t>(fitting, 1, most_columns);
  }

  // Lanes that are left over weigh 1 and count nothing.
  void weigh(std::span<const QuadraturePoint> points) {
    z_ = Points::all(1);
    counts_ = {};
    for (std::size_t k = 0; k < points.size(); ++k) {
      z_.at[k] = points[k].at;
      counts_.at[k] = points[k].weight / points[k].at;  // derivatives are found times z
    }
    rule_.set_weight(z_);
  }

  // Children before parents. With `rooted`, what nodes count goes there.
  void inside(std::span<double> rooted) {
    const std::size_t outputs = machine_.outputs();
    for (std::size_t node = pairs_.nodes().size(); node-- > 0;) {
      const TreePairs::Node& own = pairs_.nodes()[node];
      for (std::uint32_t at = 0; at < own.size; ++at) {
        const Value delta = rule_.inside(node, own.begin + at);
        deltas_[own.first + at] = delta;
        if (rooted.empty()) continue;
        const double counted = Semiring<Value>::counted(delta).at[0];
        const double* weights = machine_.weights(own.begin + at);
        for (std::size_t output = 0; output < outputs; ++output) {
          rooted[node * outputs + output] += weights[output] * counted;
        }
      }
    }
  }

  // Parents before children, for the outputs from `first` on.
  void outside(std::size_t first) {
    gradients_.assign(pairs_.pairs() * columns_, Value{});
    gains_.assign(pairs_.nodes().size() * columns_, Points{});
    for (std::size_t node = 0; node < pairs_.nodes().size(); ++node) {
      const TreePairs::Node& own = pairs_.nodes()[node];
      for (std::uint32_t at = 0; at < own.size; ++at) {
        const std::size_t pair = own.first + at;
        const Value hidden = rule_.hidden(node, pairs_.others(own.begin + at).empty());
        gain(node, pair, machine_.weights(own.begin + at) + first, hidden);
        rule_.outside(node, own.begin + at, [&](std::size_t child, std::size_t below, const Value& around) {
          hand_on(child, below, around);
        });
      }
    }
  }

  // The bars of a pair: what those above it hand down, and its own weight; what its node gains by them.
  void gain(std::size_t node, std::size_t pair, const double* weights, const Value& hidden) {
    for (std::size_t column = 0; column < columns_; ++column) {
      const Value& above = gradients_[pair * columns_ + column];
      own_[column] = above + Gradient::counted(weights[column]);
      gains_[node * columns_ + column] += Gradient::dot(own_[column], deltas_[pair]) + Gradient::dot(above, hidden);
    }
  }

  void hand_on(std::size_t child, std::size_t pair, const Value& around) {
    for (std::size_t column = 0; column < columns_; ++column) {
      const Value gradient = Gradient::factor(own_[column], around);
      if (pair != TreePairs::none) gradients_[pair * columns_ + column] += gradient;
      if constexpr (Rule::children_stand_alone) {
        gains_[child * columns_ + column] += z_ * Gradient::node(gradient, pairs_.nodes()[child].is_marked);
      }
    }
  }

  void collect(std::size_t first, std::span<double> out) const {
    for (std::size_t node = 0; node < pairs_.nodes().size(); ++node) {
      for (std::size_t column = 0; column < columns_; ++column) {
        const Points gained = counts_ * gains_[node * columns_ + column];
        for (const double gain : gained.at) out[node * machine_.outputs() + first + column] += gain;
      }
    }
  }

  const NodeShares& machine_;
  Pulse pulse_;
  TreePairs pairs_;
  std::vector<Value> deltas_;  // by pair, without what is hidden
  Rule rule_;
  std::size_t tree_ = SIZE_MAX;
  Points z_;
  Points counts_;
  std::size_t columns_ = 1;
  std::vector<Value> gradients_;  // by pair and column
  std::vector<Points> gains_;     // by node and column
  std::array<Value, most_columns> own_{};
};

}  // namespace gristmill::explain
