// SPDX-License-Identifier: BSD-3-Clause
// Items of lists for PTK, K_lo and the marked K_lo^r: sequences of children, as chains of cells (a child, and the
// rest). A position stands for one of two sums over a pair of sequences,
//   all     base + first * sum over i, j of Delta(a_i, b_j) * rest(a after i, b after j)
//   rest    1 + step * sum over i, j of gap^(i + j) * Delta(a_i, b_j) * rest(a after i, b after j)
// Where terminals weigh otherwise, the base of a pair with an empty sequence is another, base * terminals: that one is
// for all pairs, and sequences that are not empty stand for `inner`, too, which adds the rest of the base.
// where Delta(u, v) = factor * all(children of u, children of v) for equal labels. The weights gap^i and gap^j belong
// to one sequence each, which makes the sums linear: a sequence stands for each of its children together with the rest.
#pragma once
#include <memory>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "forest/query_graph.hpp"
#include "kernel/operator/tuple_list.hpp"
#include "kernel/trees/semiring.hpp"
#include "kernel/trees/subsequence_table.hpp"

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

// What all threads share: of nodes and chains of the support and, beyond those, of queries, where there are any. Chains
// of a query are cells beyond those of the support, one for each child.
template <class V>
class SequenceFacts {
 public:
  using Value = V;

  SequenceFacts(const trees::TreeKernel& kernel, const forest::Symbols& symbols, const forest::Subtrees& subtrees)
      : kernel_(kernel), subtrees_(subtrees), chains_(std::make_shared<const Chains>(subtrees)) {
    for (forest::Symbol label = 0; label < symbols.size(); ++label) is_marked_.push_back(symbols.mark(label) != 0);
  }
  [[nodiscard]] SequenceFacts with(const forest::QueryGraph& queries) const {
    SequenceFacts both = *this;
    both.queries_ = &queries;
    both.known_ = queries.known();
    both.cells_ = chains_->size();
    return both;
  }

  [[nodiscard]] const trees::TreeKernel& kernel() const noexcept { return kernel_; }
  [[nodiscard]] std::size_t labels() const noexcept { return is_marked_.size(); }
  [[nodiscard]] std::size_t cells() const noexcept { return chains_->size(); }  // of the support
  [[nodiscard]] Item chain(Item node) const noexcept {
    if (node < known_) return chains_->of(node);
    const std::size_t at = node - known_;
    return queries_->children(at).empty() ? 0 : static_cast<Item>(cells_ + queries_->first_link(at));
  }
  [[nodiscard]] Item head(Item cell) const noexcept {
    return cell < cells_ ? chains_->head(cell) : queries_->child(cell - cells_);
  }
  [[nodiscard]] Item tail(Item cell) const noexcept {
    if (cell < cells_) return chains_->tail(cell);
    return queries_->is_last(cell - cells_) ? 0 : cell + 1;
  }
  [[nodiscard]] forest::Symbol label(Item node) const noexcept {
    return node < known_ ? subtrees_.label(node) : queries_->label(node - known_);
  }
  // What a node with this label weighs, marked or not.
  [[nodiscard]] Value weight(forest::Symbol label) const {
    return trees::Semiring<Value>::weight(kernel_.factor, is_marked_[label]);
  }

 private:
  const trees::TreeKernel& kernel_;
  const forest::Subtrees& subtrees_;
  std::vector<bool> is_marked_;  // by symbol: others may add some
  std::shared_ptr<const Chains> chains_;
  const forest::QueryGraph* queries_ = nullptr;
  std::size_t known_ = SIZE_MAX;  // nodes of the support
  std::size_t cells_ = SIZE_MAX;
};

template <class V>
class SequenceItems : public CountedSteps {
 public:
  using Value = V;
  using Facts = SequenceFacts<Value>;
  static constexpr std::size_t largest_dense = 64;
  static constexpr bool splits = true;

  // Kinds of positions: all children, or the rest with so many still to be chosen at most.
  static constexpr Kind all = 0;
  static constexpr Kind any_number = UINT32_MAX;
  static constexpr Item inner = UINT32_MAX - 1;  // a cell that says that there are children, and nothing else

