// SPDX-License-Identifier: BSD-3-Clause
// Whether a row is an answer after the steps of a path.
#pragma once
#include <span>
#include <vector>

#include "explain/decisions/goals.hpp"
#include "explain/decisions/step_table.hpp"

namespace gristmill::explain::decisions {

class AnswerTest {
 public:
  AnswerTest(const Subject& subject, const Choices& choices, const Request& request, const StepTable& steps);

  [[nodiscard]] std::vector<double> scores(const Path& path) const;  // by the definition
  // scores: added up from gains, and so far off.
  [[nodiscard]] bool is_answer(const Path& path, std::span<const double> scores, double doubt);
  [[nodiscard]] bool is_answer(const Path& path);
  [[nodiscard]] Answer answer(const Path& path) const;

 private:
  [[nodiscard]] std::vector<FeatureId> features(const Path& path) const;
  [[nodiscard]] double cost(Path path) const;

  const Subject& subject_;
  const Choices& choices_;
  const Request& request_;
  const StepTable& steps_;
  std::vector<std::int32_t> votes_;
};

}  // namespace gristmill::explain::decisions
