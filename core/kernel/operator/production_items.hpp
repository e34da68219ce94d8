// SPDX-License-Identifier: BSD-3-Clause
// Items of lists for SST, K_c and the marked K_c^r: subtrees, with the factor 1 + Delta. Without its Delta a factor is
// 1; with it, subtrees of one production stand for their children.
#pragma once
#include <memory>
#include <unordered_map>

#include "forest/query_graph.hpp"
#include "kernel/operator/tuple_list.hpp"
#include "kernel/trees/semiring.hpp"

namespace gristmill::kernel::gram {

// What all threads share: of subtrees of the support and, beyond those, of queries, where there are any.
template <class V>
class ProductionFacts {
 public:
  using Value = V;

  ProductionFacts(const forest::Subtrees& subtrees, const forest::Productions& productions, double factor);
  [[nodiscard]] ProductionFacts with(const forest::QueryGraph& queries) const {
    ProductionFacts both = *this;
    both.queries_ = &queries;
    both.known_ = queries.known();
    return both;
  }

  [[nodiscard]] std::size_t productions() const noexcept { return productions_.size(); }
  [[nodiscard]] forest::ProductionId production(Item item) const noexcept {
    return item < known_ ? productions_.of(item) : queries_->production(item - known_);
  }
  [[nodiscard]] std::span<const Item> children(Item item) const noexcept {
    return item < known_ ? subtrees_.children(item) : queries_->children(item - known_);
  }
  [[nodiscard]] Value weight(forest::ProductionId production) const { return weight(production, factor_); }
  [[nodiscard]] Value weight(forest::ProductionId production, double weight) const {
    return trees::Semiring<Value>::weight(weight, productions_.is_marked(production));
  }
  // Delta of each subtree of the support with itself, 0 for leaves.
  [[nodiscard]] const std::vector<Value>& self() const noexcept { return *self_; }

 private:
  const forest::Subtrees& subtrees_;
  const forest::Productions& productions_;
  double factor_;
  std::shared_ptr<const std::vector<Value>> self_;
  const forest::QueryGraph* queries_ = nullptr;
  std::size_t known_ = SIZE_MAX;  // items that are subtrees of the support
};

template <class V>
class ProductionItems : public CountedSteps {
 public:
  using Value = V;
  using Facts = ProductionFacts<Value>;
  static constexpr std::size_t largest_dense = 8;  // rows of lists that are not taken apart
  static constexpr bool splits = false;            // an item stands for several

  explicit ProductionItems(const Facts& facts) : facts_(facts) {}

  [[nodiscard]] Value dropped(Kind) const { return one_; }
  [[nodiscard]] Value same(Kind, Item item) const { return one_ + facts_.self()[item]; }
  [[nodiscard]] Value pair(Kind, Item a, Item b) { return one_ + delta(a, b); }

  [[nodiscard]] std::size_t keys() const noexcept { return facts_.productions(); }
  [[nodiscard]] static bool counts_alone(std::uint32_t) noexcept { return false; }
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
    return differ(a, b) ? Value{} : unequal_delta(a, b);
  }
  [[nodiscard]] Value unequal_delta(Item a, Item b);
  // Children that are equal, have nothing in common, or were compared before.
  [[nodiscard]] bool is_simple(Item a, Item b, Frame& frame) const {
    if (a != b && differ(a, b)) return true;
    const Value* known = a == b ? &facts_.self()[a] : find(a, b);
    if (known == nullptr) return false;
    frame.product *= one_ + *known;
    return true;
  }
  [[nodiscard]] static std::uint64_t key_of(Item a, Item b) { return static_cast<std::uint64_t>(a) << 32U | b; }
  [[nodiscard]] const Value* find(Item a, Item b) const {
    if (known_.empty()) return nullptr;
    const auto found = known_.find(key_of(a, b));
    return found == known_.end() ? nullptr : &found->second;
  }
  [[nodiscard]] Frame open(Item a, Item b) const { return {a, b, 0, facts_.weight(facts_.production(a))}; }

  const Facts& facts_;
  Value one_ = trees::Semiring<Value>::one();
  std::vector<Frame> stack_;
  std::unordered_map<std::uint64_t, Value> known_;  // Delta of pairs below the one in question, once there are many
};

extern template class ProductionFacts<double>;
extern template class ProductionFacts<trees::MarkedValue>;
extern template class ProductionItems<double>;
extern template class ProductionItems<trees::MarkedValue>;

}  // namespace gristmill::kernel::gram
