// SPDX-License-Identifier: BSD-3-Clause
#include "solve/batch/optimality.hpp"

#include <algorithm>
#include <cmath>

namespace gristmill {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// Of y_s (Qa + p)_s: where b = y a may fall, where it may grow, and the mean where it may do both.
struct Ends {
  double low = -infinity;  // the largest that may fall
  double high = infinity;  // the smallest that may grow
  double free_sum = 0;
  double free_count = 0;

  void take(double value, bool may_grow, bool may_fall) {
    if (may_grow) high = std::min(high, value);
    if (may_fall) low = std::max(low, value);
    if (may_grow && may_fall) free_sum += value, ++free_count;
  }

  [[nodiscard]] double violation() const { return std::max(low - high, 0.0); }  // infinities: nothing may move
  // Without free variables: the middle of what the others allow.
  [[nodiscard]] double intercept() const {
    if (free_count > 0) return -free_sum / free_count;
    if (!std::isfinite(low)) return std::isfinite(high) ? -high : 0.0;
    return std::isfinite(high) ? -(low + high) / 2 : -low;
  }
};

}  // namespace

DualSolution judge(const DualProblem& problem, std::vector<double> alpha, std::span<const double> scores, double tol) {
  DualSolution solution;
  Ends ends;
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
