// SPDX-License-Identifier: BSD-3-Clause
#include "explain/decisions/set_gains.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace gristmill::explain::decisions {
namespace {

constexpr double widest = 2.0;  // no second difference of values from 0 to 1 is larger

}  // namespace

SetSource::SetSource(std::shared_ptr<const machine::SetMachine> machine,
                     std::shared_ptr<const GroupedFeatures> features)
    : machine_(std::move(machine)), features_(std::move(features)), totals_(machine_->outputs(), 0.0) {
  const rows::Rows support = machine_->support();
  for (std::size_t row = 0; row < support.size(); ++row) {
    for (const FeatureId id : support[row]) rows_.push(features_->find(id));
    rows_.close();
    machine_->coef.for_each_in_row(row, [&](std::size_t output, double a) { totals_[output] += std::abs(a); });
  }
  postings_ = Lists<RowId>::grouped(features_->map.size(), [&](auto visit) {
    for (std::size_t row = 0; row < rows_.size(); ++row) {
      for (const Slot slot : rows_[row]) visit(slot, static_cast<RowId>(row));
    }
  });
}

std::unique_ptr<Gains> SetSource::gains() const { return std::make_unique<SetGains>(*this); }

std::size_t SetSource::nbytes() const noexcept {
  return features_->map.nbytes() + rows_.nbytes() + postings_.nbytes() + machine_->nbytes() +
         totals_.size() * sizeof(double);
}

SetGains::SetGains(const SetSource& source)
    : source_(source),
      stride_(source.features_->map.size() + 1),
      levels_(1, std::vector<double>(source.machine_->outputs() * stride_)),
      present_(stride_, 0),
      in_row_(stride_, 0),
      overlaps_(source.rows_.size(), 0) {
  std::uint32_t groups = 0;
  for (const std::uint32_t group : source_.features_->groups) groups = std::max(groups, group + 1);
  own_.assign(groups, static_cast<Slot>(none()));
}

// What stands behind none is a feature that no variable has.
void SetGains::start(std::span<const Slot> present, const Steps&) {
  std::ranges::fill(present_, std::uint8_t{0});
  std::ranges::fill(own_, static_cast<Slot>(none()));
  std::ranges::fill(overlaps_, 0U);
  level_ = 0;
  length_ = 0;
  taken_.clear();
  for (const Slot slot : present) {
    if (slot > none()) ++length_;
    mark(slot, true);
  }
  find_gains();
}

void SetGains::mark(Slot slot, bool present) {
  if (slot >= none()) return;
  present_[slot] = present ? 1 : 0;
  own_[source_.features_->groups[slot]] = present ? slot : static_cast<Slot>(none());
  length_ += present ? 1 : ~std::size_t{0};
  for (const RowId row : source_.postings_[slot]) overlaps_[row] += present ? 1U : ~0U;
}

void SetGains::take(Step step) {
  mark(step.from, false);
  mark(step.to, true);
  taken_.push_back(step);
  if (levels_.size() == level_ + 1) levels_.emplace_back(levels_[0].size());
  ++level_;
  find_gains();
}

void SetGains::undo() {
  mark(taken_.back().to, false);
  mark(taken_.back().from, true);
  taken_.pop_back();
  --level_;
}

double SetGains::kernel(std::size_t overlap, std::size_t length, std::size_t row) const {
  return source_.machine_->kernel(static_cast<double>(overlap), static_cast<double>(length),
                                  static_cast<double>(source_.rows_[row].size()));
}

// The gain of a feature is what it adds to the row without the others of its group: a row that is one shorter where the
// group has a feature.
void SetGains::find_gains() {
  std::ranges::fill(levels_[level_], 0.0);
  for (std::size_t row = 0; row < source_.rows_.size(); ++row) {
    for (const Slot slot : source_.rows_[row]) in_row_[slot] = 1;
    add_row(row, values_at(row));
    for (const Slot slot : source_.rows_[row]) in_row_[slot] = 0;
  }
}

SetGains::Values SetGains::values_at(std::size_t row) const {
  const std::size_t overlap = overlaps_[row];
  const std::size_t fewer = overlap > 0 ? overlap - 1 : 0;
  const std::size_t shorter = length_ > 0 ? length_ - 1 : 0;
  return {kernel(overlap, length_, row),        kernel(fewer, length_, row), kernel(overlap + 1, length_, row),
          kernel(overlap, shorter, row),        kernel(fewer, shorter, row), kernel(overlap, length_ + 1, row),
          kernel(overlap + 1, length_ + 1, row)};
}

void SetGains::add_row(std::size_t row, const Values& values) {
  double* out = levels_[level_].data();
  for (Slot slot = 0; slot < none(); ++slot) {
    const Slot own = own_[source_.features_->groups[slot]];
    const bool shared = in_row_[slot] != 0;
    double gain = (shared ? values.longer_more : values.longer) - values.now;
    if (own != none()) {
      gain = in_row_[own] != 0 ? (shared ? values.now : values.fewer) - values.shorter_fewer
                               : (shared ? values.more : values.now) - values.shorter;
    }
    source_.machine_->coef.for_each_in_row(
        row, [&](std::size_t output, double a) { out[output * stride_ + slot] += a * gain; });
  }
}

// The kernel is from 0 to 1, and a step may change all of its values.
void SetGains::interactions(std::size_t, Step, std::size_t, const Combination& combination, std::span<double> out) {
  double total = source_.totals_[combination.output];
  if (combination.is_difference()) total += source_.totals_[combination.minus];
  std::ranges::fill(out, widest * total);
}

double SetGains::rounding(std::size_t output, std::size_t steps) const {
  const double terms = (2.0 * static_cast<double>(source_.rows_.size()) + 64) * (static_cast<double>(steps) + 1);
  const double largest = source_.totals_[output] + std::abs(source_.machine_->intercept[output]);
  return 16 * terms * std::numeric_limits<double>::epsilon() * (largest + std::numeric_limits<double>::min());
}

}  // namespace gristmill::explain::decisions
