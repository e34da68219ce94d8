// SPDX-License-Identifier: BSD-3-Clause
#include "explain/decisions/set_gains.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace gristmill::explain::decisions {
namespace {

constexpr double most_work = 5e7;    // of bounds from counts; beyond it there are none
constexpr double unbounded = 1e100;  // may be added up

double most_of(const Range& range, double coef) { return std::max(coef * range.low, coef * range.high); }

}  // namespace

SetSource::SetSource(SupportLists support)
    : support_(std::move(support)), shapes_(support_.rows), totals_(support_.machine->outputs(), 0.0) {
  std::vector<std::uint32_t> groups;
  for (std::size_t row = 0; row < support_.rows.size(); ++row) {
    support_.machine->coef.for_each_in_row(row, [&](std::size_t output, double a) { totals_[output] += std::abs(a); });
    groups.clear();
    for (const Slot slot : support_.rows[row]) groups.push_back(support_.features->groups[slot]);
    std::ranges::sort(groups);
    clashes_.push_back(std::ranges::adjacent_find(groups) == groups.end() ? 0 : 1);
  }
}

std::unique_ptr<Gains> SetSource::gains() const { return std::make_unique<SetGains>(*this); }

std::size_t SetSource::nbytes() const noexcept {
  return support_.nbytes() + shapes_.nbytes() + totals_.size() * sizeof(double) + clashes_.size();
}

SetGains::SetGains(const SetSource& source)
    : source_(source),
      levels_(source.support_.machine->outputs(), source.support_.features->map.size() + 1),
      row_(source.support_),
      values_(source.shapes_),
      ranges_(source.shapes_),
      open_(source.support_.machine->outputs()),
      closed_(open_.size()),
      instead_(open_.size() * levels_.slots()) {}

void SetGains::start(std::span<const Slot> present, const Steps& steps) {
  row_.start(present);
  levels_.start();
  steps_ = steps;
  ranges_.forget();
  coef_.clear();
  find_gains();
}

void SetGains::take(Step step) {
  row_.take(step);
  levels_.take_from_zero();
  find_gains();
}

void SetGains::undo() {
  row_.undo();
  levels_.undo();
}

// --- gains ----------------------------------------------------------------------------------------------------------

// The gain of a feature is what it adds to the row without the others of its group: a row that is one shorter where the
// group has a feature.
void SetGains::find_gains() {
  values_.forget();
  std::ranges::fill(open_, 0.0);
  std::ranges::fill(closed_, 0.0);
  std::ranges::fill(instead_, 0.0);
  double* out = levels_.of(0);
  for (std::size_t row = 0; row < source_.support_.rows.size(); ++row) add_row(row, out);
  const Slot none = source_.support_.features->none();
  for (std::size_t output = 0; output < open_.size(); ++output) {
    const std::size_t first = output * levels_.slots();
    for (Slot slot = 0; slot < none; ++slot) {
      const Slot mate = row_.mate(slot);
      out[first + slot] += mate == none ? open_[output] : closed_[output] + instead_[first + mate];
    }
  }
}

void SetGains::add_row(std::size_t row, double* out) {
  const Values values = values_.get(source_.shapes_.of(row, row_.overlap(row)), [&] { return values_at(row); });
  const Slot none = source_.support_.features->none();
  const std::span<const Slot> features = source_.support_.rows[row];
  const auto has = [&](Slot feature) { return std::ranges::find(features, feature) != features.end(); };
  source_.support_.machine->coef.for_each_in_row(row, [&](std::size_t output, double a) {
    open_[output] += a * values.alone;
    closed_[output] += a * values.instead;
  });
  for (const Slot slot : features) {
    const Slot mate = row_.mate(slot);
    const double more = mate == none                ? values.alone_more
                        : mate == slot || has(mate) ? values.instead_of_shared_more
                                                    : values.instead_more;
    source_.support_.machine->coef.for_each_in_row(row, [&](std::size_t output, double a) {
      const std::size_t at = output * levels_.slots() + slot;
      out[at] += a * more;
      if (mate == slot) instead_[at] += a * (values.instead_of_shared - values.instead);
    });
  }
}

