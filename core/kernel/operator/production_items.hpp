// SPDX-License-Identifier: BSD-3-Clause
// Items of lists for SST, K_c and the marked K_c^r: subtrees, with the factor 1 + Delta. Without its Delta a factor is
// 1; with it, subtrees of one production stand for their children.
#pragma once
#include <functional>
#include <utility>

#include "forest/productions.hpp"
#include "kernel/operator/tuple_list.hpp"
#include "kernel/trees/marked_value.hpp"

namespace gristmill::kernel::gram {

// What all threads share.
template <class V>
class ProductionFacts {
 public:
  using Value = V;

  ProductionFacts(const forest::Subtrees& subtrees, const forest::Productions& productions, double factor)
      : subtrees_(subtrees), productions_(productions), factor_(factor) {
    const Value one = trees::Semiring<Value>::weight(1.0, false);
    self_.reserve(subtrees.subtrees());
    for (forest::SubtreeId id = 0; id < subtrees.subtrees(); ++id) {
      Value delta = subtrees.is_leaf(id) ? Value{} : weight(productions.of(id));
      for (const forest::SubtreeId child : subtrees.children(id)) delta *= one + self_[child];
      self_.push_back(delta);
    }
  }

  [[nodiscard]] std::size_t productions() const noexcept { return productions_.size(); }
  [[nodiscard]] forest::ProductionId production(Item item) const noexcept { return productions_.of(item); }
  [[nodiscard]] std::span<const Item> children(Item item) const noexcept { return subtrees_.children(item); }
  [[nodiscard]] Value weight(forest::ProductionId production) const { return weight(production, factor_); }
  [[nodiscard]] Value weight(forest::ProductionId production, double weight) const {
    return trees::Semiring<Value>::weight(weight, productions_.is_marked(production));
  }
  // Delta of each subtree with itself, 0 for leaves.
  [[nodiscard]] const std::vector<Value>& self() const noexcept { return self_; }

 private:
  const forest::Subtrees& subtrees_;
  const forest::Productions& productions_;
  double factor_;
  std::vector<Value> self_;
};

template <class Facts>
class ProductionItems {
 public:
  using Value = typename Facts::Value;
  static constexpr std::size_t largest_dense = 8;  // rows of lists that are not taken apart
  static constexpr bool splits = false;            // an item stands for several

  explicit ProductionItems(const Facts& facts) : facts_(facts) {}

  [[nodiscard]] Value dropped(Kind) const { return one_; }
  [[nodiscard]] Value same(Kind, Item item) const { return one_ + facts_.self()[item]; }
  [[nodiscard]] Value pair(Kind, Item a, Item b) { return one_ + delta(a, b); }

  [[nodiscard]] std::size_t keys() const noexcept { return facts_.productions(); }
  // sink(cell, key, weight): what the item stands for.
  template <class Sink>
  void expand(Kind, Item item, Sink sink) const {
    if (!facts_.children(item).empty()) sink(item, facts_.production(item), 1.0);
  }
  // What all cells with one key weigh.
  [[nodiscard]] Value weight(Kind, Item cell) const { return facts_.weight(facts_.production(cell)); }
  void unfold_kinds(Kind kind, Item cell, std::vector<Kind>& kinds) const {
    kinds.resize(kinds.size() + facts_.children(cell).size(), kind);
  }
  void unfold(Kind, Item cell, std::vector<Item>& items) const {
    const std::span<const Item> children = facts_.children(cell);
    items.insert(items.end(), children.begin(), children.end());
  }
  // Steps taken since it was asked.
  [[nodiscard]] std::size_t take_work() { return std::exchange(work_, 0); }
  void set_poll(const std::function<void(std::size_t)>&) {}  // takes no long steps

 private:
  struct Frame {
    Item a;
    Item b;
    std::size_t next;
    Value product;
  };

  [[nodiscard]] bool differ(Item a, Item b) const {
    return facts_.production(a) != facts_.production(b) || facts_.children(a).empty();
  }

  [[nodiscard]] Value delta(Item a, Item b) {
    if (a == b) return facts_.self()[a];
    if (differ(a, b)) return Value{};
    stack_.assign(1, open(a, b));
    for (;;) {
      Frame& frame = stack_.back();
      const std::span<const Item> left = facts_.children(frame.a);
      const std::span<const Item> right = facts_.children(frame.b);
      while (frame.next < left.size() && is_simple(left[frame.next], right[frame.next], frame)) ++frame.next;
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
  // Children that are equal, or have nothing in common.
  [[nodiscard]] bool is_simple(Item a, Item b, Frame& frame) const {
    if (a != b) return differ(a, b);
    frame.product *= one_ + facts_.self()[a];
    return true;
  }
  [[nodiscard]] Frame open(Item a, Item b) const { return {a, b, 0, facts_.weight(facts_.production(a))}; }

  const Facts& facts_;
  Value one_ = trees::Semiring<Value>::weight(1.0, false);
  std::vector<Frame> stack_;
  std::size_t work_ = 0;
};

}  // namespace gristmill::kernel::gram
