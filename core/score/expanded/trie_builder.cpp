// SPDX-License-Identifier: BSD-3-Clause
#include "score/expanded/trie_builder.hpp"

#include <algorithm>

#include "score/expanded/given_weights.hpp"

namespace gristmill::score::expanded {

template <class Weights>
TrieBuilder<Weights>::TrieBuilder(const Source& source, Weights& weights, unsigned degree, rows::Rank dense,
                                  std::size_t reach_length)
    : source_(source),
      weights_(weights),
      degree_(degree),
      dense_(dense),
      reach_length_(reach_length),
      sums_(source.features().size(), 0.0),
      counts_(source.features().size(), 0) {
  for (unsigned size = 1; size < degree; ++size) levels_.emplace_back(source.features().size());
}

template <class Weights>
Branch TrieBuilder<Weights>::add(rows::Rank rank, Places places) {
  if (degree_ < 2) return {};
  const std::size_t base = degree_ == 2 ? pair_row(rank) : triple_plane(rank);
  return add_row(places, 1, rank < dense_ ? base : no_block);
}

template <class Weights>
Branch TrieBuilder<Weights>::add_row(Places places, unsigned size, std::size_t block) {
  if (!weights_.may_grow(places)) return {0, {}, weights_.below(places, size)};
  return size + 1 == degree_ ? add_leaves(places, block) : add_inner(places, size, block);
}

template <class Weights>
void TrieBuilder<Weights>::start(Level& level, unsigned size) {
  level.columns.clear();
  level.entries.clear();
  level.reach.start(reach_length_ - size);
  level.dropped.start(reach_length_ - size);
}

template <class Weights>
Branch TrieBuilder<Weights>::add_inner(Places places, unsigned size, std::size_t block) {
  Level& level = levels_[size - 1];
  level.split.make(source_, places);
  start(level, size);
  for (std::size_t at = 0; at < level.split.features().size(); ++at) {
    const rows::Rank rank = level.split.features()[at];
    const Places here = level.split.places(at);
    const std::size_t row = block == no_block ? no_block : block + triple_row(rank);  // the pair, then its triples
    const Term term = weights_.evaluate(here, size + 1);
    kept_ += term.kept ? 1 : 0;
    if (row != no_block) weights_.store_in_block(row);
    const Weight weight = term.kept && row == no_block ? weights_.store() : weights_.nothing();
    const Branch branch = add_row(here, size + 1, row == no_block ? no_block : row + 1);
    level.reach.add({term.reach.low + branch.reach.low, term.reach.high + branch.reach.high});
    level.dropped.add({0, term.dropped + branch.dropped});
    if (row != no_block || (!term.kept && branch.row == 0)) continue;
    level.columns.push_back(rank);
    level.entries.push_back({weight, branch.row});
  }
  points_to_leaves_.insert(points_to_leaves_.end(), level.entries.size(), size + 2 == degree_);
  return {inner_.append(level.columns, level.entries), level.reach.range(), level.dropped.range().high};
}

template <class Weights>
Branch TrieBuilder<Weights>::add_leaves(Places places, std::size_t block) {
  Level& level = levels_[degree_ - 2];
  start(level, degree_ - 1);
  leaves_.clear();
  if constexpr (std::is_same_v<Weights, SingleWeights>) {
    sum_leaves(level, places, block);
  } else {
    split_leaves(level, places, block);
  }
  return {leaf_.append(level.columns, leaves_), level.reach.range(), level.dropped.range().high};
}

// For one output there is no need to know where a leaf stands: one pass adds up all of them.
template <class Weights>
template <class Own>
void TrieBuilder<Weights>::sum_leaves(Level& level, Places places, std::size_t block) {
  static_assert(std::is_same_v<Own, SingleWeights>);
  found_.clear();
  for (const auto place : places) {
    const double a = weights_.coef()[place.row];
    if (a == 0) continue;
    for (const rows::Rank rank : source_.more_frequent(place)) {
      if (counts_[rank]++ == 0) found_.push_back(rank);
      sums_[rank] += a;
    }
  }
  std::ranges::sort(found_);
  for (const rows::Rank rank : found_) {
    put_leaf(level, rank, weights_.evaluate(sums_[rank], counts_[rank], degree_), block);
    sums_[rank] = 0;
    counts_[rank] = 0;
  }
}

template <class Weights>
void TrieBuilder<Weights>::split_leaves(Level& level, Places places, std::size_t block) {
  level.split.make(source_, places);
  for (std::size_t at = 0; at < level.split.features().size(); ++at) {
    put_leaf(level, level.split.features()[at], weights_.evaluate(level.split.places(at), degree_), block);
  }
}

template <class Weights>
void TrieBuilder<Weights>::put_leaf(Level& level, rows::Rank rank, const Term& term, std::size_t block) {
  level.reach.add(term.reach);
  level.dropped.add({0, term.dropped});
  if (!term.kept) return;
  ++kept_;
  if (block != no_block) {
    weights_.store_in_block(block + rank);
  } else {
    level.columns.push_back(rank);
    leaves_.push_back(weights_.store());
  }
}

template class TrieBuilder<SingleWeights>;
template class TrieBuilder<MultiWeights>;
template class TrieBuilder<SingleGiven>;
template class TrieBuilder<MultiGiven>;

}  // namespace gristmill::score::expanded
