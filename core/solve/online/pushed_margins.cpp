// SPDX-License-Identifier: BSD-3-Clause
#include "solve/online/pushed_margins.hpp"

#include <algorithm>

namespace gristmill {
namespace {

constexpr double first_share = 0.1;  // of the examples are expected to need a step in the first pass
constexpr double fall = 0.6;         // of the steps of a pass are expected in the next
constexpr double per_push = 8;       // relative to an entry of the tables
constexpr std::size_t largest_tables = std::size_t{128} << 20;  // bytes
constexpr std::size_t sample_size = 512;
constexpr std::size_t batch = 256;  // examples pushed to at once

double entries_below(unsigned degree, double features) {
  const double pairs = features * (features - 1) / 2;
  return features + (degree >= 2 ? pairs : 0) + (degree >= 3 ? pairs * (features - 2) / 3 : 0);
}

// How long rows are, and how many features they may have between them.
struct Extent {
  std::size_t longest = 0;
  std::size_t features = 0;
};

Extent extent_of(const RankRows& rows) {
  Extent extent;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    if (rows[row].empty()) continue;
    extent.longest = std::max(extent.longest, rows[row].size());
    extent.features = std::max(extent.features, rows[row].back() + std::size_t{1});
  }
  return extent;
}

}  // namespace

template <class Number>
PushedMargins<Number>::PushedMargins(const PolynomialKernel& kernel, std::size_t outputs)
    : kernel_(kernel),
      outputs_(outputs),
      values_(kernel_values<Number>(kernel, 1)),
      common_(kernel, 0, outputs),
      total_(outputs, Number{0}) {}

template <class Number>
void PushedMargins<Number>::expect(const RankRows& examples, const SupportLog<Number>& log) {
  examples_ = &examples;
  const Extent here = extent_of(examples);
  const Extent before = extent_of(log.rows);
  const Extent extent{std::max(here.longest, before.longest), std::max(here.features, before.features)};
  values_ = kernel_values<Number>(kernel_, extent.longest + 1);
  rises_.resize(values_.size() - 1);
  for (std::size_t m = 0; m < rises_.size(); ++m) rises_[m] = values_[m + 1] - values_[m];
  holders_ = Holders(examples, extent.features);
  records_ = ColouredRecords(holders_, examples.size());
  overlaps_.resize(batch);
  rest_.assign(examples.size() * outputs_, Number{0});
  std::ranges::fill(total_, Number{0});
  expected_steps_ = first_share * static_cast<double>(examples.size());
  steps_ = 0;
  final_ = false;
  common_ = DenseConjunctions<Number>(kernel_, choose_line(), outputs_);
  note_dense_parts();
  for (const Step<Number>& step : log.steps) take_in(log, step);
}

template <class Number>
std::size_t PushedMargins<Number>::dense_part(std::span<const Rank> ranks) const {
  return static_cast<std::size_t>(std::ranges::lower_bound(ranks, static_cast<Rank>(common_.size())) - ranks.begin());
}

// Weighs visits, which add up tables, against pushes. Features of a step's row are as frequent as in the examples.
template <class Number>
std::size_t PushedMargins<Number>::choose_line() const {
  const auto examples = static_cast<double>(examples_->size());
  if (kernel_.degree > DenseConjunctions<Number>::largest_degree || examples == 0) return 0;
  std::vector<double> pushes(holders_.features() + 1, 0);  // per step, if the line is at a rank
  for (std::size_t rank = holders_.features(); rank-- > 0;) {
    const auto count = static_cast<double>(holders_[rank].size());
    pushes[rank] = pushes[rank + 1] + count * count / examples;
  }
  const std::size_t stride = std::max<std::size_t>(1, examples_->size() / sample_size);
  const auto cost_at = [&](std::size_t line) {
    double entries = 0;
    double taken = 0;
    for (std::size_t example = 0; example < examples_->size(); example += stride, ++taken) {
      const auto ranks = (*examples_)[example];
      const auto dense = std::ranges::lower_bound(ranks, static_cast<Rank>(line)) - ranks.begin();
      entries += entries_below(kernel_.degree, static_cast<double>(dense));
    }
    return examples * entries / taken + expected_steps_ * per_push * pushes[line];
  };
  std::size_t best = 0;
  double least = cost_at(0);
  for (std::size_t line = 8; line <= holders_.features(); line += line / 4) {
    const std::size_t bytes = DenseConjunctions<Number>::nbytes_for(kernel_.degree, line, outputs_);
    if (bytes > largest_tables) break;
    if (const double cost = cost_at(line); cost < least) best = line, least = cost;
  }
  return best;
}

