// SPDX-License-Identifier: BSD-3-Clause
// Fragments that may skip children (PTK, K_lo) in which every node weighs z:
//
//   Delta(n, s) = factor * z * (base + sum over equally long subsequences of the children of
//                                      gap^(children skipped) * first * step^(length - 1) * prod Delta)
//
// A pair of children (i, j) has a Delta in the sum times all that may stand before it times all that may stand after
// it, which are two sweeps over the same recursion, from the left and from the right.
#pragma once
#include "explain/gradients.hpp"
#include "explain/tree_pairs.hpp"
#include "kernel/trees/subsequence_table.hpp"

namespace gristmill::explain {

template <class ValueType>
class SequenceRule {
 public:
  using Value = ValueType;
  static constexpr bool children_stand_alone = false;

  SequenceRule(const TreePairs& pairs, const std::vector<Value>& deltas, Pulse& pulse)
      : pairs_(pairs), kernel_(pairs.kernel()), deltas_(deltas), pulse_(pulse) {}

  void set_weight(const Points& z) { z_ = z; }
  // What a pair counts only below others: the node alone (uPTK). is_leaf: whether the other one of the pair is.
  [[nodiscard]] Value hidden(std::size_t node, bool is_leaf) const {
    return kernel_.constants ? Value{} : weighed(node, kernel_.factor * base(node, is_leaf));
  }

  // Delta of a pair whose children have theirs, without what is hidden.
  [[nodiscard]] Value inside(std::size_t node, forest::SubtreeRank rank) {
    Value sum{};
    if (kernel_.constants) sum = Semiring<Value>::plain(base(node, pairs_.others(rank).empty()));
    if (match(node, rank)) {
      sweep(false, kernel_.first, [&](std::size_t, std::size_t, const Value&, const Value& here) { sum += here; });
    }
    return weighed(node, kernel_.factor) * sum;
  }

  // sink(child, its pair, what it is multiplied by)
  template <class Sink>
  void outside(std::size_t node, forest::SubtreeRank rank, const Sink& sink) {
    if (!match(node, rank)) return;
    const std::size_t cells = matches_.size();
    start_table();
    before_.assign(table_.lengths() * cells, Value{});
    sweep(false, kernel_.first, [&](std::size_t cell, std::size_t length, const Value& ways, const Value&) {
      before_[length * cells + cell] = ways;
    });
    for (std::size_t at = cells; at < before_.size(); ++at) before_[at] += before_[at - cells];  // up to a length
    around_.assign(cells, Value{});
    sweep(true, 1, [&](std::size_t cell, std::size_t length, const Value& ways, const Value&) {
      around_[cell] += before_[(table_.lengths() - 1 - length) * cells + cell] * ways;
    });
    const Value own = weighed(node, kernel_.factor);
    for (std::size_t cell = 0; cell < cells; ++cell) {
      if (matches_[cell] == TreePairs::none) continue;
      sink(children_[cell / width_], matches_[cell], own * around_[cell]);
    }
  }

 private:
  [[nodiscard]] double base(std::size_t node, bool is_leaf) const {
    return kernel_.base_of(is_leaf || pairs_.children(node).empty());
  }
  [[nodiscard]] Value weighed(std::size_t node, double times) const {
    return Semiring<Value>::weight(times * z_, pairs_.nodes()[node].is_marked);
  }

  // Which children make pairs; whether any do.
  bool match(std::size_t node, forest::SubtreeRank rank) {
    children_ = pairs_.children(node);
    others_ = pairs_.others(rank);
    width_ = others_.size();
    matches_.clear();
    bool any = false;
    for (const std::uint32_t child : children_) {
      pulse_(width_ + 1);
      for (const forest::SubtreeId other : others_) {
        matches_.push_back(pairs_.find(child, other));
        any = any || matches_.back() != TreePairs::none;
      }
    }
    return any;
  }

  void start_table() { table_.start(kernel_, children_.size(), width_, kernel_.longest); }

  // visit(cell, length - 1, what may stand before, that times Delta) for all pairs of children, from the left or from
  // the right; subsequences begin with a weight.
  template <class Visit>
  void sweep(bool backwards, double begin, const Visit& visit) {
    start_table();
    for (std::size_t row = 0; row < children_.size(); ++row) {
      pulse_(table_.row_steps() * Points::count);
      const auto cell = [&, this](std::size_t j) {
        const std::size_t place = row * width_ + j;
        return backwards ? matches_.size() - 1 - place : place;
      };
      for (std::size_t length = 0; length < table_.lengths(); ++length) {
        table_.end_row(
            length, Semiring<Value>::plain(table_.may_begin(length) ? begin : 0),
            [&](std::size_t j) { return matches_[cell(j)] != TreePairs::none; },
            [&](std::size_t j) { return delta(cell(j)); },
            [&](std::size_t j, const Value& before, const Value& here) { visit(cell(j), length, before, here); });
      }
      table_.next_row();
    }
  }

  [[nodiscard]] Value delta(std::size_t cell) const {
    const Value& known = deltas_[matches_[cell]];
    if (kernel_.constants) return known;
    return known + hidden(children_[cell / width_], pairs_.is_leaf(others_[cell % width_]));
  }

  const TreePairs& pairs_;
  const kernel::trees::TreeKernel& kernel_;
  const std::vector<Value>& deltas_;
  Pulse& pulse_;
  Points z_;
  std::span<const std::uint32_t> children_;
  std::span<const forest::SubtreeId> others_;
  std::size_t width_ = 0;             // of these
  std::vector<std::size_t> matches_;  // pairs of children, or none, child by child
  kernel::trees::SubsequenceTable<Value> table_;
  std::vector<Value> before_;  // [length, cell]
  std::vector<Value> around_;  // by cell
};

}  // namespace gristmill::explain
