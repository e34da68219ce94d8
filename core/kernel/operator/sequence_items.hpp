// SPDX-License-Identifier: BSD-3-Clause
// Items of lists for PTK, K_lo and the marked K_lo^r: sequences of children, as chains of cells (a child, and the
// rest). A position stands for one of two sums over a pair of sequences,
//   all     base + first * sum over i, j of Delta(a_i, b_j) * rest(a after i, b after j)
//   rest    1 + step * sum over i, j of gap^(i + j) * Delta(a_i, b_j) * rest(a after i, b after j)
// where Delta(u, v) = factor * all(children of u, children of v) for equal labels. The weights gap^i and gap^j belong
// to one sequence each, which makes the sums linear: a sequence stands for each of its children together with the rest.
#pragma once
#include <functional>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "forest/subtrees.hpp"
#include "kernel/operator/tuple_list.hpp"
#include "kernel/trees/marked_value.hpp"
#include "kernel/trees/tree_kernel.hpp"

namespace gristmill::kernel::gram {

// Sequences of children that share their ends. 0 is the empty one.
class Chains {
 public:
  explicit Chains(const forest::Subtrees& subtrees);

  [[nodiscard]] Item of(forest::SubtreeId node) const noexcept { return of_[node]; }
  [[nodiscard]] forest::SubtreeId head(Item cell) const noexcept { return heads_[cell]; }
  [[nodiscard]] Item tail(Item cell) const noexcept { return tails_[cell]; }
  [[nodiscard]] std::size_t size() const noexcept { return heads_.size(); }

 private:
  std::vector<Item> of_;  // the children of a subtree
  std::vector<forest::SubtreeId> heads_{0};
  std::vector<Item> tails_{0};
};

// What all threads share.
template <class V>
class SequenceFacts {
 public:
  using Value = V;

  SequenceFacts(const trees::TreeKernel& kernel, const forest::Symbols& symbols, const forest::Subtrees& subtrees)
      : kernel_(kernel), subtrees_(subtrees), chains_(subtrees) {
    for (forest::Symbol label = 0; label < symbols.size(); ++label) is_marked_.push_back(symbols.mark(label) != 0);
  }

  [[nodiscard]] const trees::TreeKernel& kernel() const noexcept { return kernel_; }
  [[nodiscard]] std::size_t labels() const noexcept { return is_marked_.size(); }
  [[nodiscard]] std::size_t cells() const noexcept { return chains_.size(); }
  [[nodiscard]] Item chain(forest::SubtreeId node) const noexcept { return chains_.of(node); }
  [[nodiscard]] forest::SubtreeId head(Item cell) const noexcept { return chains_.head(cell); }
  [[nodiscard]] Item tail(Item cell) const noexcept { return chains_.tail(cell); }
  [[nodiscard]] forest::Symbol label(forest::SubtreeId node) const noexcept { return subtrees_.label(node); }
  // What a node with this label weighs, marked or not.
  [[nodiscard]] Value weight(forest::Symbol label) const {
    return trees::Semiring<Value>::weight(kernel_.factor, is_marked_[label]);
  }

 private:
  const trees::TreeKernel& kernel_;
  const forest::Subtrees& subtrees_;
  std::vector<bool> is_marked_;  // by symbol: others may add some
  Chains chains_;
};

template <class Facts>
class SequenceItems {
 public:
  using Value = typename Facts::Value;
  static constexpr std::size_t largest_dense = 64;
  static constexpr bool splits = true;

  // Kinds of positions: all children, or the rest with so many still to be chosen at most.
  static constexpr Kind all = 0;
  static constexpr Kind any_number = UINT32_MAX;

  explicit SequenceItems(const Facts& facts) : facts_(facts), kernel_(facts.kernel()) {}

  [[nodiscard]] Value dropped(Kind kind) const { return plain(kind == all ? kernel_.base : 1.0); }
  [[nodiscard]] Value same(Kind kind, Item item) { return pair(kind, item, item); }
  [[nodiscard]] Value pair(Kind kind, Item a, Item b);
  // all(a, b) without what nodes count alone.
  [[nodiscard]] Value below(Item a, Item b) {
    if (a == 0 || b == 0) return Value{};
    if (a < b) std::swap(a, b);
    know_below(a, b);
    return kernel_.first * sum(all, a, b);
  }

  [[nodiscard]] std::size_t keys() const noexcept { return facts_.labels(); }
  template <class Sink>
  void expand(Kind kind, Item item, Sink sink) const {
    double weight = 1;
    for (; item != 0; item = facts_.tail(item)) {
      sink(item, facts_.label(facts_.head(item)), weight);
      if (kind != all) weight *= kernel_.gap;
    }
  }
  [[nodiscard]] Value weight(Kind kind, Item cell) const {
    return (kind == all ? kernel_.first : kernel_.step) * facts_.weight(facts_.label(facts_.head(cell)));
  }
  void unfold_kinds(Kind kind, Item, std::vector<Kind>& kinds) const {
    kinds.push_back(all);
    if (const Kind left = left_after(kind); left != 0) kinds.push_back(left);
  }
  void unfold(Kind kind, Item cell, std::vector<Item>& items) const {
    items.push_back(facts_.chain(facts_.head(cell)));
    if (left_after(kind) != 0) items.push_back(facts_.tail(cell));
  }

