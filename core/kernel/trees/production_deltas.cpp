// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/trees/production_deltas.hpp"

#include <algorithm>

namespace gristmill::kernel::trees {

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
  slots_.push_back(0);
  for (const auto& production : index_.productions()) {
    for (std::size_t position = 0; position < production.children.size(); ++position) {
      found.clear();
      for (forest::SubtreeRank rank = production.begin; rank < production.end; ++rank) {
        const forest::SubtreeId child = index_.set().children(index_.subtree(rank))[position];
        if (index_.set().is_leaf(child)) continue;
        const forest::ProductionId key = index_.production(child);
        found.push_back({key, {rank - production.begin, index_.rank(child) - index_.productions()[key].begin}});
      }
      std::ranges::stable_sort(found, {}, &Found::key);
      for (auto at = found.begin(); at != found.end();) {
        const forest::ProductionId key = at->key;
        child_kinds_.push(key);
        for (; at != found.end() && at->key == key; ++at) holders_.push(at->holder);
        holders_.close();
      }
      child_kinds_.close();
    }
    slots_.push_back(child_kinds_.size());
  }
}

template <class Value>
auto ProductionDeltas<Value>::holders(forest::ProductionId parent, std::size_t position,
                                      forest::ProductionId child) const -> std::span<const Holder> {
  const std::span<const forest::ProductionId> kinds = child_kinds_[slots_[parent] + position];
  const auto at = std::ranges::lower_bound(kinds, child);
  if (at == kinds.end() || *at != child) return {};
  return holders_[static_cast<std::size_t>(&*at - child_kinds_.items().data())];
}

template <class Value>
bool ProductionDeltas<Value>::has_vector(const forest::TreeQueries& queries, forest::SubtreeId v) const noexcept {
  if (queries.production(v) == forest::TreeQueries::none) return false;
  return std::ranges::any_of(queries.set().children(v), [&](forest::SubtreeId child) {
    return queries.production(child) != forest::TreeQueries::none && !queries.set().is_leaf(child);
  });
}

template <class Value>
void ProductionDeltas<Value>::extend(const forest::TreeQueries& queries, forest::SubtreeId v,
                                     std::span<const std::uint32_t> known,
                                     std::span<const std::unique_ptr<Vector>> vectors, Vector& vector, Scratch&,
                                     Pulse&) const {
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
    multiply(found, vectors[child].get(), constants_[child_production], vector.values.data());
  }
}

// values[parent] *= 1 + Delta of the child.
template <class Value>
void ProductionDeltas<Value>::multiply(std::span<const Holder> found, const Vector* child, Value constant,
                                       Value* values) {
  const Value one = Semiring<Value>::one();
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
  return constants_.size() * sizeof(Value) + slots_.size() * sizeof(std::size_t) + child_kinds_.nbytes() +
         holders_.nbytes();
}

template class ProductionDeltas<double>;
template class ProductionDeltas<MarkedValue>;

}  // namespace gristmill::kernel::trees
