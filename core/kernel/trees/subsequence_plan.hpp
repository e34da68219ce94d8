// SPDX-License-Identifier: BSD-3-Clause
// factor * (sum over equally long subsequences of two lists of children of gap^skipped * first * step^(length-1)
// * prod Delta), for one list and many others that have the same labels. Only pairs of children with equal labels
// matter: with m of them the cost is m^2 / 2, or that of a table over both lists where they are many.
#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <span>
#include <vector>

#include "base/stop.hpp"
#include "base/variants.hpp"
#include "forest/subtree_index.hpp"
#include "kernel/trees/match_cache.hpp"
#include "kernel/trees/semiring.hpp"
#include "kernel/trees/subsequence_table.hpp"
#include "kernel/trees/tree_kernel.hpp"

namespace gristmill::kernel::trees {

// Delta of a child with the subtrees of its label: constant + values[rank - begin] for the first `size` ranks from
// begin, and constant + values[size] for all others.
template <class Value>
struct ChildDeltas {
  Value constant;
  const Value* values;
  forest::SubtreeRank begin;
  forest::SubtreeRank size;

  [[nodiscard]] GRISTMILL_INLINE Value operator()(forest::SubtreeRank rank) const noexcept {
    return constant + values[std::min(rank - begin, size)];  // ranks before begin wrap around
  }
};

template <class Value>
struct SubsequencePlan {
  static constexpr std::size_t lanes = 8;             // lists at once
  static constexpr std::size_t most = Matches::most;  // pairs; a table is better for more

  const TreeKernel* kernel = nullptr;
  Value factor{};
  std::vector<double> gaps;                  // gap^0, gap^1, ...
  std::vector<ChildDeltas<Value>> children;  // of the one list
  std::vector<forest::LabelId> labels;       // theirs
  std::span<const ChildMatch> matches;       // ascending by right, then left

  // out[k] for the lists from..to; child_ranks: column by column, `stride` lists long.
  void run(const forest::SubtreeRank* child_ranks, std::size_t stride, std::size_t from, std::size_t to,
           Value* out) const;

  // The same by a table, for any number of matches and any limit of length.
  void tabulate(std::span<const forest::LabelId> other_labels, const forest::SubtreeRank* child_ranks,
                std::size_t stride, std::size_t from, std::size_t to, Value* out, Pulse& pulse);

  void cover_gaps(std::size_t longest) {
    while (gaps.size() < longest) gaps.push_back(gaps.back() * kernel->gap);
  }

  // Whether run() serves these matches.
  [[nodiscard]] bool is_short() const noexcept {
    return !matches.empty() && (kernel->longest == 0 || matches.size() <= kernel->longest);
  }

 private:
  void add_right(forest::LabelId label, forest::SubtreeRank rank);

  SubsequenceTable<Value> table_;  // of the other children with those of the one list
  std::vector<Value> ending_;      // what ends at the present one of the others, of all lengths, by left child
};

// Compiled for several instruction sets, where that pays.
template <>
void SubsequencePlan<double>::run(const forest::SubtreeRank* child_ranks, std::size_t stride, std::size_t from,
                                  std::size_t to, double* out) const;
template <>
void SubsequencePlan<MarkedValue>::run(const forest::SubtreeRank* child_ranks, std::size_t stride, std::size_t from,
                                       std::size_t to, MarkedValue* out) const;

namespace plan {

constexpr std::size_t lanes = SubsequencePlan<double>::lanes;

// Weights of a match after an earlier one.
template <class Value>
struct Weights {
  std::array<double, SubsequencePlan<Value>::most*(SubsequencePlan<Value>::most - 1) / 2> values;

  explicit Weights(const SubsequencePlan<Value>& plan) {
    std::size_t at = 0;
    for (std::size_t b = 1; b < plan.matches.size(); ++b) {
      for (std::size_t a = 0; a < b; ++a) {
        const auto [left, right] = plan.matches[a];
        const auto [next_left, next_right] = plan.matches[b];
        const bool follows = left < next_left && right < next_right;
        values[at++] = follows ? plan.kernel->step * plan.gaps[next_left - left + next_right - right - 2] : 0.0;
      }
    }
  }
};

// One match: most pairs of productions have no more.
template <class Value>
GRISTMILL_INLINE void run_one(const SubsequencePlan<Value>& plan, const forest::SubtreeRank* child_ranks,
                              std::size_t stride, std::size_t from, std::size_t to, Value* out) {
  const ChildDeltas<Value> child = plan.children[plan.matches[0].left];
  const forest::SubtreeRank* ranks = child_ranks + plan.matches[0].right * stride;
  const Value factor = plan.kernel->first * plan.factor;
  for (std::size_t k = from; k < to; ++k) out[k] = factor * child(ranks[k]);
}

template <class Value>
GRISTMILL_INLINE void run(const SubsequencePlan<Value>& plan, const forest::SubtreeRank* child_ranks,
                          std::size_t stride, std::size_t from, std::size_t to, Value* out) {
  if (plan.matches.size() == 1) return run_one(plan, child_ranks, stride, from, to, out);
  const Weights<Value> weights(plan);
  const std::size_t matches = plan.matches.size();
  const Value first = Semiring<Value>::plain(plan.kernel->first);
  std::array<std::array<Value, lanes>, SubsequencePlan<Value>::most> sums;
  for (std::size_t block = from; block < to; block += lanes) {
    const std::size_t filled = std::min(lanes, to - block);
    std::array<Value, lanes> total{};
    const double* weight = weights.values.data();
    for (std::size_t b = 0; b < matches; ++b) {
      const ChildDeltas<Value> child = plan.children[plan.matches[b].left];
      const forest::SubtreeRank* ranks = child_ranks + plan.matches[b].right * stride + block;
      std::array<Value, lanes> sum;
      for (std::size_t lane = 0; lane < lanes; ++lane) sum[lane] = first;
      for (std::size_t a = 0; a < b; ++a, ++weight) {
        if (*weight == 0) continue;
        for (std::size_t lane = 0; lane < lanes; ++lane) sum[lane] += *weight * sums[a][lane];
      }
      std::array<forest::SubtreeRank, lanes> ids{};
      if (filled == lanes) {
        for (std::size_t lane = 0; lane < lanes; ++lane) ids[lane] = ranks[lane];
      } else {
        for (std::size_t lane = 0; lane < filled; ++lane) ids[lane] = ranks[lane];
      }
      for (std::size_t lane = 0; lane < lanes; ++lane) sum[lane] *= child(ids[lane]);
      for (std::size_t lane = 0; lane < lanes; ++lane) total[lane] += sum[lane];
      sums[b] = sum;
    }
    for (std::size_t lane = 0; lane < filled; ++lane) out[block + lane] = plan.factor * total[lane];
  }
}

}  // namespace plan
}  // namespace gristmill::kernel::trees
