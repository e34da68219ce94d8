// SPDX-License-Identifier: BSD-3-Clause
// Fragments of whole productions (SST, K_c) in which every node weighs z:
//
//   Delta(n, s) = factor * z * prod over children of (z + Delta(child of n, child of s))
//
// where a child that goes no further is z alone.
#pragma once
#include "explain/gradients.hpp"
#include "explain/tree_pairs.hpp"

namespace gristmill::explain {

template <class ValueType>
class ProductionRule {
 public:
  using Value = ValueType;
  static constexpr bool children_stand_alone = true;

  ProductionRule(const TreePairs& pairs, const std::vector<Value>& deltas, Pulse& pulse)
      : pairs_(pairs), deltas_(deltas), pulse_(pulse) {}

  void set_weight(const Points& z) { z_ = z; }
  // What a pair counts only below others.
  [[nodiscard]] static Value hidden(std::size_t, bool) { return {}; }

  // Delta of a pair whose children have theirs.
  [[nodiscard]] Value inside(std::size_t node, forest::SubtreeRank rank) {
    const std::span<const std::uint32_t> children = pairs_.children(node);
    const std::span<const forest::SubtreeId> others = pairs_.others(rank);
    pulse_(children.size() * Points::count);
    Value product = alone(node, pairs_.kernel().factor);
    for (std::size_t j = 0; j < children.size(); ++j)
      product *= factor(children[j], pairs_.find(children[j], others[j]));
    return product;
  }

  // sink(child, its pair or none, what it is multiplied by)
  template <class Sink>
  void outside(std::size_t node, forest::SubtreeRank rank, const Sink& sink) {
    const std::span<const std::uint32_t> children = pairs_.children(node);
    const std::span<const forest::SubtreeId> others = pairs_.others(rank);
    pulse_(3 * children.size() * Points::count);
    before_.assign(1, alone(node, pairs_.kernel().factor));
    factors_.clear();
    for (std::size_t j = 0; j < children.size(); ++j) {
      factors_.push_back(factor(children[j], pairs_.find(children[j], others[j])));
      before_.push_back(before_[j] * factors_[j]);
    }
    Value after = Semiring<Value>::one();
    for (std::size_t j = children.size(); j-- > 0;) {
      sink(children[j], pairs_.find(children[j], others[j]), before_[j] * after);
      after *= factors_[j];
    }
  }

 private:
  [[nodiscard]] Value alone(std::size_t node, double times) const {
    return Semiring<Value>::weight(times * z_, pairs_.nodes()[node].is_marked);
  }
  [[nodiscard]] Value factor(std::size_t child, std::size_t pair) const {
    return pair == TreePairs::none ? alone(child, 1) : alone(child, 1) + deltas_[pair];
  }

  const TreePairs& pairs_;
  const std::vector<Value>& deltas_;
  Pulse& pulse_;
  Points z_;
  std::vector<Value> factors_;  // of the children
  std::vector<Value> before_;   // products of those before
};

}  // namespace gristmill::explain