SetGains::Values SetGains::values_at(std::size_t row) const {
  const std::size_t size = source_.support_.rows[row].size();
  const auto kernel = [&](std::size_t overlap, std::size_t length) {  // no row shares more than all
    return source_.support_.machine->kernel(static_cast<double>(std::min(overlap, size)), static_cast<double>(length),
                                            static_cast<double>(size));
  };
  const std::size_t overlap = row_.overlap(row);
  const std::size_t length = row_.length();
  const std::size_t fewer = overlap > 0 ? overlap - 1 : 0;
  const std::size_t shorter = length > 0 ? length - 1 : 0;
  const double now = kernel(overlap, length);
  const double longer = kernel(overlap, length + 1);
  return {longer - now,
          now - kernel(overlap, shorter),
          kernel(fewer, length) - kernel(fewer, shorter),
          kernel(overlap + 1, length + 1) - longer,
          kernel(overlap + 1, length) - now,
          now - kernel(fewer, length)};
}

// --- interactions ---------------------------------------------------------------------------------------------------

void SetGains::interactions(std::size_t own, Step step, std::size_t others, const Combination& combination,
                            std::span<double> out) {
  combine(combination);
  if (is_too_much(others)) {
    std::ranges::fill(out, unbounded);
    return;
  }
  if (ranges_others_ != others) ranges_.forget();
  ranges_others_ = others;
  for (Together& one : together_) {
    one.base = 0;
    one.to.assign(levels_.slots(), 0.0);
    one.from.assign(levels_.slots(), 0.0);
  }
  for (std::size_t row = 0; row < coef_.size(); ++row) add_together(row, step);
  for (std::size_t variable = 0; variable < out.size(); ++variable) {
    out[variable] = 0;
    for (std::uint32_t at = steps_.starts[variable]; at < steps_.starts[variable + 1] && variable != own; ++at) {
      out[variable] = std::max(out[variable], together(steps_.steps[at]));
    }
  }
}

// The coefficients of a difference are differences of coefficients.
void SetGains::combine(const Combination& combination) {
  if (!coef_.empty() && combination == combination_) return;
  combination_ = combination;
  coef_.assign(source_.support_.rows.size(), 0.0);
  for (std::size_t row = 0; row < coef_.size(); ++row) {
    source_.support_.machine->coef.for_each_in_row(row, [&](std::size_t output, double a) {
      if (output == combination.output) coef_[row] += combination.sign * a;
      if (output == combination.minus) coef_[row] -= combination.sign * a;
    });
  }
}

bool SetGains::is_too_much(std::size_t others) const {
  const std::size_t shapes = std::min<std::size_t>(source_.shapes_.size(), coef_.size());
  return static_cast<double>(shapes) * work_of_pair_ranges(others) > most_work;
}

// What the row adds to a second step, by its kind; with two features of one group it is not known which counts.
void SetGains::add_together(std::size_t row, Step step) {
  const std::span<const Slot> features = source_.support_.rows[row];
  const PairRanges& ranges = ranges_.get(source_.shapes_.of(row, row_.overlap(row)), [&] {
    return pair_ranges(source_.support_.machine->kernel, features.size(), row_.overlap(row), row_.length(),
                       ranges_others_);
  });
  const auto& with = ranges[kind_of(step, features).number()];
  for (int length = -1; length <= 1; ++length) {
    Together& sums = together_[length + 1];
    const double fewer = most_of(with[StepKind{-1, length}.number()], coef_[row]);
    const double same = most_of(with[StepKind{0, length}.number()], coef_[row]);
    const double more = most_of(with[StepKind{1, length}.number()], coef_[row]);
    if (source_.clashes_[row] != 0) {
      sums.base += std::max({fewer, same, more});
      continue;
    }
    sums.base += same;
    for (const Slot slot : features) {
      sums.to[slot] += more - same;
      sums.from[slot] += fewer - same;
    }
  }
}

StepKind SetGains::kind_of(Step step, std::span<const Slot> features) const {
  const auto has = [&](Slot slot) { return std::ranges::find(features, slot) != features.end() ? 1 : 0; };
  return {has(step.to) - has(step.from), length_of(step)};
}

int SetGains::length_of(Step step) const {
  const Slot none = source_.support_.features->none();
  return (step.to < none ? 1 : 0) - (step.from < none ? 1 : 0);
}

double SetGains::together(Step step) const {
  const Slot none = source_.support_.features->none();
  const Together& sums = together_[length_of(step) + 1];
  return sums.base + (step.to < none ? sums.to[step.to] : 0) + (step.from < none ? sums.from[step.from] : 0);
}

double SetGains::rounding(std::size_t output, std::size_t steps) const {
  const double terms =
      (4.0 * static_cast<double>(source_.support_.rows.size()) + 64) * (static_cast<double>(steps) + 1);
  const double largest = source_.totals_[output] + std::abs(source_.support_.machine->intercept[output]);
  return 16 * terms * std::numeric_limits<double>::epsilon() * (largest + std::numeric_limits<double>::min());
}

}  // namespace gristmill::explain::decisions
