// SPDX-License-Identifier: BSD-3-Clause
#include "explain/decisions/greedy_search.hpp"

#include <algorithm>

namespace gristmill::explain::decisions {

std::optional<Path> GreedySearch::find(const Goal& goal, std::span<const double> row_scores, std::size_t most) {
  NodeBounds bounds(steps_, gains_);
  bounds.set_goal(goal, {}, 0.0);
  std::vector<double> scores(row_scores.begin(), row_scores.end());
  Path path;
  while (path.size() < most) {
    bounds.set_node(scores);
    const StepId step = best_step(bounds, path);
    if (step == steps_.size()) return std::nullopt;
    steps_.add_gains(gains_, step, scores);
    gains_.take(steps_.steps[step]);
    path.push_back(step);
    if (!test_.is_answer(path)) continue;
    drop_needless(path);
    return path;
  }
  return std::nullopt;
}

// The step of a variable that has not changed after which least is missing, if that is less than before.
StepId GreedySearch::best_step(const NodeBounds& bounds, const Path& path) const {
  double best = bounds.missing();
  auto found = static_cast<StepId>(steps_.size());
  for (StepId step = 0; step < steps_.size(); ++step) {
    if (is_taken(steps_.variable_of[step], path)) continue;
    const double after = bounds.missing_after(step);
    if (after > best) best = after, found = step;
  }
  return found;
}

bool GreedySearch::is_taken(std::uint32_t variable, const Path& path) const {
  return std::ranges::any_of(path, [&](StepId taken) { return steps_.variable_of[taken] == variable; });
}

void GreedySearch::drop_needless(Path& path) {
  for (std::size_t at = 0; at < path.size();) {
    Path rest = path;
    rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(at));
    if (test_.is_answer(rest)) {
      path = rest;
    } else {
      ++at;
    }
  }
}

}  // namespace gristmill::explain::decisions
