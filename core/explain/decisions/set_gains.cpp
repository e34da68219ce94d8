// SPDX-License-Identifier: BSD-3-Clause
#include "explain/decisions/set_gains.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace gristmill::explain::decisions {
namespace {

constexpr double widest = 2.0;  // no second difference of values from 0 to 1 is larger

}  // namespace

SetSource::SetSource(SupportLists support) : support_(std::move(support)), totals_(support_.machine->outputs(), 0.0) {
  for (std::size_t row = 0; row < support_.rows.size(); ++row) {
    support_.machine->coef.for_each_in_row(row, [&](std::size_t output, double a) { totals_[output] += std::abs(a); });
  }
}

std::unique_ptr<Gains> SetSource::gains() const { return std::make_unique<SetGains>(*this); }

std::size_t SetSource::nbytes() const noexcept { return support_.nbytes() + totals_.size() * sizeof(double); }

SetGains::SetGains(const SetSource& source)
    : source_(source),
      levels_(source.support_.machine->outputs(), source.support_.features->map.size() + 1),
      row_(source.support_),
      is_shared_(levels_.slots(), 0) {}

void SetGains::start(std::span<const Slot> present, const Steps&) {
  row_.start(present);
  levels_.start();
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

// The gain of a feature is what it adds to the row without the others of its group: a row that is one shorter where the
// group has a feature.
void SetGains::find_gains() {
  const Lists<Slot>& rows = source_.support_.rows;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    for (const Slot slot : rows[row]) is_shared_[slot] = 1;
    add_row(row, values_at(row));
    for (const Slot slot : rows[row]) is_shared_[slot] = 0;
  }
}

SetGains::Values SetGains::values_at(std::size_t row) const {
  const auto kernel = [&](std::size_t overlap, std::size_t length) {
    return source_.support_.machine->kernel(static_cast<double>(overlap), static_cast<double>(length),
                                            static_cast<double>(source_.support_.rows[row].size()));
  };
  const std::size_t overlap = row_.overlap(row);
  const std::size_t length = row_.length();
  const std::size_t fewer = overlap > 0 ? overlap - 1 : 0;
  const std::size_t shorter = length > 0 ? length - 1 : 0;
  return {kernel(overlap, length),        kernel(fewer, length),  kernel(overlap + 1, length),
          kernel(overlap, shorter),       kernel(fewer, shorter), kernel(overlap, length + 1),
          kernel(overlap + 1, length + 1)};
}

void SetGains::add_row(std::size_t row, const Values& values) {
  const Slot none = source_.support_.features->none();
  double* out = levels_.of(0);
  for (Slot slot = 0; slot < none; ++slot) {
    const Slot mate = row_.mate(slot);
    const bool shared = is_shared_[slot] != 0;
    double gain = (shared ? values.longer_more : values.longer) - values.now;
    if (mate != none) {
      gain = is_shared_[mate] != 0 ? (shared ? values.now : values.fewer) - values.shorter_fewer
                                   : (shared ? values.more : values.now) - values.shorter;
    }
    source_.support_.machine->coef.for_each_in_row(
        row, [&](std::size_t output, double a) { out[output * levels_.slots() + slot] += a * gain; });
  }
}

// The kernel is from 0 to 1, and a step may change all of its values.
void SetGains::interactions(std::size_t, Step, std::size_t, const Combination& combination, std::span<double> out) {
  double total = source_.totals_[combination.output];
  if (combination.is_difference()) total += source_.totals_[combination.minus];
  std::ranges::fill(out, widest * total);
}

double SetGains::rounding(std::size_t output, std::size_t steps) const {
  const double terms =
      (2.0 * static_cast<double>(source_.support_.rows.size()) + 64) * (static_cast<double>(steps) + 1);
  const double largest = source_.totals_[output] + std::abs(source_.support_.machine->intercept[output]);
  return 16 * terms * std::numeric_limits<double>::epsilon() * (largest + std::numeric_limits<double>::min());
}

}  // namespace gristmill::explain::decisions
