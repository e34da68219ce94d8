// SPDX-License-Identifier: BSD-3-Clause
// Delta of one subtree with all subtrees of an index that have its production (SST, K_c and the marked K_c^r), from
// those of its children. Work is done only where a child has the same production too: for every production, position
// and production of the child there, the index lists who has it.
#pragma once
#include <bit>
#include <memory>

#include "base/lists.hpp"
#include "base/stop.hpp"
#include "forest/tree_queries.hpp"
#include "kernel/trees/semiring.hpp"
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

  // Extends v's vector from the subtrees it covers to the first known[production]; vectors of its children, by subtree,
  // are extended already where they have one.
  void extend(const forest::TreeQueries& queries, forest::SubtreeId v, std::span<const std::uint32_t> known,
              std::span<const std::unique_ptr<Vector>> vectors, Vector& vector, Scratch& scratch, Pulse& pulse) const;

  // sink(rank, what Delta is above the constant) for all deeper pairs.
  template <class Sink>
  void visit(const forest::TreeQueries& queries, forest::SubtreeId v, const Vector& vector, Scratch&, Sink sink) const {
    const forest::ProductionId production = queries.production(v);
    const forest::SubtreeRank begin = index_.productions()[production].begin;
    const double constant = Semiring<Value>::counted(constants_[production]);
    const auto tell = [&](std::size_t at) {
      sink(begin + static_cast<forest::SubtreeRank>(at), Semiring<Value>::counted(vector.values[at]) - constant);
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
    visit(queries, v, vector, scratch, [&](forest::SubtreeRank rank, double above) { sum += above * weights[rank]; });
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
  std::vector<Value> constants_;             // per production
  std::vector<std::size_t> slots_;           // per production: the first of its positions
  Lists<forest::ProductionId> child_kinds_;  // per position: productions of the child there, ascending
  Lists<Holder> holders_;                    // per position and production of the child: ascending by parent
};

extern template class ProductionDeltas<double>;
extern template class ProductionDeltas<MarkedValue>;

}  // namespace gristmill::kernel::trees
