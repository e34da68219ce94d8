// SPDX-License-Identifier: BSD-3-Clause
#include "solve/batch/optimality.hpp"

#include <algorithm>
#include <cmath>

namespace gristmill {

void InterceptRule::take(double value, bool may_grow, bool may_fall) {
  if (may_grow) high_ = std::min(high_, value);
  if (may_fall) low_ = std::max(low_, value);
  if (may_grow && may_fall) free_sum_ += value, ++free_count_;
}

double InterceptRule::intercept() const {
  if (free_count_ > 0) return -free_sum_ / free_count_;
  if (!std::isfinite(low_)) return std::isfinite(high_) ? -high_ : 0.0;
  return std::isfinite(high_) ? -(low_ + high_) / 2 : -low_;
}

DualSolution judge(const DualProblem& problem, std::vector<double> alpha, std::span<const double> scores, double tol) {
  DualSolution solution;
  InterceptRule ends;
  double steepest = 0;
  double sum = 0;
  for (std::size_t at = 0; at < alpha.size(); ++at) sum += problem.signs[at] * alpha[at];
  for (std::size_t at = 0; at < alpha.size(); ++at) {
    const double sign = problem.signs[at];
    const double slope = sign * (scores[at] + problem.constant * sum) + problem.linear[at];
    const bool below = alpha[at] < problem.bounds[at];
    const bool above = alpha[at] > 0;
    ends.take(sign * slope, sign > 0 ? below : above, sign > 0 ? above : below);
    steepest = std::max({steepest, above ? slope : 0.0, below ? -slope : 0.0});
    solution.objective += alpha[at] * (slope + problem.linear[at]) / 2;
  }
  solution.alpha = std::move(alpha);
  solution.violation = problem.equality ? ends.violation() : steepest;
  solution.intercept = problem.equality ? ends.intercept() : problem.constant * sum;
  solution.converged = solution.violation <= tol && std::isfinite(solution.objective);
  return solution;
}

}  // namespace gristmill
