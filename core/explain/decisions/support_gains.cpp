// SPDX-License-Identifier: BSD-3-Clause
#include "explain/decisions/support_gains.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace gristmill::explain::decisions {

SupportSource::SupportSource(SupportLists support) : support_(std::move(support)) {
  const machine::SetMachine& machine = *support_.machine;
  const std::size_t size = support_.features->map.size();
  set_increments();
  for (const double intercept : machine.intercept) magnitudes_.push_back(std::abs(intercept));
  bends_.assign(machine.outputs() * size, 0.0);
  for (std::size_t row = 0; row < support_.rows.size(); ++row) {
    clashes_.push_back(has_two_of_a_group(row) ? 1 : 0);
    machine.coef.for_each_in_row(row, [&](std::size_t output, double a) {
      magnitudes_[output] += std::abs(a) * largest_;
      for (const Slot slot : support_.rows[row]) bends_[output * size + slot] += std::abs(a) * bend_;
    });
  }
}

void SupportSource::set_increments() {
  const std::vector<double> values = support_.machine->kernel.values(support_.machine->support().longest());
  for (const double value : values) largest_ = std::max(largest_, std::abs(value));
  for (std::size_t m = 0; m + 1 < values.size(); ++m) increments_.push_back(values[m + 1] - values[m]);
  for (std::size_t m = 0; m + 1 < increments_.size(); ++m) {
    bend_ = std::max(bend_, std::abs(increments_[m + 1] - increments_[m]));
  }
}

bool SupportSource::has_two_of_a_group(std::size_t row) const {
  const std::vector<std::uint32_t>& groups = support_.features->groups;
  const std::span<const Slot> slots = support_.rows[row];
  return std::ranges::any_of(slots, [&](Slot a) {
    return std::ranges::any_of(slots, [&](Slot b) { return a != b && groups[a] == groups[b]; });
  });
}

std::unique_ptr<Gains> SupportSource::gains() const { return std::make_unique<SupportGains>(*this); }

std::size_t SupportSource::nbytes() const noexcept {
  return support_.nbytes() + clashes_.size() +
         (increments_.size() + magnitudes_.size() + bends_.size()) * sizeof(double);
}

SupportGains::SupportGains(const SupportSource& source)
    : source_(source),
      levels_(source.support_.machine->outputs(), source.support_.features->map.size() + 1),
      row_(source.support_) {}

void SupportGains::start(std::span<const Slot> present, const Steps&) {
  row_.start(present);
  levels_.start();
  for (std::size_t row = 0; row < source_.support_.rows.size(); ++row) add_row(row, 1.0);
}

std::size_t SupportGains::mates(std::size_t row, Slot feature) const {
  if (source_.clashes_[row] == 0) return row_.has(feature) ? 1 : 0;
  const std::vector<std::uint32_t>& groups = source_.support_.features->groups;
  return static_cast<std::size_t>(std::ranges::count_if(
      source_.support_.rows[row], [&](Slot other) { return row_.has(other) && groups[other] == groups[feature]; }));
}

void SupportGains::add_row(std::size_t row, double sign) {
  double* out = levels_.of(0);
  for (const Slot slot : source_.support_.rows[row]) {
    const double increment = sign * source_.increments_[row_.overlap(row) - mates(row, slot)];
    source_.support_.machine->coef.for_each_in_row(
        row, [&](std::size_t output, double a) { out[output * levels_.slots() + slot] += a * increment; });
  }
}

void SupportGains::take(Step step) {
  touch_rows(step);
  levels_.take_from_last();
  for (const RowId row : touched_) add_row(row, -1.0);
  row_.take(step);
  for (const RowId row : touched_) add_row(row, 1.0);
}

void SupportGains::undo() {
  row_.undo();
  levels_.undo();
}

void SupportGains::touch_rows(Step step) {
  touched_.clear();
  for (const Slot slot : {step.from, step.to}) {
    if (slot == none()) continue;
    const std::span<const RowId> rows = source_.support_.postings[slot];
    touched_.insert(touched_.end(), rows.begin(), rows.end());
  }
  std::ranges::sort(touched_);
  touched_.erase(std::unique(touched_.begin(), touched_.end()), touched_.end());
}

void SupportGains::interactions(std::size_t, Step step, std::size_t, const Combination& combination,
                                std::span<double> out) {
  const std::size_t size = source_.support_.features->map.size();
  double bend = 0;
  const auto add = [&](std::size_t output, Slot slot) {
    if (slot != none()) bend += source_.bends_[output * size + slot];
  };
  for (const Slot slot : {step.from, step.to}) {
    add(combination.output, slot);
    if (combination.is_difference()) add(combination.minus, slot);
  }
  std::ranges::fill(out, bend);
}

// Each pass takes out and adds the terms of rows again.
double SupportGains::rounding(std::size_t output, std::size_t steps) const {
  const double passes = 2.0 * static_cast<double>(steps) + 1;
  const double terms = passes * (static_cast<double>(source_.support_.rows.size()) + 2) + 64;
  return 8 * terms * passes * std::numeric_limits<double>::epsilon() *
         (source_.magnitudes_[output] + std::numeric_limits<double>::min());
}

}  // namespace gristmill::explain::decisions
