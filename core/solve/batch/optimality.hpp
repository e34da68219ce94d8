// SPDX-License-Identifier: BSD-3-Clause
// How good a point of a dual problem is, and the intercept that belongs to it; by LIBSVM's rules.
#pragma once
#include <span>

#include "solve/batch/problem.hpp"

namespace gristmill {

// scores: sum_t y_t a_t K(i_t, i_s) of each variable s. alpha is kept; iterations are for the caller to set.
[[nodiscard]] DualSolution judge(const DualProblem& problem, std::vector<double> alpha, std::span<const double> scores,
                                 double tol);

}  // namespace gristmill
