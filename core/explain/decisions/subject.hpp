// SPDX-License-Identifier: BSD-3-Clause
// The machine that decides, as a search sees it.
#pragma once
#include <functional>
#include <memory>
#include <span>

#include "base/types.hpp"
#include "explain/decisions/gains.hpp"
#include "score/decision_policy.hpp"

namespace gristmill::explain::decisions {

struct Subject {
  std::shared_ptr<const GainSource> source;
  std::function<Slot(FeatureId)> slot_of;
  std::function<void(std::span<const FeatureId> row, std::span<double> out)> score;  // by the definition
  score::DecisionPolicy policy;
  std::size_t outputs;
};

}  // namespace gristmill::explain::decisions
