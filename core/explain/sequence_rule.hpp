// SPDX-License-Identifier: BSD-3-Clause
// Fragments that may skip children (PTK, K_lo) in which every node weighs z:
//
//   Delta(n, s) = factor * z * (base + sum over equally long subsequences of the children of
//                                      gap^(children skipped) * first * step^(length - 1) * prod Delta)
//
// A pair of children (i, j) has a Delta in the sum times all that may stand before it times all that may stand after
// it, which are two sweeps over the same recursion, from the left and from the right.
#pragma once
#include <algorithm>
#include <utility>

#include "explain/fragment_values.hpp"
#include "explain/tree_pairs.hpp"

namespace gristmill::explain {

template <class ValueType>
class SequenceRule {
 public:
  using Value = ValueType;
  static constexpr bool children_stand_alone = false;

  SequenceRule(const TreePairs& pairs, const std::vector<Value>& deltas, const Poll& poll)
      : pairs_(pairs), kernel_(pairs.kernel()), deltas_(deltas), poll_(poll) {}

  void set_weight(const Points& z) { z_ = z; }
  // What a pair counts only below others: the node alone (uPTK).
  [[nodiscard]] Value hidden(std::size_t node) const {
    return kernel_.constants ? Value{} : weighed(node, kernel_.factor * kernel_.base);
  }

  // Delta of a pair whose children have theirs, without what is hidden.
  [[nodiscard]] Value inside(std::size_t node, forest::Rank rank) {
    Value sum{};
    if (kernel_.constants) sum = Fragments<Value>::node(Points::all(kernel_.base), false);
    if (match(node, rank)) {
      sweep(false, kernel_.first, [&](std::size_t, std::size_t, const Value&, const Value& here) { sum += here; });
    }
    return weighed(node, kernel_.factor) * sum;
  }

  // sink(child, its pair, what it is multiplied by)
  template <class Sink>
  void outside(std::size_t node, forest::Rank rank, const Sink& sink) {
    if (!match(node, rank)) return;
    const std::size_t cells = matches_.size();
    before_.assign(lengths_ * cells, Value{});
    sweep(false, kernel_.first, [&](std::size_t cell, std::size_t length, const Value& ways, const Value&) {
      before_[length * cells + cell] = ways;
    });
    for (std::size_t at = cells; at < before_.size(); ++at) before_[at] += before_[at - cells];  // up to a length
    around_.assign(cells, Value{});
    sweep(true, 1, [&](std::size_t cell, std::size_t length, const Value& ways, const Value&) {
      around_[cell] += before_[(lengths_ - 1 - length) * cells + cell] * ways;
    });
    const Value own = weighed(node, kernel_.factor);
    for (std::size_t cell = 0; cell < cells; ++cell) {
      if (matches_[cell] == TreePairs::none) continue;
      sink(children_[cell / width_], matches_[cell], own * around_[cell]);
    }
  }

 private:
  [[nodiscard]] Value weighed(std::size_t node, double times) const {
    return Fragments<Value>::node(times * z_, pairs_.nodes()[node].is_marked);
  }

  // Which children make pairs; whether any do. Lengths are told apart only where there is a limit that matters.
  bool match(std::size_t node, forest::Rank rank) {
    children_ = pairs_.children(node);
    const std::span<const forest::SubtreeId> others = pairs_.others(rank);
    width_ = others.size();
    limited_ = kernel_.longest != 0 && kernel_.longest < std::min(children_.size(), width_);
    lengths_ = limited_ ? kernel_.longest : 1;
    matches_.clear();
    bool any = false;
    for (const std::uint32_t child : children_) {
      poll_(width_ + 1);
      for (const forest::SubtreeId other : others) {
        matches_.push_back(pairs_.find(child, other));
        any = any || matches_.back() != TreePairs::none;
      }
    }
    return any;
  }

  // visit(cell, length - 1, what may stand before, that times Delta) for all pairs of children, from the left or from
  // the right; subsequences begin with a weight.
  template <class Visit>
  void sweep(bool backwards, double begin, const Visit& visit) {
    last_.assign(lengths_ * (width_ + 1), Value{});
    next_.assign(last_.size(), Value{});
    for (std::size_t row = 0; row < children_.size(); ++row) {
      poll_(last_.size() * Points::count);
      for (std::size_t length = 0; length < lengths_; ++length) {
        const bool begins = !limited_ || length == 0;
        end_with(row, length, backwards, Fragments<Value>::node(Points::all(begins ? begin : 0), false), visit);
      }
      std::swap(last_, next_);
    }
  }

  // Subsequences of a length that end with the child of a row.
  template <class Visit>
  void end_with(std::size_t row, std::size_t length, bool backwards, const Value& start, const Visit& visit) {
    const std::size_t own = length * (width_ + 1);
    const std::size_t shorter = limited_ ? own - (width_ + 1) : own;  // there are none below the first length
    Value faded{};
    for (std::size_t j = 0; j < width_; ++j) {
      const std::size_t place = row * width_ + j;
      const std::size_t cell = backwards ? matches_.size() - 1 - place : place;
      faded = kernel_.gap * faded;
      if (matches_[cell] != TreePairs::none) {
        const Value ways = limited_ && length == 0 ? start : start + kernel_.step * last_[shorter + j];
        const Value here = delta(cell) * ways;
        visit(cell, length, ways, here);
        faded += here;
      }
      next_[own + j + 1] = kernel_.gap * last_[own + j + 1] + faded;
    }
  }

  [[nodiscard]] Value delta(std::size_t cell) const {
    const Value& known = deltas_[matches_[cell]];
    return kernel_.constants ? known : known + hidden(children_[cell / width_]);
  }

  const TreePairs& pairs_;
  const kernel::trees::TreeKernel& kernel_;
  const std::vector<Value>& deltas_;
  const Poll& poll_;
  Points z_;
  std::span<const std::uint32_t> children_;
  std::size_t width_ = 0;  // children of the other
  std::size_t lengths_ = 1;
  bool limited_ = false;
  std::vector<std::size_t> matches_;  // pairs of children, or none, child by child
  std::vector<Value> last_;           // [length, j]: what ended with the rows and columns before, faded
  std::vector<Value> next_;           // the same with one row more
  std::vector<Value> before_;         // [length, cell]
  std::vector<Value> around_;         // by cell
};

}  // namespace gristmill::explain
