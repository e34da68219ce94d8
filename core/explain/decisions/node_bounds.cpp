// SPDX-License-Identifier: BSD-3-Clause
#include "explain/decisions/node_bounds.hpp"

#include <algorithm>
#include <limits>

namespace gristmill::explain::decisions {

void NodeBounds::set_goal(const Goal& goal, std::span<const Partners> partners, double doubt) {
  goal_ = &goal;
  partners_ = partners;
  fronts_.resize(goal.margins().size());
  reachable_.assign(fronts_.size(), 0);
  for (std::size_t m = 0; m < fronts_.size(); ++m) {
    fronts_[m].doubt = goal.margins()[m].combination.is_difference() ? 2 * doubt : doubt;
  }
}

void NodeBounds::set_node(std::span<const double> scores) {
  for (std::size_t m = 0; m < fronts_.size(); ++m) {
    const Margin& margin = goal_->margins()[m];
    const Combination& combination = margin.combination;
    fronts_[m].margin = margin.of(scores);
    fronts_[m].one = gains_.of(combination.output);
    fronts_[m].two = combination.is_difference() ? gains_.of(combination.minus) : nullptr;
  }
}

bool NodeBounds::is_reached(std::span<const double> scores) {
  for (std::size_t m = 0; m < fronts_.size(); ++m) {
    reachable_[m] = goal_->margins()[m].of(scores) + fronts_[m].doubt >= 0;
  }
  return goal_->possible(reachable_);
}

bool NodeBounds::can_be_reached(std::size_t others) {
  for (std::size_t m = 0; m < fronts_.size(); ++m) {
    double best = fronts_[m].margin + fronts_[m].doubt;
    for (std::size_t variable = 0; variable < steps_.variables(); ++variable) {
      double most = 0;
      for (const StepId step : steps_.of(variable)) most = std::max(most, most_by(m, step, others));
      best += most;
    }
    reachable_[m] = best >= 0;
  }
  return goal_->possible(reachable_);
}

double NodeBounds::worth(StepId step, std::size_t others) const {
  double sum = 0;
  for (std::size_t m = 0; m < fronts_.size(); ++m) {
    if (goal_->wants(m)) sum += most_by(m, step, others);
  }
  return sum;
}

void NodeBounds::start_filling(double budget) {
  for (Front& front : fronts_) front.fill.clear(budget);
}

void NodeBounds::fill(std::size_t variable, double budget, std::size_t others) {
  for (std::size_t m = 0; m < fronts_.size(); ++m) {
    double value = 0;
    double rate = 0;
    for (const StepId step : steps_.of(variable)) {
      if (steps_.costs[step] > budget) continue;
      const double own = most_by(m, step, others);
      value = std::max(value, own);
      rate = std::max(rate, own / steps_.costs[step]);
    }
    if (value > 0) fronts_[m].fill.add(value, rate);
  }
}

bool NodeBounds::can_lead(StepId step, double left, std::size_t others, double& bound) {
  bound = std::numeric_limits<double>::infinity();
  for (std::size_t m = 0; m < fronts_.size(); ++m) {
    const Front& front = fronts_[m];
    double most = front.margin + rise(m, step);
    if (others > 0) most += partners_[m].half(step, others) + front.fill.within(left);
    reachable_[m] = most + front.doubt >= 0;
    if (goal_->needs_all() && reachable_[m] == 0) return false;
    bound = std::min(bound, most);
  }
  return goal_->possible(reachable_);
}

template <class Rise>
double NodeBounds::missing_with(const Rise& rise_of) const {
  double sum = 0;
  for (std::size_t m = 0; m < fronts_.size(); ++m) {
    if (goal_->wants(m)) sum += std::min(0.0, fronts_[m].margin + rise_of(m));
  }
  return sum;
}

double NodeBounds::missing() const {
  return missing_with([](std::size_t) { return 0.0; });
}

double NodeBounds::missing_after(StepId step) const {
  return missing_with([&](std::size_t m) { return rise(m, step); });
}

}  // namespace gristmill::explain::decisions