template <class Number>
void PushedMargins<Number>::begin_pass(bool final) {
  final_ = final;
  if (steps_ > 0) expected_steps_ = fall * static_cast<double>(steps_);
  steps_ = 0;
  const std::size_t line = choose_line();
  if (line < common_.size()) move_line(line);
}

// What the tables say of features that are dense no longer goes to the examples.
template <class Number>
void PushedMargins<Number>::move_line(std::size_t dense) {
  for (std::size_t example = 0; example < examples_->size(); ++example) {
    const std::span<const Rank> ranks = (*examples_)[example];
    const std::span<const Rank> before = ranks.first(dense_parts_[example]);
    const auto from = std::ranges::lower_bound(before, static_cast<Rank>(dense)) - before.begin();
    common_.add_slices(before, static_cast<std::size_t>(from), rest(example));
  }
  common_.shrink(dense);
  note_dense_parts();
}

// Searching at every visit would cost as much as the rest of it.
template <class Number>
void PushedMargins<Number>::note_dense_parts() {
  dense_parts_.resize(examples_->size());
  for (std::size_t example = 0; example < dense_parts_.size(); ++example) {
    dense_parts_[example] = static_cast<std::uint32_t>(dense_part((*examples_)[example]));
  }
}

template <class Number>
bool PushedMargins<Number>::scores(const Example& x, Sign, const SupportLog<Number>&, std::span<Number> out) {
  current_ = x.number;
  const std::span<const Number> pushed = rest(x.number);
  for (std::size_t o = 0; o < outputs_; ++o) out[o] = total_[o] * values_[0] + pushed[o];
  common_.add_slices(x.ranks.first(dense_parts_[x.number]), 0, out);
  return true;
}

template <class Number>
void PushedMargins<Number>::add(const SupportLog<Number>& log) {
  if (examples_ == nullptr) return;  // expect() will take in the whole log
  ++steps_;
  take_in(log, log.steps.back());
}

template <class Number>
void PushedMargins<Number>::take_in(const SupportLog<Number>& log, const Step<Number>& step) {
  const std::span<const Rank> ranks = log.rows[step.row];
  add_step(step, Number{1}, std::span(total_));
  common_.add(ranks.first(dense_part(ranks)), step);
  push(ranks, step);
}

// A feature's slice of the step goes to all examples that have it; the overlap counts what is more frequent than it.
template <class Number>
void PushedMargins<Number>::push(std::span<const Rank> ranks, const Step<Number>& step) {
  const std::size_t dense = dense_part(ranks);
  ColouredRecords::Probe before;
  colourless_.clear();
  for (std::size_t at = 0; at < ranks.size(); ++at) {
    const Rank rank = ranks[at];
    if (at >= dense) {
      std::span<const RowId> all = holders_[rank];
      if (final_) all = all.subspan(static_cast<std::size_t>(std::ranges::upper_bound(all, current_) - all.begin()));
      for (std::size_t from = 0; from < all.size(); from += batch) {
        push_feature(all.subspan(from, std::min(batch, all.size() - from)), before, step);
      }
    }
    if (!records_.insert(rank, before)) colourless_.push_back(rank);
  }
}

template <class Number>
void PushedMargins<Number>::push_feature(std::span<const RowId> examples, const ColouredRecords::Probe& before,
                                         const Step<Number>& step) {
  records_.overlaps(examples, before, overlaps_.data());
  for (const Rank rank : colourless_) {
    for (std::size_t at = 0; at < examples.size(); ++at) {
      overlaps_[at] += std::ranges::binary_search((*examples_)[examples[at]], rank) ? 1U : 0U;
    }
  }
  for (std::size_t at = 0; at < examples.size(); ++at) {
    add_step(step, rises_[overlaps_[at]], rest(examples[at]));
  }
}

template <class Number>
std::size_t PushedMargins<Number>::nbytes() const {
  return common_.nbytes() + holders_.nbytes() + rest_.size() * sizeof(Number) + records_.nbytes();
}

template class PushedMargins<std::int64_t>;
template class PushedMargins<Wide>;
template class PushedMargins<double>;

}  // namespace gristmill
