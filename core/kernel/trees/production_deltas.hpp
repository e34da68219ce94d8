// SPDX-License-Identifier: BSD-3-Clause
// Delta of one subtree with all subtrees of an index that have its production (SST, K_c and the marked K_c^r), from
// those of its children. Work is done only where a child has the same production too: for every production, position
// and production of the child there, the index lists who has it.
#pragma once
#include <array>
#include <bit>

#include "forest/tree_queries.hpp"
#include "kernel/trees/marked_value.hpp"
#include "kernel/trees/tree_kernel.hpp"
#include "kernel/trees/weighted_sum.hpp"

namespace gristmill::kernel::trees {

template <class Value>
class ProductionDeltas {
 public:
  // Delta is as fast to compute as to remember (measured).
  static constexpr bool worth_keeping = false;

  // Delta(v, u) for the first subtrees u of v's production.
  struct Vector {
    std::vector<Value> values;
    std::vector<std::uint64_t> deeper;  // a bit for each u that shares more than the production, unless most do
    bool is_dense = false;

    void clear() noexcept {
      values.clear();
      deeper.clear();
      is_dense = false;
    }
    [[nodiscard]] std::size_t nbytes() const noexcept {
      return values.capacity() * sizeof(Value) + deeper.capacity() * sizeof(std::uint64_t);
    }
  };

  struct Scratch {};

  ProductionDeltas(const TreeKernel& kernel, const forest::SubtreeIndex& index);
  [[nodiscard]] Scratch make_scratch() const { return {}; }

  // Whether v has a vector at all: a subtree that can only share its production needs none.
  [[nodiscard]] bool has_vector(const forest::TreeQueries& queries, forest::SubtreeId v) const noexcept;

  // Extends v's vector from the subtrees it covers to the first known[production]; vector_of(child) gives those of the
  // children that have one, extended already.
  template <class VectorOf, class Poll>
  void extend(const forest::TreeQueries& queries, forest::SubtreeId v, std::span<const std::uint32_t> known,
              VectorOf vector_of, Vector& vector, Scratch& scratch, Poll poll) const;

  // sink(rank, what Delta is above the constant) for all deeper pairs.
  template <class Sink>
  void visit(const forest::TreeQueries& queries, forest::SubtreeId v, const Vector& vector, Scratch&, Sink sink) const {
    const forest::ProductionId production = queries.production(v);
    const forest::Rank begin = index_.productions()[production].begin;
    const double constant = Semiring<Value>::counted(constants_[production]);
    const auto tell = [&](std::size_t at) {
      sink(begin + static_cast<forest::Rank>(at), Semiring<Value>::counted(vector.values[at]) - constant);
    };
    if (vector.is_dense) {
      for (std::size_t at = 0; at < vector.values.size(); ++at) tell(at);
      return;
    }
    for (std::size_t word = 0; word < vector.deeper.size(); ++word) {
      for (std::uint64_t bits = vector.deeper[word]; bits != 0; bits &= bits - 1) {
        tell(64 * word + static_cast<std::size_t>(std::countr_zero(bits)));
      }
    }
  }

  // sum of weights[rank] * (what Delta is above the constant) over all deeper pairs.
  [[nodiscard]] double dot(const forest::TreeQueries& queries, forest::SubtreeId v, const Vector& vector,
                           Scratch& scratch, std::span<const double> weights) const {
    const forest::ProductionId production = queries.production(v);
    if (vector.is_dense) {
      return weighted_sum(vector.values.data(), Semiring<Value>::counted(constants_[production]),
                          weights.data() + index_.productions()[production].begin, vector.values.size());
    }
    double sum = 0;
    visit(queries, v, vector, scratch, [&](forest::Rank rank, double above) { sum += above * weights[rank]; });
    return sum;
  }

  [[nodiscard]] std::size_t nbytes() const noexcept;

 private:
  // A subtree by its place in its production, and a child of it by the place in its own.
  struct Holder {
    std::uint32_t parent;
    std::uint32_t child;
  };

  void list_holders();
  // Those of subtrees from..to.
  [[nodiscard]] static std::span<const Holder> between(std::span<const Holder> all, std::uint32_t from,
                                                       std::uint32_t to) {
    const auto begin = from == 0 ? all.begin() : std::ranges::lower_bound(all, from, {}, &Holder::parent);
    return {begin, std::ranges::lower_bound(begin, all.end(), to, {}, &Holder::parent)};
  }
  static void mark(std::span<const Holder> found, std::vector<std::uint64_t>& bits) {
    for (const Holder& holder : found) bits[holder.parent / 64] |= std::uint64_t{1} << (holder.parent % 64);
  }
  static void multiply(std::span<const Holder> found, const Vector* child, Value constant, Value* values);
  [[nodiscard]] std::span<const Holder> holders(forest::ProductionId parent, std::size_t position,
                                                forest::ProductionId child) const;

