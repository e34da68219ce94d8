// SPDX-License-Identifier: BSD-3-Clause
#include "explain/decisions/answer_test.hpp"

#include <algorithm>

namespace gristmill::explain::decisions {

AnswerTest::AnswerTest(const Subject& subject, const Choices& choices, const Request& request, const StepTable& steps)
    : subject_(subject), choices_(choices), request_(request), steps_(steps) {}

std::vector<double> AnswerTest::scores(const Path& path) const {
  std::vector<double> scores(subject_.outputs);
  subject_.score(features(path), scores);
  return scores;
}

bool AnswerTest::is_answer(const Path& path, std::span<const double> scores, double doubt) {
  const int found = fulfils(request_, subject_.policy, scores, doubt, votes_);
  return found < 0 ? is_answer(path) : found == 1;
}

bool AnswerTest::is_answer(const Path& path) {
  return fulfils(request_, subject_.policy, scores(path), 0.0, votes_) == 1;
}

Answer AnswerTest::answer(const Path& path) const {
  Answer answer{cost(path), {}};
  for (const StepId step : path) answer.changes.push_back({steps_.variable_of[step], steps_.values[step]});
  std::ranges::sort(answer.changes, {}, &Change::variable);
  return answer;
}

std::vector<FeatureId> AnswerTest::features(const Path& path) const {
  std::vector<FeatureId> row(choices_.fixed.begin(), choices_.fixed.end());
  std::vector<std::uint32_t> values(choices_.starts.begin(), choices_.starts.end() - 1);
  for (const StepId step : path) values[steps_.variable_of[step]] = steps_.values[step];
  for (const std::uint32_t value : values) {
    if (choices_.features[value] >= 0) row.push_back(choices_.features[value]);
  }
  std::ranges::sort(row);
  return row;
}

// Not in units, and whatever the order of the path.
double AnswerTest::cost(Path path) const {
  std::ranges::sort(path);
  double cost = 0;
  for (const StepId step : path) cost += choices_.costs[steps_.values[step]];
  return cost;
}

}  // namespace gristmill::explain::decisions
