// SPDX-License-Identifier: BSD-3-Clause
// Delta of one subtree with all subtrees of an index that have its label (PTK, K_lo and the marked K_lo^r), from those
// of its children. Subtrees of one production match in the same places, so what is to be added up is planned once for
// each pair of productions.
#pragma once
#include <memory>

#include "base/stop.hpp"
#include "forest/tree_queries.hpp"
#include "kernel/trees/subsequence_plan.hpp"
#include "kernel/trees/weighted_sum.hpp"

namespace gristmill::kernel::trees {

template <class Value>
class SequenceDeltas {
 public:
  // Delta is slower to compute than to remember (measured).
  static constexpr bool worth_keeping = true;

  // What Delta(v, u) is above the constant, for the first subtrees u of each production, within the ranks from the
  // first production that shares the label of a child with v to the last; for all others it is the 0 at the end. Where
  // terminals weigh otherwise, the terminal with the label of v is among them: there it is below the constant.
  struct Vector {
    forest::SubtreeRank begin = 0;
    std::vector<Value> values;
    std::vector<std::uint32_t> covered;  // how many subtrees of each production in the plan

    void clear() noexcept {
      values.clear();
      covered.clear();
    }
    [[nodiscard]] std::size_t nbytes() const noexcept {
      return values.capacity() * sizeof(Value) + covered.capacity() * sizeof(std::uint32_t);
    }
  };

  // What a worker needs besides.
  struct Scratch {
    MatchCache cache;
    SubsequencePlan<Value> plan;
    std::vector<forest::LabelId> labels;  // of the children of v
  };

  SequenceDeltas(const TreeKernel& kernel, const forest::SubtreeIndex& index);
  [[nodiscard]] Scratch make_scratch() const;

  [[nodiscard]] bool has_vector(const forest::TreeQueries& queries, forest::SubtreeId v) const noexcept {
    if (queries.label(v) == forest::TreeQueries::none) return false;
    if (meets_terminal(queries, v)) return true;
    return std::ranges::any_of(queries.set().children(v), [&](forest::SubtreeId child) {
      return queries.label(child) != forest::TreeQueries::none;
    });
  }

  // As ProductionDeltas.
  void extend(const forest::TreeQueries& queries, forest::SubtreeId v, std::span<const std::uint32_t> known,
              std::span<const std::unique_ptr<Vector>> vectors, Vector& vector, Scratch& scratch, Pulse& pulse) const;

  // sink(rank, what Delta is above the constant) for all deeper pairs.
  template <class Sink>
  void visit(const forest::TreeQueries& queries, forest::SubtreeId v, const Vector& vector, Scratch& scratch,
             Sink sink) const {
    const Matches& matches = matches_of(queries, v, scratch);
    for (std::size_t at = 0; at < matches.productions.size(); ++at) {
      const forest::SubtreeRank begin = index_.productions()[matches.productions[at]].begin;
      for (forest::SubtreeRank rank = begin; rank < begin + vector.covered[at]; ++rank) {
        sink(rank, Semiring<Value>::counted(vector.values[rank - vector.begin]));
      }
    }
  }

  // sum of weights[rank] * (what Delta is above the constant) over all deeper pairs.
  [[nodiscard]] double dot(const forest::TreeQueries& queries, forest::SubtreeId v, const Vector& vector,
                           Scratch& scratch, std::span<const double> weights) const {
    const Matches& matches = matches_of(queries, v, scratch);
    double sum = 0;
    for (std::size_t at = 0; at < matches.productions.size(); ++at) {
      const forest::SubtreeRank begin = index_.productions()[matches.productions[at]].begin;
      sum +=
          weighted_sum(vector.values.data() + (begin - vector.begin), 0.0, weights.data() + begin, vector.covered[at]);
    }
    return sum;
  }

  [[nodiscard]] std::size_t nbytes() const noexcept {
    return finder_.nbytes() + (constants_.size() + terminal_constants_.size()) * sizeof(Value) +
           (terminals_.size() + child_ranks_.size()) * sizeof(forest::SubtreeRank) +
           rank_starts_.size() * sizeof(std::size_t);
  }

 private:
  static constexpr forest::SubtreeRank no_rank = forest::TreeQueries::none;

  // Whether v has children, and a terminal of the index its label, where that matters.
  [[nodiscard]] bool meets_terminal(const forest::TreeQueries& queries, forest::SubtreeId v) const noexcept {
    return !terminals_.empty() && !queries.set().is_leaf(v) && terminals_[queries.label(v)] != no_rank;
  }
  [[nodiscard]] const Matches& matches_of(const forest::TreeQueries& queries, forest::SubtreeId v,
                                          Scratch& scratch) const {
    scratch.labels.clear();
    for (const forest::SubtreeId child : queries.set().children(v)) scratch.labels.push_back(queries.label(child));
    return scratch.cache.find(queries.label(v), scratch.labels, queries.production(v));
  }
  void open(const forest::TreeQueries& queries, forest::SubtreeId v, std::span<const forest::ProductionId> deeper,
            Vector& vector) const;
  void plan(const forest::TreeQueries& queries, forest::SubtreeId v, std::span<const std::unique_ptr<Vector>> vectors,
            SubsequencePlan<Value>& plan) const;

  const forest::SubtreeIndex& index_;
  TreeKernel kernel_;
  MatchFinder finder_;
  std::vector<Value> constants_;                // per label
  std::vector<Value> terminal_constants_;       // where one of the nodes is a terminal
  std::vector<forest::SubtreeRank> terminals_;  // per label, the terminal with it; empty where they weigh like others
  std::vector<std::size_t> rank_starts_;        // per production: columns of ranks, one for each position
  std::vector<forest::SubtreeRank> child_ranks_;
};

extern template class SequenceDeltas<double>;
extern template class SequenceDeltas<MarkedValue>;

}  // namespace gristmill::kernel::trees
