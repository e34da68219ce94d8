// SPDX-License-Identifier: BSD-3-Clause
#include "solve/tables/terms.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace gristmill::solve::tables {
namespace {

// Its columns one after the other, from one form to the other; between them the block is in one of two scratches.
template <class Sizes, class Apply>
void along_columns(const Term& term, std::size_t outputs, std::size_t half, double* scratch, const double* in,
                   double* out, Sizes sizes, Apply apply) {
  const std::size_t columns = term.factors.size();
  const double* from = in;
  for (std::size_t at = 0; at < columns; ++at) {
    std::size_t outer = 1;
    std::size_t inner = outputs;
    for (std::size_t before = 0; before < at; ++before) outer *= sizes(term.factors[before]).second;
    for (std::size_t after = at + 1; after < columns; ++after) inner *= sizes(term.factors[after]).first;
    double* to = at + 1 == columns ? out : scratch + (at % 2) * half;
    apply(term.factors[at], from, to, outer, inner);
    from = to;
  }
}

}  // namespace

Terms::Terms(std::vector<Term> terms, std::vector<Factor> factors, std::span<const std::uint32_t> bins,
             std::size_t outputs)
    : terms_(std::move(terms)), factors_(std::move(factors)), outputs_(outputs) {
  for (const Term& term : terms_) place(term, bins);
  mark_steps();
}

void Terms::place(const Term& term, std::span<const std::uint32_t> bins) {
  const std::size_t columns = term.columns.size();
  if (columns == 0 || columns > most_columns || term.factors.size() != columns || !(term.scale >= 0)) {
    throw std::invalid_argument("a term has one to three columns, a factor for each and a scale from 0 on");
  }
  std::size_t cells = outputs_;
  std::size_t weights = outputs_;
  std::size_t largest = outputs_;
  for (std::size_t at = 0; at < columns; ++at) {
    if (term.columns[at] >= bins.size() || term.factors[at] >= factors_.size() ||
        factors_[term.factors[at]].bins() != bins[term.columns[at]]) {
      throw std::invalid_argument("a term names columns that exist, and factors of as many bins");
    }
    const Factor& factor = factors_[term.factors[at]];
    cells *= factor.bins();
    weights *= factor.features();
    largest *= std::max(factor.bins(), factor.features());
  }
  cells_.push_back(cells_.back() + cells);
  weights_.push_back(weights_.back() + weights);
  largest_ = std::max(largest_, largest);
}

void Terms::mark_steps() {
  const auto has_steps = [](const Factor& factor) { return std::ranges::count(factor.steps(), 1) > 0; };
  if (std::ranges::none_of(factors_, has_steps)) return;
  steps_.reserve(weights_.back());
  for (const Term& term : terms_) {
    std::vector<std::uint8_t> marks(1, 0);
    for (const std::uint32_t factor : term.factors) {
      std::vector<std::uint8_t> longer;
      for (const std::uint8_t mark : marks) {
        for (const std::uint8_t step : factors_[factor].steps()) longer.push_back(mark | step);
      }
      marks = std::move(longer);
    }
    for (const std::uint8_t mark : marks) steps_.insert(steps_.end(), outputs_, mark);
  }
}

void Terms::to_table(std::size_t term, const double* weights, double* cells, double* scratch) const {
  double* out = cells + cells_[term];
  along_columns(
      terms_[term], outputs_, largest_, scratch, weights + weights_[term], out,
      [&](std::uint32_t factor) { return std::pair(factors_[factor].features(), factors_[factor].bins()); },
      [&](std::uint32_t factor, const double* from, double* to, std::size_t outer, std::size_t inner) {
        factors_[factor].to_bins(from, to, outer, inner);
      });
  const double scale = terms_[term].scale;
  for (std::size_t at = 0; at < cells_[term + 1] - cells_[term]; ++at) out[at] *= scale;
}

void Terms::to_gradient(std::size_t term, const double* cells, double* weights, double* scratch) const {
  double* out = weights + weights_[term];
  along_columns(
      terms_[term], outputs_, largest_, scratch, cells + cells_[term], out,
      [&](std::uint32_t factor) { return std::pair(factors_[factor].bins(), factors_[factor].features()); },
      [&](std::uint32_t factor, const double* from, double* to, std::size_t outer, std::size_t inner) {
        factors_[factor].to_features(from, to, outer, inner);
      });
  const double scale = terms_[term].scale;
  for (std::size_t at = 0; at < weights_[term + 1] - weights_[term]; ++at) out[at] *= scale;
}

}  // namespace gristmill::solve::tables
