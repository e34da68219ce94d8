// SPDX-License-Identifier: BSD-3-Clause
// Items of lists for SST, K_c and the marked K_c^r: subtrees, with the factor 1 + Delta. Without its Delta a factor is
// 1; with it, subtrees of one production stand for their children.
#pragma once
#include <utility>

#include "forest/subtrees.hpp"
#include "kernel/marked_value.hpp"
#include "operator/list.hpp"
#include "operator/productions.hpp"

namespace gristmill {

// What all threads share.
template <class Value>
struct ProductionFacts {
  const Subtrees& subtrees;
  const Productions& productions;
  double factor;
  std::vector<Value> self;  // Delta of a subtree with itself, 0 for leaves

  ProductionFacts(const Subtrees& trees, const Productions& rules, double weight)
      : subtrees(trees), productions(rules), factor(weight) {
    const Value one = Semiring<Value>::weight(1.0, false);
    self.reserve(trees.subtrees());
    for (SubtreeId id = 0; id < trees.subtrees(); ++id) {
      Value delta = trees.is_leaf(id) ? Value{} : this->weight(rules.of(id));
      for (const SubtreeId child : trees.children(id)) delta *= one + self[child];
      self.push_back(delta);
    }
  }

  [[nodiscard]] Value weight(ProductionId production) const { return weight(production, factor); }
  [[nodiscard]] Value weight(ProductionId production, double weight) const {
    return Semiring<Value>::weight(weight, productions.is_marked(production));
  }
};

template <class V>
class ProductionItems {
 public:
  using Value = V;
  static constexpr std::size_t largest_dense = 8;  // rows of lists that are not taken apart
  static constexpr bool splits = false;            // an item stands for several

  explicit ProductionItems(const ProductionFacts<Value>& facts) : facts_(facts) {}

  [[nodiscard]] Value dropped(Kind) const { return one_; }
  [[nodiscard]] Value same(Kind, Item item) const { return one_ + facts_.self[item]; }
  [[nodiscard]] Value pair(Kind, Item a, Item b) { return one_ + delta(a, b); }

  [[nodiscard]] std::size_t keys() const noexcept { return facts_.productions.size(); }
  // sink(cell, key, weight): what the item stands for.
  template <class Sink>
  void expand(Kind, Item item, Sink sink) const {
    if (!facts_.subtrees.is_leaf(item)) sink(item, facts_.productions.of(item), 1.0);
  }
  // What all cells with one key weigh.
  [[nodiscard]] Value weight(Kind, Item cell) const { return facts_.weight(facts_.productions.of(cell)); }
  void unfold_kinds(Kind kind, Item cell, std::vector<Kind>& kinds) const {
    kinds.resize(kinds.size() + facts_.subtrees.children(cell).size(), kind);
  }
  void unfold(Kind, Item cell, std::vector<Item>& items) const {
    const std::span<const SubtreeId> children = facts_.subtrees.children(cell);
    items.insert(items.end(), children.begin(), children.end());
  }

  // Steps taken since it was asked.
  [[nodiscard]] std::size_t take_work() { return std::exchange(work_, 0); }

 private:
  struct Frame {
    SubtreeId a;
    SubtreeId b;
    std::size_t next;
    Value product;
  };

  [[nodiscard]] bool differ(SubtreeId a, SubtreeId b) const {
    return facts_.productions.of(a) != facts_.productions.of(b) || facts_.subtrees.is_leaf(a);
  }

  [[nodiscard]] Value delta(SubtreeId a, SubtreeId b) {
    if (a == b) return facts_.self[a];
    if (differ(a, b)) return Value{};
    stack_.assign(1, open(a, b));
    for (;;) {
      Frame& frame = stack_.back();
      const std::span<const SubtreeId> left = facts_.subtrees.children(frame.a);
      const std::span<const SubtreeId> right = facts_.subtrees.children(frame.b);
      while (frame.next < left.size() &&
             (left[frame.next] == right[frame.next] || differ(left[frame.next], right[frame.next]))) {
        if (left[frame.next] == right[frame.next]) frame.product *= one_ + facts_.self[left[frame.next]];
        ++frame.next;
      }
      if (frame.next < left.size()) {
        const std::size_t next = frame.next++;
        stack_.push_back(open(left[next], right[next]));
        continue;
      }
      const Value value = frame.product;
      stack_.pop_back();
      ++work_;
      if (stack_.empty()) return value;
      stack_.back().product *= one_ + value;
    }
  }
  [[nodiscard]] Frame open(SubtreeId a, SubtreeId b) const {
    return {a, b, 0, facts_.weight(facts_.productions.of(a))};
  }

  const ProductionFacts<Value>& facts_;
  Value one_ = Semiring<Value>::weight(1.0, false);
  std::vector<Frame> stack_;
  std::size_t work_ = 0;
};

}  // namespace gristmill