  // Steps taken since it was asked, or told.
  [[nodiscard]] std::size_t take_work() { return std::exchange(work_, 0); }
  // poll(steps since) is called in the midst of long sums.
  void set_poll(std::function<void(std::size_t)> poll) { poll_ = std::move(poll); }

 private:
  [[nodiscard]] static Value plain(double value) { return trees::Semiring<Value>::weight(value, false); }
  [[nodiscard]] static std::uint64_t key_of(std::uint32_t a, std::uint32_t b) {
    return static_cast<std::uint64_t>(std::max(a, b)) << 32U | std::min(a, b);
  }
  // How many children may be chosen after one is.
  [[nodiscard]] Kind left_after(Kind kind) const {
    if (kernel_.longest == 0) return any_number;
    return (kind == all ? static_cast<Kind>(std::min<std::size_t>(kernel_.longest, any_number - 1)) : kind) - 1;
  }

  // Delta of two nodes with equal labels; their children must be known unless there are none.
  [[nodiscard]] Value delta(forest::SubtreeId u, forest::SubtreeId v) const {
    const Item a = facts_.chain(u);
    const Item b = facts_.chain(v);
    return facts_.weight(facts_.label(u)) * (a == 0 || b == 0 ? plain(kernel_.base) : known_.at(key_of(a, b)));
  }
  void count(std::size_t steps) {
    work_ += steps;
    if (work_ > long_ && poll_) poll_(take_work());
  }
  [[nodiscard]] bool push_unknown(Item a, Item b);
  void know_below(Item a, Item b);
  [[nodiscard]] Value sum(Kind kind, Item a, Item b);
  [[nodiscard]] Value whole(Kind kind, Item a, Item b) {
    return dropped(kind) + (kind == all ? kernel_.first : kernel_.step) * sum(kind, a, b);
  }
  [[nodiscard]] Value add_row(forest::SubtreeId left, std::size_t layer, bool is_free, Value* sums) const;

  static constexpr std::size_t long_ = std::size_t{1} << 16U;       // steps without a word
  static constexpr std::size_t most_known = std::size_t{1} << 21U;  // pairs that are remembered

  const Facts& facts_;
  const trees::TreeKernel& kernel_;
  std::size_t work_ = 0;
  std::function<void(std::size_t)> poll_;
  std::unordered_map<std::uint64_t, Value> known_;  // all(a, b)
  std::unordered_map<std::uint64_t, Value> same_;   // of a kind and a sequence with itself
  std::vector<std::pair<Item, Item>> stack_;
  std::unordered_set<std::uint64_t> pushed_;  // keys, just now: children may be equal
  std::vector<forest::SubtreeId> lefts_;      // the sequences of a sum
  std::vector<forest::SubtreeId> rights_;
  std::vector<Value> sums_;
};

inline Chains::Chains(const forest::Subtrees& subtrees) {
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

template <class Facts>
auto SequenceItems<Facts>::pair(Kind kind, Item a, Item b) -> Value {
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
template <class Facts>
bool SequenceItems<Facts>::push_unknown(Item a, Item b) {
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

template <class Facts>
void SequenceItems<Facts>::know_below(Item a, Item b) {
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

// The sum over i, j that a position stands for, from the last children to the first; sums_[layer, j] is what rest()
// adds to 1 for the children after this left one and from right child j on, with `layer` + 1 children at most. Nothing
// is subtracted.
template <class Facts>
auto SequenceItems<Facts>::sum(Kind kind, Item a, Item b) -> Value {
  rights_.clear();
  for (Item cell = b; cell != 0; cell = facts_.tail(cell)) rights_.push_back(facts_.head(cell));
  lefts_.clear();
  for (Item cell = a; cell != 0; cell = facts_.tail(cell)) lefts_.push_back(facts_.head(cell));
  const std::size_t shorter = std::min(lefts_.size(), rights_.size());
  const std::size_t limit = kernel_.longest == 0 ? shorter : kind == all ? kernel_.longest : kind;
  const bool is_free = limit >= shorter;  // then lengths need not be told apart
  const std::size_t layers = is_free ? 1 : limit;
  const std::size_t width = rights_.size() + 1;
  sums_.assign(layers * width, Value{});
  Value total{};
  for (std::size_t at = lefts_.size(); at-- > 0;) {
    count(width * layers);
    for (std::size_t layer = layers; layer-- > 0;) {
      const Value found = add_row(lefts_[at], layer, is_free, sums_.data() + layer * width);
      if (layer + 1 == layers) total += found;
    }
  }
  return kind == all ? total : sums_[(layers - 1) * width];
}

// One left child; what begins with it, whatever comes after.
template <class Facts>
auto SequenceItems<Facts>::add_row(forest::SubtreeId left, std::size_t layer, bool is_free, Value* sums) const
    -> Value {
  const std::size_t width = rights_.size() + 1;
  const Value* shorter = is_free ? sums : layer == 0 ? nullptr : sums - width;
  Value total{};
  Value row{};
  Value after{};  // what stood at the right child behind, before this left one
  for (std::size_t j = rights_.size(); j-- > 0;) {
    Value here{};
    if (facts_.label(left) == facts_.label(rights_[j])) {
      const Value rest = shorter == nullptr ? Value{} : is_free ? after : shorter[j + 1];
      here = delta(left, rights_[j]) * (plain(1.0) + kernel_.step * rest);
    }
    total += here;
    row = here + kernel_.gap * row;
    after = sums[j];
    sums[j] = row + kernel_.gap * sums[j];
  }
  return total;
}

}  // namespace gristmill::kernel::gram
