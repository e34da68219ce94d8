// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/operator/production_items.hpp"

namespace gristmill::kernel::gram {

template <class V>
ProductionFacts<V>::ProductionFacts(const forest::Subtrees& subtrees, const forest::Productions& productions,
                                    double factor)
    : subtrees_(subtrees), productions_(productions), factor_(factor) {
  const Value one = trees::Semiring<Value>::one();
  std::vector<Value> self;
  self.reserve(subtrees.subtrees());
  for (forest::SubtreeId id = 0; id < subtrees.subtrees(); ++id) {
    Value delta = subtrees.is_leaf(id) ? Value{} : weight(productions.of(id));
    for (const forest::SubtreeId child : subtrees.children(id)) delta *= one + self[child];
    self.push_back(delta);
  }
  self_ = std::make_shared<const std::vector<Value>>(std::move(self));
}

// Trees are graphs: the same pairs may come again and again, twice as often on every level. After so many pairs they
// are remembered; which values come out does not depend on it.
template <class V>
auto ProductionItems<V>::unequal_delta(Item a, Item b) -> Value {
  constexpr std::size_t few = 4096;
  constexpr std::size_t most_known = std::size_t{1} << 20U;
  known_.clear();
  stack_.assign(1, open(a, b));
  for (std::size_t pairs = 1;; ++pairs) {
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
    if (pairs > few && known_.size() < most_known) known_.emplace(key_of(frame.a, frame.b), value);
    stack_.pop_back();
    count(1);
    if (stack_.empty()) return value;
    stack_.back().product *= one_ + value;
  }
}

template class ProductionFacts<double>;
template class ProductionFacts<trees::MarkedValue>;
template class ProductionItems<double>;
template class ProductionItems<trees::MarkedValue>;

}  // namespace gristmill::kernel::gram
