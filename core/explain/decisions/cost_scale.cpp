// SPDX-License-Identifier: BSD-3-Clause
#include "explain/decisions/cost_scale.hpp"

#include <algorithm>
#include <cmath>

namespace gristmill::explain::decisions {
namespace {

constexpr double most_units = 1e6;

bool is_whole(double value) { return std::abs(value - std::round(value)) <= 1e-9 * value; }

// The largest number that all costs are multiples of; 0 where there is none that divides the smallest into few parts.
double unit_of(std::span<const double> costs) {
  const double smallest = std::ranges::min(costs);
  for (int parts = 1; parts <= 12; ++parts) {
    const double unit = smallest / static_cast<double>(parts);
    const auto fits = [&](double cost) { return cost / unit < most_units && is_whole(cost / unit); };
    if (std::ranges::all_of(costs, fits)) return unit;
  }
  return 0;
}

}  // namespace

CostScale::CostScale(std::span<double> costs) {
  if (costs.empty()) return;
  unit_ = unit_of(costs);
  for (double& cost : costs) cost = in_units(cost);
  cheapest_ = std::ranges::min(costs);
}

double CostScale::in_units(double cost) const { return has_unit() ? std::round(cost / unit_) : cost; }

double CostScale::below(double cost) const { return has_unit() ? cost - 1 : std::nexttoward(cost, 0.0); }

double CostScale::next_level(double level) const {
  return level + (has_unit() ? std::max(1.0, std::floor(level / 8)) : std::max(cheapest_, level / 8));
}

std::size_t CostScale::steps_within(double budget, std::size_t most) const {
  const double steps = std::floor(budget / cheapest_ * (1 + 1e-12));
  return steps < 1 ? 0 : static_cast<std::size_t>(std::min(steps, static_cast<double>(most)));
}

}  // namespace gristmill::explain::decisions
