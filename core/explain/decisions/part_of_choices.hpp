// SPDX-License-Identifier: BSD-3-Clause
// A row of which only some variables may change, each to one value.
#pragma once
#include <vector>

#include "explain/decisions/step_table.hpp"

namespace gristmill::explain::decisions {

class PartOfChoices {
 public:
  PartOfChoices(const Choices& choices, const StepTable& steps, const Path& path);

  [[nodiscard]] Choices view() const noexcept { return {starts_, features_, costs_, fixed_}; }

 private:
  std::vector<std::uint32_t> starts_{0};
  std::vector<FeatureId> features_;
  std::vector<double> costs_;
  std::vector<FeatureId> fixed_;
};

}  // namespace gristmill::explain::decisions
