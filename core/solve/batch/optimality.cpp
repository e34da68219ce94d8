// SPDX-License-Identifier: BSD-3-Clause
#include "solve/batch/optimality.hpp"

#include <algorithm>
#include <cmath>

namespace gristmill::solve::batch {

namespace {

constexpr double rounding = 1e-12;

// m(a) - M(a), LIBSVM's measure; 0 where nothing may move.
class Violation {
 public:
  void take(const SignedVariable& variable) {
    if (variable.value < variable.upper) high_ = std::min(high_, variable.F);
    if (variable.value > variable.lower) low_ = std::max(low_, variable.F);
  }
  [[nodiscard]] double value() const { return std::max(low_ - high_, 0.0); }

 private:
  double low_ = -std::numeric_limits<double>::infinity();
  double high_ = std::numeric_limits<double>::infinity();
};

}  // namespace

void InterceptRule::take(const SignedVariable& variable) {
  const double near = rounding * std::min(variable.upper - variable.lower, largest_);
  const bool may_grow = variable.value < variable.upper - near;
  const bool may_fall = variable.value > variable.lower + near;
  if (may_grow) high_ = std::min(high_, variable.F);
  if (may_fall) low_ = std::max(low_, variable.F);
  if (may_grow && may_fall) free_sum_ += variable.F, ++free_count_;
}

double InterceptRule::intercept() const {
  if (free_count_ > 0) return -free_sum_ / free_count_;
  if (!std::isfinite(low_)) return std::isfinite(high_) ? -high_ : 0.0;
  return std::isfinite(high_) ? -(low_ + high_) / 2 : -low_;
}

DualSolution judge(const DualProblem& problem, std::vector<double> alpha, std::span<const double> scores, double tol) {
  DualSolution solution;
  InterceptRule rule(alpha.empty() ? 0.0 : *std::ranges::max_element(alpha));
  Violation violation;
  double steepest = 0;
  double sum = 0;
  for (std::size_t at = 0; at < alpha.size(); ++at) sum += problem.signs[at] * alpha[at];
  for (std::size_t at = 0; at < alpha.size(); ++at) {
    const double sign = problem.signs[at];
    const double slope = sign * (scores[at] + problem.constant * sum) + problem.linear[at];
    const bool below = alpha[at] < problem.bounds[at];
    const bool above = alpha[at] > 0;
    const double bound = sign * problem.bounds[at];
    const SignedVariable variable{sign * slope, sign * alpha[at], std::min(bound, 0.0), std::max(bound, 0.0)};
    rule.take(variable);
    violation.take(variable);
    solution.gradient.push_back(variable.F);
    steepest = std::max({steepest, above ? slope : 0.0, below ? -slope : 0.0});
    solution.objective += alpha[at] * (slope + problem.linear[at]) / 2;
  }
  solution.alpha = std::move(alpha);
  solution.violation = problem.equality ? violation.value() : steepest;
  solution.intercept = problem.equality ? rule.intercept() : problem.constant * sum;
  solution.converged = solution.violation <= tol && std::isfinite(solution.objective);
  return solution;
}

}  // namespace gristmill::solve::batch
