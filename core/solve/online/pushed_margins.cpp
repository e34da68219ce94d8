// SPDX-License-Identifier: BSD-3-Clause
#include "solve/online/pushed_margins.hpp"

#include <algorithm>

namespace gristmill {
namespace {

constexpr double first_share = 0.1;  // of the examples are expected to need a step in the first pass
constexpr double fall = 0.6;         // of the steps of a pass are expected in the next
constexpr double per_push = 8;       // relative to an entry of the tables
constexpr std::size_t largest_tables = std::size_t{64} << 20;  // bytes
constexpr std::size_t sample_size = 512;

double entries_below(unsigned degree, double features) {
  const double pairs = features * (features - 1) / 2;
  return features + (degree >= 2 ? pairs : 0) + (degree >= 3 ? pairs * (features - 2) / 3 : 0);
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
void PushedMargins<Number>::expect(const RankRows& examples, std::size_t, const SupportLog<Number>& log) {
  examples_ = &examples;
  std::size_t longest = 0;
  counts_.clear();
  for (std::size_t example = 0; example < examples.size(); ++example) {
    for (const Rank rank : examples[example]) {
      if (rank >= counts_.size()) counts_.resize(rank + std::size_t{1}, 0);
      ++counts_[rank];
    }
    longest = std::max(longest, examples[example].size());
  }
  for (std::size_t row = 0; row < log.rows.size(); ++row) longest = std::max(longest, log.rows[row].size());
  for (std::size_t row = 0; row < log.rows.size(); ++row) {
    if (!log.rows[row].empty()) counts_.resize(std::max<std::size_t>(counts_.size(), log.rows[row].back() + 1), 0);
  }
  marks_.assign(counts_.size(), 0);
  values_ = kernel_values<Number>(kernel_, longest + 1);
  rest_.assign(examples.size() * outputs_, Number{0});
  std::ranges::fill(total_, Number{0});
  expected_steps_ = first_share * static_cast<double>(examples.size());
  steps_ = 0;
  common_ = DenseConjunctions<Number>(kernel_, choose_line(), outputs_);
  index(common_.size());
  for (const Step<Number>& step : log.steps) take_in(log, step);
}

// Postings of the features that are not dense.
template <class Number>
void PushedMargins<Number>::index(std::size_t from) {
  starts_.assign(counts_.size() + 1, 0);
  for (std::size_t rank = 0; rank < counts_.size(); ++rank) {
    starts_[rank + 1] = starts_[rank] + (rank < from ? 0 : counts_[rank]);
  }
  postings_.resize(starts_.back());
  std::vector<std::size_t> next(starts_.begin(), starts_.end() - 1);
  for (std::size_t example = 0; example < examples_->size(); ++example) {
    const std::span<const Rank> ranks = (*examples_)[example];
    for (const Rank rank : ranks.subspan(dense_part(ranks))) postings_[next[rank]++] = static_cast<RowId>(example);
  }
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
  std::vector<double> pushes(counts_.size() + 1, 0);  // per step, if the line is at a rank
  for (std::size_t rank = counts_.size(); rank-- > 0;) {
    const auto count = static_cast<double>(counts_[rank]);
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
  for (std::size_t line = 8; line <= counts_.size(); line += line / 4) {
    const std::size_t bytes = DenseConjunctions<Number>::entries_for(kernel_.degree, line) * outputs_ * sizeof(Number);
    if (bytes > largest_tables) break;
    if (const double cost = cost_at(line); cost < least) best = line, least = cost;
  }
  return best;
}

template <class Number>
void PushedMargins<Number>::begin_pass() {
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
    const std::span<const Rank> before = ranks.first(dense_part(ranks));
    const auto from = std::ranges::lower_bound(before, static_cast<Rank>(dense)) - before.begin();
    common_.add_slices(before, static_cast<std::size_t>(from), rest(example));
  }
  common_.shrink(dense);
  index(dense);
}

template <class Number>
bool PushedMargins<Number>::scores(const Example& x, Sign, const SupportLog<Number>&, std::span<Number> out) {
  const std::span<const Number> pushed = rest(x.number);
  for (std::size_t o = 0; o < outputs_; ++o) out[o] = total_[o] * values_[0] + pushed[o];
  common_.add_slices(x.ranks.first(dense_part(x.ranks)), 0, out);
  return true;
}

template <class Number>
void PushedMargins<Number>::add(const SupportLog<Number>& log) {
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
  for (const Rank rank : ranks.first(dense)) marks_[rank] = 1;
  for (const Rank rank : ranks.subspan(dense)) {
    for (std::size_t at = starts_[rank]; at < starts_[rank + 1]; ++at) {
      std::size_t overlap = 0;
      for (const Rank other : (*examples_)[postings_[at]]) overlap += marks_[other];
      add_step(step, values_[overlap + 1] - values_[overlap], rest(postings_[at]));
    }
    marks_[rank] = 1;
  }
  for (const Rank rank : ranks) marks_[rank] = 0;
}

template <class Number>
std::size_t PushedMargins<Number>::nbytes() const {
  return common_.nbytes() + postings_.size() * sizeof(RowId) + rest_.size() * sizeof(Number) +
         counts_.size() * 2 * sizeof(std::size_t) + marks_.size();
}

template class PushedMargins<std::int64_t>;
template class PushedMargins<Wide>;
template class PushedMargins<double>;

}  // namespace gristmill
