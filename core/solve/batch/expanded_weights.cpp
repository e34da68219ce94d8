// SPDX-License-Identifier: BSD-3-Clause
#include "solve/batch/expanded_weights.hpp"

#include <algorithm>

#include "solve/dense_layout.hpp"

namespace gristmill::solve::batch {
namespace {

// Four sums at once: one alone would wait for itself at every step.
GRISTMILL_INLINE double sum_at(std::span<const std::uint32_t> positions, const double* table) {
  double a = 0;
  double b = 0;
  double c = 0;
  double d = 0;
  std::size_t at = 0;
  for (; at + 4 <= positions.size(); at += 4) {
    a += table[positions[at]];
    b += table[positions[at + 1]];
    c += table[positions[at + 2]];
    d += table[positions[at + 3]];
  }
  for (; at < positions.size(); ++at) a += table[positions[at]];
  return (a + b) + (c + d);
}

template <unsigned Degree>
GRISTMILL_INLINE double sum_dense(std::span<const rows::Rank> ranks, const double* table, std::size_t alone) {
  double singles = 0;
  double pairs = 0;
  double triples = 0;
  for (std::size_t at = 0; at < ranks.size(); ++at) {
    singles += table[alone + ranks[at]];
    for_each_below(Degree, ranks.data(), at, [&](unsigned size, std::size_t position) __attribute__((always_inline)) {
      (size == 2 ? pairs : triples) += table[position];
    });
  }
  return singles + pairs + triples;
}

template <unsigned Degree>
GRISTMILL_INLINE void add_dense(std::span<const rows::Rank> ranks, double* table, std::size_t alone,
                                const double* deltas) {
  for (std::size_t at = 0; at < ranks.size(); ++at) {
    table[alone + ranks[at]] += deltas[1];
    for_each_below(Degree, ranks.data(), at, [&](unsigned size, std::size_t position) __attribute__((always_inline)) {
      table[position] += deltas[size];
    });
  }
}

}  // namespace

ExpandedWeights::ExpandedWeights(const ExpandedRows& rows)
    : rows_(rows),
      alone_(block_size(rows.degree(), rows.dense_features())),
      dense_(alone_ + rows.dense_features(), 0.0),
      patterns_(rows.pattern_weights().size(), 0.0),
      own_(rows.size(), 0.0) {}

double ExpandedWeights::score(std::size_t row) const {
  const std::span<const rows::Rank> ranks = rows_.dense(row);
  const double rest = sum_at(rows_.patterns(row), patterns_.data()) + own_[row] + everywhere_;
  switch (rows_.degree()) {
    case 2:
      return rest + sum_dense<2>(ranks, dense_.data(), alone_);
    case 3:
      return rest + sum_dense<3>(ranks, dense_.data(), alone_);
    default:
      return rest + sum_dense<1>(ranks, dense_.data(), alone_);
  }
}

void ExpandedWeights::add(std::size_t row, double delta) {
  const std::span<const double> weights = rows_.subset_weights();
  const double deltas[] = {delta * weights[0], delta * weights[1], weights.size() > 2 ? delta * weights[2] : 0,
                           weights.size() > 3 ? delta * weights[3] : 0};
  everywhere_ += deltas[0];
  own_[row] += delta * rows_.own(row);
  const std::span<const double> heavy = rows_.pattern_weights();
  for (const std::uint32_t pattern : rows_.patterns(row)) patterns_[pattern] += delta * heavy[pattern];
  const std::span<const rows::Rank> ranks = rows_.dense(row);
  switch (rows_.degree()) {
    case 2:
      return add_dense<2>(ranks, dense_.data(), alone_, deltas);
    case 3:
      return add_dense<3>(ranks, dense_.data(), alone_, deltas);
    default:
      return add_dense<1>(ranks, dense_.data(), alone_, deltas);
  }
}

void ExpandedWeights::clear() {
  everywhere_ = 0;
  std::ranges::fill(dense_, 0.0);
  std::ranges::fill(patterns_, 0.0);
  std::ranges::fill(own_, 0.0);
}

}  // namespace gristmill::solve::batch
