// SPDX-License-Identifier: BSD-3-Clause
#include "explain/decisions/step_table.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

namespace gristmill::explain::decisions {

StepTable::StepTable(const Choices& choices, const Subject& subject) : scale({}) {
  starts.push_back(0);
  for (std::size_t number = 0; number < choices.variables(); ++number) {
    const std::uint32_t own = choices.starts[number];
    const Slot from = subject.slot_of(choices.features[own]);
    for (std::uint32_t value = own + 1; value < choices.starts[number + 1]; ++value) {
      steps.push_back({from, subject.slot_of(choices.features[value])});
      values.push_back(value);
      variable_of.push_back(static_cast<std::uint32_t>(number));
      costs.push_back(choices.costs[value]);
    }
    starts.push_back(static_cast<StepId>(steps.size()));
  }
  scale = CostScale(costs);
}

double StepTable::dearest(std::size_t variables) const {
  std::vector<double> dear;
  for (std::size_t number = 0; number < this->variables(); ++number) {
    double most = 0;
    for (const StepId step : of(number)) most = std::max(most, costs[step]);
    dear.push_back(most);
  }
  std::ranges::sort(dear, std::greater<>());
  dear.resize(std::min(variables, dear.size()));
  return scale.at_most(std::accumulate(dear.begin(), dear.end(), 0.0));
}

double StepTable::cost_of(std::span<const StepId> path) const {
  double cost = 0;
  for (const StepId step : path) cost += costs[step];
  return cost;
}

void StepTable::add_gains(const Gains& gains, StepId step, std::span<double> scores) const {
  for (std::size_t o = 0; o < scores.size(); ++o) {
    const double* of = gains.of(o);
    scores[o] += of[steps[step].to] - of[steps[step].from];
  }
}

std::vector<Slot> present_slots(const Choices& choices, const Subject& subject) {
  std::vector<Slot> present;
  for (const FeatureId feature : choices.fixed) present.push_back(subject.slot_of(feature));
  for (std::size_t number = 0; number < choices.variables(); ++number) {
    present.push_back(subject.slot_of(choices.features[choices.starts[number]]));
  }
  return present;
}

}  // namespace gristmill::explain::decisions
