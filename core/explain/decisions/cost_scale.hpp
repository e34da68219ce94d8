// SPDX-License-Identifier: BSD-3-Clause
// Costs as multiples of a unit, where they have one: whole numbers add up without rounding. Without one they stay as
// they are, and bounds leave room for rounding.
#pragma once
#include <cstddef>
#include <span>

namespace gristmill::explain::decisions {

class CostScale {
 public:
  explicit CostScale(std::span<double> costs);  // which become multiples of the unit, as all numbers below

  [[nodiscard]] double in_units(double cost) const;
  [[nodiscard]] double cheapest() const noexcept { return cheapest_; }
  // No sum of these costs is larger than what it is as computed.
  [[nodiscard]] double at_most(double sum) const { return has_unit() ? sum : sum * (1 + 1e-9); }
  // The largest cost below another one.
  [[nodiscard]] double below(double cost) const;

  // A little more, so that levels are few; those of whole units are never larger than they must be at first.
  [[nodiscard]] double next_level(double level) const;
  // Up to which cost, not in units, a level has all answers.
  [[nodiscard]] double searched(double level) const { return has_unit() ? level * unit_ : level * (1 - 1e-9); }
  [[nodiscard]] std::size_t steps_within(double budget, std::size_t most) const;

 private:
  [[nodiscard]] bool has_unit() const noexcept { return unit_ != 0; }

  double unit_ = 0;
  double cheapest_ = 0;
};

}  // namespace gristmill::explain::decisions
