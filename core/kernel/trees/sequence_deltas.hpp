// SPDX-License-Identifier: BSD-3-Clause
// Delta of one subtree with all subtrees of an index that have its label (PTK, K_lo and the marked K_lo^r), from those
// of its children. Subtrees of one production match in the same places, so what is to be added up is planned once for
// each pair of productions.
#pragma once
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
  // first production that shares the label of a child with v to the last; for all others it is the 0 at the end.
  struct Vector {
    forest::Rank begin = 0;
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
    MatchCache book;
    SubsequencePlan<Value> plan;
    std::vector<forest::LabelId> labels;  // of the children of v
  };

  SequenceDeltas(const TreeKernel& kernel, const forest::SubtreeIndex& index);
  [[nodiscard]] Scratch make_scratch() const;

  [[nodiscard]] bool has_vector(const forest::TreeQueries& queries, forest::SubtreeId v) const noexcept {
    if (queries.label(v) == forest::TreeQueries::none) return false;
    return std::ranges::any_of(queries.set().children(v), [&](forest::SubtreeId child) {
      return queries.label(child) != forest::TreeQueries::none;
    });
  }

  template <class VectorOf, class Poll>
  void extend(const forest::TreeQueries& queries, forest::SubtreeId v, std::span<const std::uint32_t> known,
              VectorOf vector_of, Vector& vector, Scratch& scratch, Poll poll) const;

  // sink(rank, what Delta is above the constant) for all deeper pairs.
  template <class Sink>
  void visit(const forest::TreeQueries& queries, forest::SubtreeId v, const Vector& vector, Scratch& scratch,
             Sink sink) const {
    const Matches& matches = matches_of(queries, v, scratch);
    for (std::size_t at = 0; at < matches.productions.size(); ++at) {
      const forest::Rank begin = index_.productions()[matches.productions[at]].begin;
      for (forest::Rank rank = begin; rank < begin + vector.covered[at]; ++rank) {
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
      const forest::Rank begin = index_.productions()[matches.productions[at]].begin;
      sum +=
          weighted_sum(vector.values.data() + (begin - vector.begin), 0.0, weights.data() + begin, vector.covered[at]);
    }
    return sum;
  }

  [[nodiscard]] std::size_t nbytes() const noexcept {
    return finder_.nbytes() + constants_.size() * sizeof(Value) + child_ranks_.size() * sizeof(forest::Rank) +
           rank_starts_.size() * sizeof(std::size_t);
  }

 private:
  [[nodiscard]] const Matches& matches_of(const forest::TreeQueries& queries, forest::SubtreeId v,
                                          Scratch& scratch) const {
    scratch.labels.clear();
    for (const forest::SubtreeId child : queries.set().children(v)) scratch.labels.push_back(queries.label(child));
    return scratch.book.find(queries.label(v), scratch.labels, queries.production(v));
  }
  template <class VectorOf>
  void plan(const forest::TreeQueries& queries, forest::SubtreeId v, VectorOf vector_of,
            SubsequencePlan<Value>& plan) const;

  const forest::SubtreeIndex& index_;
  TreeKernel kernel_;
  MatchFinder finder_;
  std::vector<Value> constants_;          // per label
  std::vector<std::size_t> rank_starts_;  // per production: columns of ranks, one for each position
  std::vector<forest::Rank> child_ranks_;
};

template <class Value>
SequenceDeltas<Value>::SequenceDeltas(const TreeKernel& kernel, const forest::SubtreeIndex& index)
    : index_(index), kernel_(kernel), finder_(index) {
  for (forest::LabelId label = 0; label < index.labels(); ++label) {
    constants_.push_back(Semiring<Value>::weight(kernel.constant(), index.is_marked(label)));
  }
  for (const auto& production : index.productions()) {
    rank_starts_.push_back(child_ranks_.size());
    for (std::size_t position = 0; position < production.children.size(); ++position) {
      for (forest::Rank rank = production.begin; rank < production.end; ++rank) {
        child_ranks_.push_back(index.rank(index.set().children(index.subtree(rank))[position]));
      }
    }
  }
}

template <class Value>
auto SequenceDeltas<Value>::make_scratch() const -> Scratch {
  constexpr std::size_t book_bytes = std::size_t{64} << 20U;
  Scratch scratch{MatchCache(finder_, index_.labels(), index_.productions().size(), book_bytes), {}, {}};
  scratch.plan.kernel = &kernel_;
  scratch.plan.gaps.push_back(1);
  return scratch;
}

template <class Value>
template <class VectorOf>
void SequenceDeltas<Value>::plan(const forest::TreeQueries& queries, forest::SubtreeId v, VectorOf vector_of,
                                 SubsequencePlan<Value>& plan) const {
  static constexpr Value nothing{};
  plan.factor = Semiring<Value>::weight(kernel_.factor, index_.is_marked(queries.label(v)));
  plan.children.clear();
  plan.by_label.clear();
  for (const forest::SubtreeId child : queries.set().children(v)) {
    const forest::LabelId label = queries.label(child);
    plan.by_label.emplace_back(label, static_cast<std::uint32_t>(plan.children.size()));
    const Value constant = label == forest::TreeQueries::none ? nothing : constants_[label];
    if (const Vector* deltas = vector_of(child)) {
      const auto size = static_cast<forest::Rank>(deltas->values.size() - 1);
      plan.children.push_back({constant, deltas->values.data(), deltas->begin, size});
    } else {
      plan.children.push_back({constant, &nothing, 0, 0});
    }
  }
  std::ranges::sort(plan.by_label);
}

template <class Value>
template <class VectorOf, class Poll>
void SequenceDeltas<Value>::extend(const forest::TreeQueries& queries, forest::SubtreeId v,
                                   std::span<const std::uint32_t> known, VectorOf vector_of, Vector& vector,
                                   Scratch& scratch, Poll poll) const {
  const Matches& matches = matches_of(queries, v, scratch);
  const std::vector<forest::ProductionId>& deeper = matches.productions;
  if (vector.values.empty()) {
    vector.begin = deeper.empty() ? 0 : index_.productions()[deeper.front()].begin;
    const forest::Rank end = deeper.empty() ? 0 : index_.productions()[deeper.back()].end;
    vector.values.assign(end - vector.begin + std::size_t{1}, Value{});
    vector.covered.assign(deeper.size(), 0);
  }
  SubsequencePlan<Value>& steps = scratch.plan;
  plan(queries, v, vector_of, steps);
  for (std::size_t at = 0; at < deeper.size(); ++at) {
    const auto& production = index_.productions()[deeper[at]];
    const std::uint32_t from = vector.covered[at];
    const std::uint32_t to = known[deeper[at]];
    if (from == to) continue;
    vector.covered[at] = to;
    steps.matches = matches.of(at);
    steps.cover_gaps(steps.children.size() + production.children.size());
    const forest::Rank* ranks = child_ranks_.data() + rank_starts_[deeper[at]];
    Value* out = vector.values.data() + (production.begin - vector.begin);
    if (steps.is_short()) {
      steps.run(ranks, production.size(), from, to, out);
    } else {
      steps.tabulate(production.children, ranks, production.size(), from, to, out, poll);
    }
  }
}

}  // namespace gristmill::kernel::trees
