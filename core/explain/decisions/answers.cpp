// SPDX-License-Identifier: BSD-3-Clause
// The answers of a search: whether a row is one, which of them are kept, and some answer where the nodes have ended.
#include <algorithm>

#include "explain/decisions/search.hpp"

namespace gristmill::explain::decisions {

// Whether the goal may be reached: what is certain, and what hangs on rounding.
bool Search::is_reached(std::span<const double> scores) {
  const std::span<const Margin> margins = goal_->margins();
  for (std::size_t m = 0; m < margins.size(); ++m) reachable_[m] = margins[m].of(scores) + doubt_of(margins[m]) >= 0;
  return goal_->possible(reachable_);
}

bool Search::is_answer(std::span<const double> scores) {
  const int found = fulfils(request_, subject_.policy, scores, path_.empty() ? 0.0 : doubt_, votes_);
  return found < 0 ? is_answer_by_definition() : found == 1;
}

bool Search::is_answer_by_definition() {
  std::vector<double> scores(subject_.outputs);
  subject_.score(changed_row(), scores);
  return fulfils(request_, subject_.policy, scores, 0.0, votes_) == 1;
}

std::vector<FeatureId> Search::changed_row() const {
  std::vector<FeatureId> row(choices_.fixed.begin(), choices_.fixed.end());
  std::vector<std::uint32_t> values(choices_.starts.begin(), choices_.starts.end() - 1);
  for (const std::uint32_t step : path_) values[variable_[step]] = values_[step];
  for (const std::uint32_t value : values) {
    if (choices_.features[value] >= 0) row.push_back(choices_.features[value]);
  }
  std::ranges::sort(row);
  return row;
}

void Search::keep(double cost) {
  Answer answer{true_cost(), {}};
  for (const std::uint32_t step : path_) answer.changes.push_back({variable_[step], values_[step]});
  std::ranges::sort(answer.changes, {}, &Change::variable);
  const auto place = std::ranges::upper_bound(found_, cost) - found_.begin();
  found_.insert(found_.begin() + place, cost);
  outcome_.answers.insert(outcome_.answers.begin() + place, std::move(answer));
  if (found_.size() > limits_.answers) {
    found_.pop_back();
    outcome_.answers.pop_back();
  }
}

double Search::true_cost() const {
  std::vector<std::uint32_t> steps = path_;
  std::ranges::sort(steps);
  double cost = 0;
  for (const std::uint32_t step : steps) cost += choices_.costs[values_[step]];
  return cost;
}

// Whether all changes of an answer that is known have been made.
bool Search::is_known() const {
  const auto is_taken = [&](const Change& change) {
    return std::ranges::any_of(path_, [&](std::uint32_t step) { return values_[step] == change.value; });
  };
  return std::ranges::any_of(outcome_.answers,
                             [&](const Answer& answer) { return std::ranges::all_of(answer.changes, is_taken); });
}

// Whether some of the changes are an answer by themselves.
bool Search::is_reducible() {
  if (path_.size() < 2) return false;
  std::vector<std::uint32_t> starts{0};
  std::vector<FeatureId> features;
  std::vector<double> costs;
  std::vector<FeatureId> fixed(choices_.fixed.begin(), choices_.fixed.end());
  std::vector<std::uint32_t> value_of(choices_.variables(), 0);
  for (const std::uint32_t step : path_) value_of[variable_[step]] = values_[step];
  for (std::size_t variable = 0; variable < choices_.variables(); ++variable) {
    const std::uint32_t own = choices_.starts[variable];
    if (value_of[variable] == 0) {
      if (choices_.features[own] >= 0) fixed.push_back(choices_.features[own]);
      continue;
    }
    features.insert(features.end(), {choices_.features[own], choices_.features[value_of[variable]]});
    costs.insert(costs.end(), {0.0, 1.0});
    starts.push_back(static_cast<std::uint32_t>(features.size()));
  }
  const Choices part{starts, features, costs, fixed};
  const Limits limits{1, no_limit, static_cast<double>(path_.size()), limits_.nodes - outcome_.nodes};
  const Outcome found = Search(subject_, part, request_, limits, observer_).run();
  outcome_.nodes += found.nodes;
  if (found.answers.empty() && !found.complete) throw OutOfNodes();
  return !found.answers.empty();
}

// --- without a proof ------------------------------------------------------------------------------------------------

// Some answer, by the best step again and again.
void Search::settle_for_any() {
  most_ = std::min(limits_.changes, choices_.variables());
  for (std::size_t goal = 0; goal < goals_.size(); ++goal) {
    path_.clear();
    start();
    if (!find_greedily(goal)) continue;
    drop_needless();
    double cost = 0;
    for (const std::uint32_t step : path_) cost += costs_[step];
    if (found_.empty() || cost < found_.front()) {
      found_.clear();
      outcome_.answers.clear();
      if (cost < bar_) keep(cost);
    }
  }
  path_.clear();
}

bool Search::find_greedily(std::size_t goal) {
  goal_ = &goals_[goal];
  std::vector<double> scores = row_scores_;
  while (path_.size() < most_) {
    set_fronts(scores);
    const std::uint32_t step = steepest(*goal_);
    if (step == steps_.size()) return false;
    for (std::size_t o = 0; o < scores.size(); ++o) {
      scores[o] += gains_->of(o)[steps_[step].to] - gains_->of(o)[steps_[step].from];
    }
    gains_->take(steps_[step]);
    path_.push_back(step);
    if (is_answer_by_definition()) return true;
  }
  return false;
}

// The step of a variable that has not changed after which least is missing, if that is less than before.
std::uint32_t Search::steepest(const Goal& goal) const {
  const auto missing = [&](const auto& rise_of) {
    double sum = 0;
    for (std::size_t m = 0; m < fronts_.size(); ++m) {
      if (goal.wants(m)) sum += std::min(0.0, fronts_[m].margin + rise_of(m));
    }
    return sum;
  };
  double best = missing([](std::size_t) { return 0.0; });
  auto found = static_cast<std::uint32_t>(steps_.size());
  for (std::uint32_t step = 0; step < steps_.size(); ++step) {
    const auto same = [&](std::uint32_t taken) { return variable_[taken] == variable_[step]; };
    if (std::ranges::any_of(path_, same)) continue;
    const double after = missing([&](std::size_t m) { return rise(fronts_[m], goal.margins()[m], step); });
    if (after > best) best = after, found = step;
  }
  return found;
}

void Search::drop_needless() {
  for (std::size_t at = 0; at < path_.size();) {
    const std::uint32_t step = path_[at];
    path_.erase(path_.begin() + static_cast<std::ptrdiff_t>(at));
    if (is_answer_by_definition()) continue;
    path_.insert(path_.begin() + static_cast<std::ptrdiff_t>(at), step);
    ++at;
  }
}

}  // namespace gristmill::explain::decisions
