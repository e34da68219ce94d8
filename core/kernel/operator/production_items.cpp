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

template <class V>
auto ProductionItems<V>::unequal_delta(Item a, Item b) -> Value {
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

template class ProductionFacts<double>;
template class ProductionFacts<trees::MarkedValue>;
template class ProductionItems<double>;
template class ProductionItems<trees::MarkedValue>;

}  // namespace gristmill::kernel::gram
