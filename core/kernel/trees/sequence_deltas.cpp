// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/trees/sequence_deltas.hpp"

#include <algorithm>

namespace gristmill::kernel::trees {

template <class Value>
SequenceDeltas<Value>::SequenceDeltas(const TreeKernel& kernel, const forest::SubtreeIndex& index)
    : index_(index), kernel_(kernel), finder_(index) {
  for (forest::LabelId label = 0; label < index.labels(); ++label) {
    constants_.push_back(Semiring<Value>::weight(kernel.constant(), index.is_marked(label)));
    terminal_constants_.push_back(Semiring<Value>::weight(kernel.constant(true), index.is_marked(label)));
  }
  if (kernel.terminals != 1) terminals_.assign(index.labels(), no_rank);
  for (const auto& production : index.productions()) {
    if (!terminals_.empty() && production.is_leaf()) terminals_[production.label] = production.begin;
    rank_starts_.push_back(child_ranks_.size());
    for (std::size_t position = 0; position < production.children.size(); ++position) {
      for (forest::SubtreeRank rank = production.begin; rank < production.end; ++rank) {
        child_ranks_.push_back(index.rank(index.set().children(index.subtree(rank))[position]));
      }
    }
  }
}

template <class Value>
auto SequenceDeltas<Value>::make_scratch() const -> Scratch {
  constexpr std::size_t cache_bytes = std::size_t{64} << 20U;
  Scratch scratch{MatchCache(finder_, index_.labels(), index_.productions().size(), cache_bytes), {}, {}};
  scratch.plan.kernel = &kernel_;
  scratch.plan.gaps.push_back(1);
  return scratch;
}

template <class Value>
void SequenceDeltas<Value>::plan(const forest::TreeQueries& queries, forest::SubtreeId v,
                                 std::span<const std::unique_ptr<Vector>> vectors, SubsequencePlan<Value>& plan) const {
  static constexpr Value nothing{};
  plan.factor = Semiring<Value>::weight(kernel_.factor, index_.is_marked(queries.label(v)));
  plan.children.clear();
  plan.labels.clear();
  for (const forest::SubtreeId child : queries.set().children(v)) {
    const forest::LabelId label = queries.label(child);
    plan.labels.push_back(label);
    const std::vector<Value>& constants = queries.set().is_leaf(child) ? terminal_constants_ : constants_;
    const Value constant = label == forest::TreeQueries::none ? nothing : constants[label];
    if (const Vector* deltas = vectors[child].get()) {
      const auto size = static_cast<forest::SubtreeRank>(deltas->values.size() - 1);
      plan.children.push_back({constant, deltas->values.data(), deltas->begin, size});
    } else {
      plan.children.push_back({constant, &nothing, 0, 0});
    }
  }
}

// Room for the deltas of v, none of which is known but that with a terminal.
template <class Value>
void SequenceDeltas<Value>::open(const forest::TreeQueries& queries, forest::SubtreeId v,
                                 std::span<const forest::ProductionId> deeper, Vector& vector) const {
  const bool meets = meets_terminal(queries, v);
  const forest::LabelId label = queries.label(v);
  const forest::SubtreeRank terminal = meets ? terminals_[label] : 0;
  forest::SubtreeRank end = meets ? terminal + 1 : 0;
  vector.begin = terminal;
  if (!deeper.empty()) {
    const forest::SubtreeRank first = index_.productions()[deeper.front()].begin;
    vector.begin = meets ? std::min(terminal, first) : first;
    end = std::max(end, index_.productions()[deeper.back()].end);
  }
  vector.values.assign(end - vector.begin + std::size_t{1}, Value{});
  vector.covered.assign(deeper.size(), 0);
  if (!meets) return;
  const double below = kernel_.constant(true) - kernel_.constant();
  vector.values[terminal - vector.begin] = Semiring<Value>::weight(below, index_.is_marked(label));
}

template <class Value>
void SequenceDeltas<Value>::extend(const forest::TreeQueries& queries, forest::SubtreeId v,
                                   std::span<const std::uint32_t> known,
                                   std::span<const std::unique_ptr<Vector>> vectors, Vector& vector, Scratch& scratch,
                                   Pulse& pulse) const {
  const Matches& matches = matches_of(queries, v, scratch);
  const std::vector<forest::ProductionId>& deeper = matches.productions;
  if (vector.values.empty()) open(queries, v, deeper, vector);
  SubsequencePlan<Value>& steps = scratch.plan;
  plan(queries, v, vectors, steps);
  for (std::size_t at = 0; at < deeper.size(); ++at) {
    const auto& production = index_.productions()[deeper[at]];
    const std::uint32_t from = vector.covered[at];
    const std::uint32_t to = known[deeper[at]];
    if (from == to) continue;
    vector.covered[at] = to;
    steps.matches = matches.of(at);
    steps.cover_gaps(steps.children.size() + production.children.size());
    const forest::SubtreeRank* ranks = child_ranks_.data() + rank_starts_[deeper[at]];
    Value* out = vector.values.data() + (production.begin - vector.begin);
    if (steps.is_short()) {
      steps.run(ranks, production.size(), from, to, out);
    } else {
      steps.tabulate(production.children, ranks, production.size(), from, to, out, pulse);
    }
  }
}

template class SequenceDeltas<double>;
template class SequenceDeltas<MarkedValue>;

}  // namespace gristmill::kernel::trees
