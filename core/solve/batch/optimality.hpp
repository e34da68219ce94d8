// SPDX-License-Identifier: BSD-3-Clause
// How good a point of a dual problem is, and the intercept that belongs to it; by LIBSVM's rules.
#pragma once
#include <algorithm>
#include <limits>
#include <span>

#include "solve/batch/problem.hpp"

namespace gristmill {

// Takes F = y_s (Qa + p)_s of every variable, and whether b_s = y_s a_s may grow and fall.
class InterceptRule {
 public:
  void take(double F, bool may_grow, bool may_fall);

  // m(a) - M(a); 0 where nothing may move.
  [[nodiscard]] double violation() const { return std::max(low_ - high_, 0.0); }
  // The mean of y - f over free variables; without any, the middle of what the others allow.
  [[nodiscard]] double intercept() const;

 private:
  double low_ = -std::numeric_limits<double>::infinity();  // the largest F that may fall
  double high_ = std::numeric_limits<double>::infinity();  // the smallest that may grow
  double free_sum_ = 0;
  double free_count_ = 0;
};

// scores: sum_t y_t a_t K(i_t, i_s) of each variable s. alpha is kept; iterations are for the caller to set.
[[nodiscard]] DualSolution judge(const DualProblem& problem, std::vector<double> alpha, std::span<const double> scores,
                                 double tol);

}  // namespace gristmill