  explicit SequenceItems(const Facts& facts) : facts_(facts), kernel_(facts.kernel()) {}

  [[nodiscard]] Value dropped(Kind kind) const { return plain(kind == all ? kernel_.base_of(true) : 1.0); }
  [[nodiscard]] Value same(Kind kind, Item item) { return pair(kind, item, item); }
  [[nodiscard]] Value pair(Kind kind, Item a, Item b);
  // all(a, b) without what nodes count alone.
  [[nodiscard]] Value below(Item a, Item b) {
    if (a == 0 || b == 0) return Value{};
    if (a < b) std::swap(a, b);
    know_below(a, b);
    return kernel_.first * sum(all, a, b);
  }

  // Labels; where terminals weigh otherwise, 0 is for `inner` and labels come behind it.
  [[nodiscard]] std::size_t keys() const noexcept { return facts_.labels() + first_label(); }
  [[nodiscard]] bool counts_alone(std::uint32_t key) const noexcept { return key < first_label(); }
  template <class Sink>
  void expand(Kind kind, Item item, Sink sink) const {
    if (kind == all && item != 0 && first_label() != 0) sink(inner, 0U, 1.0);
    double weight = 1;
    for (; item != 0; item = facts_.tail(item)) {
      const forest::Symbol label = facts_.label(facts_.head(item));
      if (label < facts_.labels()) sink(item, label + first_label(), weight);  // queries may have others
      if (kind != all) weight *= kernel_.gap;
    }
  }
  [[nodiscard]] Value weight(Kind kind, Item cell) const {
    if (cell == inner) return plain(kernel_.base - kernel_.base_of(true));
    return (kind == all ? kernel_.first : kernel_.step) * facts_.weight(facts_.label(facts_.head(cell)));
  }
  void unfold_kinds(Kind kind, Item cell, std::vector<Kind>& kinds) const {
    if (cell == inner) return;
    kinds.push_back(all);
    if (const Kind left = left_after(kind); left != 0) kinds.push_back(left);
  }
  void unfold(Kind kind, Item cell, std::vector<Item>& items) const {
    if (cell == inner) return;
    items.push_back(facts_.chain(facts_.head(cell)));
    if (left_after(kind) != 0) items.push_back(facts_.tail(cell));
  }

 private:
  [[nodiscard]] std::uint32_t first_label() const noexcept { return kernel_.terminals != 1 ? 1 : 0; }
  [[nodiscard]] static Value plain(double value) { return trees::Semiring<Value>::plain(value); }
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
    return facts_.weight(facts_.label(u)) * (a == 0 || b == 0 ? dropped(all) : known_.at(key_of(a, b)));
  }
  [[nodiscard]] bool push_unknown(Item a, Item b);
  void know_below(Item a, Item b);
  [[nodiscard]] Value sum(Kind kind, Item a, Item b);
  [[nodiscard]] Value whole(Kind kind, Item a, Item b) {
    return plain(kind == all ? kernel_.base : 1.0) + (kind == all ? kernel_.first : kernel_.step) * sum(kind, a, b);
  }
  [[nodiscard]] Value begin_with(forest::SubtreeId left, std::size_t layer);

  static constexpr std::size_t most_known = std::size_t{1} << 21U;  // pairs that are remembered

  const Facts& facts_;
  const trees::TreeKernel& kernel_;
  std::unordered_map<std::uint64_t, Value> known_;  // all(a, b)
  std::unordered_map<std::uint64_t, Value> same_;   // of a kind and a sequence with itself
  std::vector<std::pair<Item, Item>> stack_;
  std::unordered_set<std::uint64_t> pushed_;  // keys, just now: children may be equal
  std::vector<forest::SubtreeId> lefts_;      // the sequences of a sum, the last children first
  std::vector<forest::SubtreeId> rights_;
  trees::SubsequenceTable<Value> table_;
};

extern template class SequenceItems<double>;
extern template class SequenceItems<trees::MarkedValue>;

}  // namespace gristmill::kernel::gram
