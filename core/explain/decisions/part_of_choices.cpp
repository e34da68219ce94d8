// SPDX-License-Identifier: BSD-3-Clause
#include "explain/decisions/part_of_choices.hpp"

namespace gristmill::explain::decisions {

PartOfChoices::PartOfChoices(const Choices& choices, const StepTable& steps, const Path& path)
    : fixed_(choices.fixed.begin(), choices.fixed.end()) {
  std::vector<std::uint32_t> value_of(choices.variables(), 0);
  for (const StepId step : path) value_of[steps.variable_of[step]] = steps.values[step];
  for (std::size_t variable = 0; variable < choices.variables(); ++variable) {
    const FeatureId own = choices.features[choices.starts[variable]];
    if (value_of[variable] == 0) {
      if (own >= 0) fixed_.push_back(own);
      continue;
    }
    features_.insert(features_.end(), {own, choices.features[value_of[variable]]});
    costs_.insert(costs_.end(), {0.0, 1.0});
    starts_.push_back(static_cast<std::uint32_t>(features_.size()));
  }
}

}  // namespace gristmill::explain::decisions