  const forest::SubtreeIndex& index_;
  std::vector<Value> constants_;            // per production
  std::vector<std::size_t> slot_starts_;    // per production: its positions
  std::vector<std::size_t> key_starts_;     // per production and position: productions of the child there
  std::vector<forest::ProductionId> keys_;  // ascending
  std::vector<std::size_t> holder_starts_;  // per key
  std::vector<Holder> holders_;             // ascending by parent
};

template <class Value>
ProductionDeltas<Value>::ProductionDeltas(const TreeKernel& kernel, const forest::SubtreeIndex& index) : index_(index) {
  for (const auto& production : index.productions()) {
    const bool marked = production.marked;
    constants_.push_back(Semiring<Value>::weight(production.is_leaf() ? 0.0 : kernel.factor, marked));
  }
  list_holders();
}

template <class Value>
void ProductionDeltas<Value>::list_holders() {
  struct Found {
    forest::ProductionId key;
    Holder holder;
  };
  std::vector<Found> found;
  slot_starts_.push_back(0);
  key_starts_.push_back(0);
  for (const auto& production : index_.productions()) {
    for (std::size_t position = 0; position < production.children.size(); ++position) {
      found.clear();
      for (forest::Rank rank = production.begin; rank < production.end; ++rank) {
        const forest::SubtreeId child = index_.set().children(index_.subtree(rank))[position];
        if (index_.set().is_leaf(child)) continue;
        const forest::ProductionId key = index_.production(child);
        found.push_back({key, {rank - production.begin, index_.rank(child) - index_.productions()[key].begin}});
      }
      std::ranges::stable_sort(found, {}, &Found::key);
      for (const Found& one : found) {
        if (keys_.size() == key_starts_.back() || keys_.back() != one.key) {
          keys_.push_back(one.key);
          holder_starts_.push_back(holders_.size());
        }
        holders_.push_back(one.holder);
      }
      key_starts_.push_back(keys_.size());
    }
    slot_starts_.push_back(key_starts_.size() - 1);
  }
  holder_starts_.push_back(holders_.size());
}

template <class Value>
auto ProductionDeltas<Value>::holders(forest::ProductionId parent, std::size_t position,
                                      forest::ProductionId child) const -> std::span<const Holder> {
  const std::size_t slot = slot_starts_[parent] + position;
  const auto begin = keys_.begin() + static_cast<std::ptrdiff_t>(key_starts_[slot]);
  const auto end = keys_.begin() + static_cast<std::ptrdiff_t>(key_starts_[slot + 1]);
  const auto at = std::lower_bound(begin, end, child);
  if (at == end || *at != child) return {};
  const auto key = static_cast<std::size_t>(at - keys_.begin());
  return {holders_.data() + holder_starts_[key], holders_.data() + holder_starts_[key + 1]};
}

template <class Value>
bool ProductionDeltas<Value>::has_vector(const forest::TreeQueries& queries, forest::SubtreeId v) const noexcept {
  if (queries.production(v) == forest::TreeQueries::none) return false;
  return std::ranges::any_of(queries.set().children(v), [&](forest::SubtreeId child) {
    return queries.production(child) != forest::TreeQueries::none && !queries.set().is_leaf(child);
  });
}

template <class Value>
template <class VectorOf, class Poll>
void ProductionDeltas<Value>::extend(const forest::TreeQueries& queries, forest::SubtreeId v,
                                     std::span<const std::uint32_t> known, VectorOf vector_of, Vector& vector, Scratch&,
                                     Poll) const {
  const forest::ProductionId production = queries.production(v);
  const auto from = static_cast<std::uint32_t>(vector.values.size());
  const std::uint32_t to = known[production];
  vector.values.resize(to, constants_[production]);
  vector.deeper.resize((to + std::size_t{63}) / 64, 0);
  const std::span<const forest::SubtreeId> children = queries.set().children(v);
  for (std::size_t position = 0; position < children.size(); ++position) {
    const forest::SubtreeId child = children[position];
    const forest::ProductionId child_production = queries.production(child);
    if (child_production == forest::TreeQueries::none || queries.set().is_leaf(child)) continue;
    const std::span<const Holder> found = between(holders(production, position, child_production), from, to);
    vector.is_dense = vector.is_dense || 2 * found.size() > to;
    if (!vector.is_dense) mark(found, vector.deeper);
    multiply(found, vector_of(child), constants_[child_production], vector.values.data());
  }
}

// values[parent] *= 1 + Delta of the child.
template <class Value>
void ProductionDeltas<Value>::multiply(std::span<const Holder> found, const Vector* child, Value constant,
                                       Value* values) {
  const Value one = Semiring<Value>::weight(1.0, false);
  if (child == nullptr) {
    const Value scale = one + constant;
    for (const Holder& holder : found) values[holder.parent] *= scale;
    return;
  }
  const Value* const deltas = child->values.data();
  for (const Holder& holder : found) values[holder.parent] *= one + deltas[holder.child];
}

template <class Value>
std::size_t ProductionDeltas<Value>::nbytes() const noexcept {
  return constants_.size() * sizeof(Value) + keys_.size() * sizeof(forest::ProductionId) +
         holders_.size() * sizeof(Holder) +
         (slot_starts_.size() + key_starts_.size() + holder_starts_.size()) * sizeof(std::size_t);
}

}  // namespace gristmill::kernel::trees
