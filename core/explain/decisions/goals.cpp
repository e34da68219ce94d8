// SPDX-License-Identifier: BSD-3-Clause
#include "explain/decisions/goals.hpp"

#include <algorithm>
#include <cmath>

namespace gristmill::explain::decisions {
namespace {

using score::DecisionPolicy;
using score::DecisionRule;

Goal by_sign(std::int32_t number) { return Goal::all({{{0, number == 1 ? 1.0 : -1.0}, 0.0}}); }

Goal by_largest(std::int32_t winner, std::span<const std::int32_t> rivals) {
  std::vector<Margin> margins;
  for (const std::int32_t rival : rivals) {
    margins.push_back({{static_cast<std::size_t>(winner), 1.0, static_cast<std::size_t>(rival)}, 0.0});
  }
  return Goal::all(std::move(margins));
}

Goal to_prefer(const DecisionPolicy& policy, std::int32_t winner, std::vector<std::int32_t> rivals) {
  switch (policy.rule) {
    case DecisionRule::largest:
      return by_largest(winner, rivals);
    case DecisionRule::votes:
      return Goal::votes(policy, winner, std::move(rivals));
    case DecisionRule::sign:
      break;
  }
  return by_sign(winner);
}

std::vector<std::int32_t> all_but(std::int32_t classes, std::int32_t number) {
  std::vector<std::int32_t> others;
  for (std::int32_t other = 0; other < classes; ++other) {
    if (other != number) others.push_back(other);
  }
  return others;
}

int fulfils_score(const Request& request, double score, double doubt) {
  const double margin = request.sign * score - request.sign * request.threshold;
  if (doubt > 0 && !(std::abs(margin) > doubt)) return -1;
  return margin > 0 || (request.inclusive && margin == 0) ? 1 : 0;
}

}  // namespace

Goal Goal::all(std::vector<Margin> margins) {
  Goal goal;
  goal.margins_ = std::move(margins);
  return goal;
}

Goal Goal::votes(const DecisionPolicy& policy, std::int32_t winner, std::vector<std::int32_t> rivals) {
  Goal goal;
  const auto classes = static_cast<std::size_t>(policy.classes);
  for (std::size_t output = 0; output < classes * (classes - 1) / 2; ++output) {
    goal.margins_.push_back({{output, 1.0}, 0.0});
    goal.margins_.push_back({{output, -1.0}, 0.0});
  }
  goal.classes_ = policy.classes;
  goal.winner_ = winner;
  goal.rivals_ = std::move(rivals);
  return goal;
}

bool Goal::wants(std::size_t margin) const {
  std::size_t output = 0;
  for (std::int32_t i = 0; i < classes_; ++i) {
    for (std::int32_t j = i + 1; j < classes_; ++j, ++output) {
      if (output == margin / 2) return margin % 2 == 0 ? i == winner_ : j == winner_;
    }
  }
  return needs_all();
}

bool Goal::possible(std::span<const std::uint8_t> reachable) const {
  if (needs_all()) return std::ranges::all_of(reachable, [](std::uint8_t one) { return one != 0; });
  return std::ranges::all_of(rivals_, [&](std::int32_t rival) { return beats(rival, reachable); });
}

bool Goal::beats(std::int32_t rival, std::span<const std::uint8_t> reachable) const {
  const std::int32_t own = votes_of(winner_, true, reachable);
  const std::int32_t theirs = votes_of(rival, false, reachable);
  return own > theirs || (own == theirs && winner_ < rival);
}

std::int32_t Goal::votes_of(std::int32_t number, bool most, std::span<const std::uint8_t> reachable) const {
  std::int32_t votes = 0;
  std::size_t output = 0;
  for (std::int32_t i = 0; i < classes_; ++i) {
    for (std::int32_t j = i + 1; j < classes_; ++j, ++output) {
      if (i != number && j != number) continue;
      const bool can_win = reachable[2 * output + (i == number ? 0 : 1)] != 0;
      const bool can_lose = reachable[2 * output + (i == number ? 1 : 0)] != 0;
      votes += (most ? can_win : !can_lose) ? 1 : 0;
    }
  }
  return votes;
}

std::vector<Goal> goals_of(const Request& request, const DecisionPolicy& policy) {
  if (request.kind == Request::Kind::reach) {
    return {Goal::all({{{static_cast<std::size_t>(request.number), request.sign}, request.sign * request.threshold}})};
  }
  if (request.kind == Request::Kind::become) {
    return {to_prefer(policy, request.number, all_but(policy.classes, request.number))};
  }
  std::vector<Goal> goals;
  for (const std::int32_t other : all_but(policy.classes, request.number)) {
    goals.push_back(to_prefer(policy, other, {request.number}));
  }
  return goals;
}

int fulfils(const Request& request, const DecisionPolicy& policy, std::span<const double> scores, double doubt,
            std::vector<std::int32_t>& votes) {
  if (request.kind == Request::Kind::reach)
    return fulfils_score(request, scores[static_cast<std::size_t>(request.number)], doubt);
  const std::int32_t found = score::decide(policy, scores, score::Doubt::of(doubt), {}, votes);
  if (found == score::undecided) return -1;
  return (found == request.number) == (request.kind == Request::Kind::become) ? 1 : 0;
}

}  // namespace gristmill::explain::decisions
