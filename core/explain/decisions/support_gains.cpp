// SPDX-License-Identifier: BSD-3-Clause
#include "explain/decisions/support_gains.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace gristmill::explain::decisions {

SupportSource::SupportSource(std::shared_ptr<const machine::SetMachine> machine,
                             std::shared_ptr<const GroupedFeatures> features)
    : machine_(std::move(machine)), features_(std::move(features)) {
  const rows::Rows support = machine_->support();
  const std::size_t size = features_->map.size();
  const std::size_t outputs = machine_->outputs();
  const std::vector<double> values = machine_->kernel.values(support.longest());
  double largest = 0;
  double bend = 0;
  for (const double value : values) largest = std::max(largest, std::abs(value));
  for (std::size_t m = 0; m + 1 < values.size(); ++m) increments_.push_back(values[m + 1] - values[m]);
  for (std::size_t m = 0; m + 1 < increments_.size(); ++m) {
    bend = std::max(bend, std::abs(increments_[m + 1] - increments_[m]));
  }
  for (const double intercept : machine_->intercept) magnitudes_.push_back(std::abs(intercept));
  bends_.assign(outputs * size, 0.0);
  for (std::size_t row = 0; row < support.size(); ++row) {
    for (const FeatureId id : support[row]) rows_.push(features_->find(id));
    rows_.close();
    bool clash = false;
    for (const Slot a : rows_[row]) {
      for (const Slot b : rows_[row]) clash = clash || (a != b && features_->groups[a] == features_->groups[b]);
    }
    clashes_.push_back(clash ? 1 : 0);
    machine_->coef.for_each_in_row(row, [&](std::size_t output, double a) {
      magnitudes_[output] += std::abs(a) * largest;
      for (const Slot slot : rows_[row]) bends_[output * size + slot] += std::abs(a) * bend;
    });
  }
  postings_ = Lists<RowId>::grouped(size, [&](auto visit) {
    for (std::size_t row = 0; row < rows_.size(); ++row) {
      for (const Slot slot : rows_[row]) visit(slot, static_cast<RowId>(row));
    }
  });
}

std::unique_ptr<Gains> SupportSource::gains() const { return std::make_unique<SupportGains>(*this); }

std::size_t SupportSource::nbytes() const noexcept {
  return features_->map.nbytes() + rows_.nbytes() + postings_.nbytes() + clashes_.size() + machine_->nbytes() +
         (increments_.size() + magnitudes_.size() + bends_.size()) * sizeof(double);
}

SupportGains::SupportGains(const SupportSource& source)
    : source_(source),
      stride_(source.features_->map.size() + 1),
      levels_(1, std::vector<double>(source.machine_->outputs() * stride_)),
      present_(stride_, 0),
      overlaps_(source.rows_.size(), 0) {}

void SupportGains::start(std::span<const Slot> present, const Steps&) {
  std::ranges::fill(present_, std::uint8_t{0});
  std::ranges::fill(overlaps_, 0U);
  std::ranges::fill(levels_[0], 0.0);
  level_ = 0;
  taken_.clear();
  for (const Slot slot : present) mark(slot, true);
  for (std::size_t row = 0; row < source_.rows_.size(); ++row) add_row(row, 1.0);
}

void SupportGains::mark(Slot slot, bool present) {
  if (slot == none()) return;
  present_[slot] = present ? 1 : 0;
  for (const RowId row : source_.postings_[slot]) overlaps_[row] += present ? 1U : ~0U;
}

std::size_t SupportGains::mates(std::size_t row, Slot feature) const {
  if (source_.clashes_[row] == 0) return present_[feature];
  const std::span<const Slot> slots = source_.rows_[row];
  return static_cast<std::size_t>(std::ranges::count_if(slots, [&](Slot other) {
    return present_[other] != 0 && source_.features_->groups[other] == source_.features_->groups[feature];
  }));
}

void SupportGains::add_row(std::size_t row, double sign) {
  double* out = levels_[level_].data();
  for (const Slot slot : source_.rows_[row]) {
    const double increment = sign * source_.increments_[overlaps_[row] - mates(row, slot)];
    source_.machine_->coef.for_each_in_row(
        row, [&](std::size_t output, double a) { out[output * stride_ + slot] += a * increment; });
  }
}

void SupportGains::take(Step step) {
  if (levels_.size() == level_ + 1) levels_.emplace_back(levels_[0].size());
  levels_[level_ + 1] = levels_[level_];
  ++level_;
  touched_.clear();
  for (const Slot slot : {step.from, step.to}) {
    if (slot == none()) continue;
    const std::span<const RowId> rows = source_.postings_[slot];
    touched_.insert(touched_.end(), rows.begin(), rows.end());
  }
  std::ranges::sort(touched_);
  touched_.erase(std::unique(touched_.begin(), touched_.end()), touched_.end());
  for (const RowId row : touched_) add_row(row, -1.0);
  mark(step.from, false);
  mark(step.to, true);
  for (const RowId row : touched_) add_row(row, 1.0);
  taken_.push_back(step);
}

void SupportGains::undo() {
  mark(taken_.back().to, false);
  mark(taken_.back().from, true);
  taken_.pop_back();
  --level_;
}

void SupportGains::interactions(std::size_t, Step step, std::size_t, const Combination& combination,
                                std::span<double> out) {
  const std::size_t size = source_.features_->map.size();
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
  const double terms = passes * (static_cast<double>(source_.rows_.size()) + 2) + 64;
  return 8 * terms * passes * std::numeric_limits<double>::epsilon() *
         (source_.magnitudes_[output] + std::numeric_limits<double>::min());
}

}  // namespace gristmill::explain::decisions
