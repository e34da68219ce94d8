// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/operator/sequence_items.hpp"

namespace gristmill::kernel::gram {

Chains::Chains(const forest::Subtrees& subtrees) {
  std::unordered_map<std::uint64_t, Item> cells;
  of_.reserve(subtrees.subtrees());
  for (forest::SubtreeId id = 0; id < subtrees.subtrees(); ++id) {
    const std::span<const forest::SubtreeId> children = subtrees.children(id);
    Item chain = 0;
    for (std::size_t at = children.size(); at-- > 0;) {
      const std::uint64_t key = static_cast<std::uint64_t>(children[at]) << 32U | chain;
      const auto [found, is_new] = cells.try_emplace(key, static_cast<Item>(heads_.size()));
      if (is_new) {
        heads_.push_back(children[at]);
        tails_.push_back(chain);
      }
      chain = found->second;
    }
    of_.push_back(chain);
  }
}

template <class V>
auto SequenceItems<V>::pair(Kind kind, Item a, Item b) -> Value {
  if (a == 0 || b == 0) return dropped(kind);
  if (a < b) std::swap(a, b);  // one order, so that it does not matter who asks
  if (a == b) {
    const std::uint64_t key = static_cast<std::uint64_t>(kind) << 32U | a;
    if (const auto found = same_.find(key); found != same_.end()) return found->second;
    know_below(a, b);
    return same_[key] = whole(kind, a, b);
  }
  know_below(a, b);
  return whole(kind, a, b);
}

// Puts on the stack what all(...) of these sequences needs and nobody knows; whether there is anything.
template <class V>
bool SequenceItems<V>::push_unknown(Item a, Item b) {
  const std::size_t before = stack_.size();
  pushed_.clear();
  for (Item left = a; left != 0; left = facts_.tail(left)) {
    count(1);
    const forest::SubtreeId u = facts_.head(left);
    const Item below_u = facts_.chain(u);
    if (below_u == 0) continue;
    for (Item right = b; right != 0; right = facts_.tail(right)) {
      const forest::SubtreeId v = facts_.head(right);
      const Item below_v = facts_.chain(v);
      const std::uint64_t key = key_of(below_u, below_v);
      if (facts_.label(u) != facts_.label(v) || below_v == 0 || known_.contains(key)) continue;
      if (!pushed_.insert(key).second) continue;
      stack_.emplace_back(std::max(below_u, below_v), std::min(below_u, below_v));
    }
  }
  return stack_.size() != before;
}

template <class V>
void SequenceItems<V>::know_below(Item a, Item b) {
  if (known_.size() > most_known) known_.clear();
  stack_.clear();
  if (!push_unknown(a, b)) return;
  while (!stack_.empty()) {
    const auto [left, right] = stack_.back();
    if (known_.contains(key_of(left, right))) {  // somebody else needed it too
      stack_.pop_back();
      continue;
    }
    if (push_unknown(left, right)) continue;
    stack_.pop_back();
    known_.try_emplace(key_of(left, right), whole(all, left, right));
  }
}

// The sum over i, j that a position stands for, from the last children to the first. Lengths stand for layers, with one
// more child at most each: subsequences of any may begin anywhere.
template <class V>
auto SequenceItems<V>::sum(Kind kind, Item a, Item b) -> Value {
  const auto list = [this](Item cell, std::vector<forest::SubtreeId>& nodes) {
    nodes.clear();
    for (; cell != 0; cell = facts_.tail(cell)) nodes.push_back(facts_.head(cell));
    std::ranges::reverse(nodes);
  };
  list(a, lefts_);
  list(b, rights_);
  table_.start(kernel_, lefts_.size(), rights_.size(), kind == all || kernel_.longest == 0 ? kernel_.longest : kind);
  const std::size_t layers = table_.lengths();
  Value total{};
  for (const forest::SubtreeId left : lefts_) {
    count(table_.row_steps());
    for (std::size_t layer = 0; layer < layers; ++layer) {
      const Value found = begin_with(left, layer);
      if (layer + 1 == layers) total += found;
    }
    table_.next_row();
  }
  return kind == all ? total : table_.ended(layers - 1);
}

// With one left child, whatever comes after.
template <class V>
auto SequenceItems<V>::begin_with(forest::SubtreeId left, std::size_t layer) -> Value {
  const forest::Symbol label = facts_.label(left);
  Value total{};
  table_.end_row(
      layer, plain(1.0), [&](std::size_t j) { return facts_.label(rights_[j]) == label; },
      [&](std::size_t j) { return delta(left, rights_[j]); },
      [&](std::size_t, const Value&, const Value& here) { total += here; });
  return total;
}

template class SequenceItems<double>;
template class SequenceItems<trees::MarkedValue>;

}  // namespace gristmill::kernel::gram
