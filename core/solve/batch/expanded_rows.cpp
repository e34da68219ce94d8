// SPDX-License-Identifier: BSD-3-Clause
#include "solve/batch/expanded_rows.hpp"

#include <algorithm>

#include "base/triangle.hpp"
#include "rows/shared_conjunctions.hpp"

namespace gristmill::solve::batch {
namespace {

// So many features are dense: tables grow with the square or the cube, and should stay near the processor.
std::size_t dense_features_for(unsigned degree, std::size_t features) {
  constexpr std::size_t pairs = 1024;
  constexpr std::size_t triples = 128;
  switch (degree) {
    case 1:
      return features;
    case 2:
      return std::min(features, pairs);
    case 3:
      return std::min(features, triples);
    default:
      return 0;
  }
}

std::size_t count_below(std::span<const rows::Rank> ranks, std::size_t line) {
  return static_cast<std::size_t>(std::ranges::lower_bound(ranks, static_cast<rows::Rank>(line)) - ranks.begin());
}

}  // namespace

ExpandedRows::ExpandedRows(const kernel::PolynomialKernel& kernel, rows::Rows rows, std::size_t max_bytes,
                           std::size_t threads, Observer& observer)
    : degree_(kernel.degree), subset_weights_(kernel.subset_weights()) {
  const rows::RankedRows ranked(rows);
  dense_features_ = dense_features_for(degree_, ranked.features().size());
  const rows::Patterns patterns = mine(ranked, max_bytes, threads, observer);
  const std::vector<double> values = kernel.values(ranked.longest());
  lay_out(ranked, patterns);
  for (std::size_t row = 0; row < ranked.size(); ++row) {
    diagonal_.push_back(values[ranked[row].size()]);
    own_.push_back(diagonal_.back() - values[dense(row).size()]);
    for (const std::uint32_t pattern : this->patterns(row)) own_.back() -= pattern_weights_[pattern];
    own_.back() = std::max(own_.back(), 0.0);  // where nothing is left, rounding may be
  }
  rows::conjunction_budget(max_bytes).check(nbytes());
}

ExpandedRows::ExpandedRows(const ExpandedRows& all, std::span<const RowId> kept)
    : degree_(all.degree_),
      subset_weights_(all.subset_weights_),
      dense_features_(all.dense_features_),
      pattern_weights_(all.pattern_weights_),
      starts_{0} {
  entries_.reserve(all.entries_.size());
  for (const RowId row : kept) {
    const auto begin = all.entries_.begin();
    entries_.insert(entries_.end(), begin + static_cast<std::ptrdiff_t>(all.starts_[row]),
                    begin + static_cast<std::ptrdiff_t>(all.starts_[row + 1]));
    middles_.push_back(starts_.back() + all.middles_[row] - all.starts_[row]);
    starts_.push_back(entries_.size());
    own_.push_back(all.own_[row]);
    diagonal_.push_back(all.diagonal_[row]);
  }
}

// Patterns are there twice, while they are merged and then while they are laid out.
rows::Patterns ExpandedRows::mine(const rows::RankedRows& rows, std::size_t max_bytes, std::size_t threads,
                                  Observer& observer) const {
  try {
    return rows::mine_shared(rows, subset_weights_, static_cast<rows::Rank>(dense_features_), max_bytes / 2, threads,
                             observer);
  } catch (const PatternsTooLargeError&) {
    rows::conjunction_budget(max_bytes).fail();  // with the number that the caller knows
  }
}

void ExpandedRows::lay_out(const rows::RankedRows& rows, const rows::Patterns& patterns) {
  pattern_weights_.assign(patterns.weights().begin(), patterns.weights().end());
  std::vector<std::size_t> next(rows.size() + 1, 0);  // first how many patterns a row has, then where the next one goes
  for (std::size_t pattern = 0; pattern < patterns.size(); ++pattern) {
    for (const RowId row : patterns[pattern]) ++next[row];
  }
  starts_.assign(1, 0);
  for (std::size_t row = 0; row < rows.size(); ++row) {
    middles_.push_back(starts_.back() + count_below(rows[row], dense_features_));
    starts_.push_back(middles_.back() + next[row]);
    next[row] = middles_.back();
  }
  entries_.resize(starts_.back());
  for (std::size_t row = 0; row < rows.size(); ++row) {
    std::ranges::copy(rows[row].first(middles_[row] - starts_[row]),
                      entries_.begin() + static_cast<std::ptrdiff_t>(starts_[row]));
  }
  for (std::size_t pattern = 0; pattern < patterns.size(); ++pattern) {
    for (const RowId row : patterns[pattern]) entries_[next[row]++] = static_cast<std::uint32_t>(pattern);
  }
}

std::size_t ExpandedRows::early_stops(std::size_t row) const {
  const std::size_t features = dense(row).size();
  const std::size_t block = block_size(degree_, features);
  return 1 + features + block + patterns(row).size();
}

std::size_t ExpandedRows::nbytes() const noexcept {
  return entries_.size() * sizeof(std::uint32_t) + size() * (2 * sizeof(std::size_t) + 2 * sizeof(double)) +
         pattern_weights_.size() * sizeof(double);
}

}  // namespace gristmill::solve::batch
