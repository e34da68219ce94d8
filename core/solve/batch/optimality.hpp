// SPDX-License-Identifier: BSD-3-Clause
// How good a point of a dual problem is, and the intercept that belongs to it; by LIBSVM's rules.
#pragma once
#include <algorithm>
#include <limits>
#include <span>

#include "solve/batch/problem.hpp"

namespace gristmill::solve::batch {

// A variable b_s = y_s a_s between its bounds, and F = y_s (Qa + p)_s.
struct SignedVariable {
  double F;
  double value;
  double lower;
  double upper;
};

// Takes all variables. A sum of bounds is seldom a bound to the last bit, so a variable that is as near to one of its
// bounds as rounding comes counts as being there: else rounding would choose an end of the interval of optimal b.
class InterceptRule {
 public:
  // largest: of all |b_s|, which others were rounded with.
  explicit InterceptRule(double largest) : largest_(largest) {}

  void take(const SignedVariable& variable);

  // The mean of y - f over free variables; without any, the middle of what the others allow.
  [[nodiscard]] double intercept() const;
  [[nodiscard]] bool has_free() const { return free_count_ > 0; }

 private:
  double low_ = -std::numeric_limits<double>::infinity();  // the largest F that may fall
  double high_ = std::numeric_limits<double>::infinity();  // the smallest that may grow
  double free_sum_ = 0;
  double free_count_ = 0;
  double largest_;
};

// scores: sum_t y_t a_t K(i_t, i_s) of each variable s. alpha is kept; iterations are for the caller to set.
[[nodiscard]] DualSolution judge(const DualProblem& problem, std::vector<double> alpha, std::span<const double> scores,
                                 double tol);

}  // namespace gristmill::solve::batch
