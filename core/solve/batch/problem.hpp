// SPDX-License-Identifier: BSD-3-Clause
// The dual problem of a support vector machine, as every batch solver takes it:
//
//   minimise  1/2 a'Qa + p'a  with  Q_st = y_s y_t (K(i_s, i_t) + c),  0 <= a_s <= C_s,  and y'a = y'a0 if `equality`
//
// The equality comes from an intercept without a price; a constant c > 0 is an intercept that has one.
#pragma once
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "base/types.hpp"

namespace gristmill::solve::batch {

struct DualProblem {
  std::vector<RowId> examples;          // i_s: a row of the Gram matrix; several variables may share one
  std::vector<std::int8_t> signs;       // y_s
  std::vector<double> linear;           // p_s: -1 for classification
  std::vector<double> bounds;           // C_s; a variable with 0 stays at 0
  std::vector<double> start;            // a0; empty: zeros
  std::vector<double> gradient;         // y_s (Qa0 + p)_s, if it is known; a0 may then be above its bounds
  std::vector<double> gradient_errors;  // how far off the gradient is at most, at variables at a bound; empty: exact
  double start_objective = 0;           // of a0; read only where there are such errors
  bool equality = true;
  double constant = 0;  // c, only without equality

  [[nodiscard]] std::size_t size() const noexcept { return examples.size(); }
};

struct DualOptions {
  double tol = 1e-3;
  std::size_t max_iter = std::numeric_limits<std::size_t>::max();  // steps, or passes over the data
  bool shrinking = true;
};

struct DualSolution {
  std::vector<double> alpha;
  std::vector<double> gradient;                                // y_s (Qa + p)_s; empty where a solver was stopped
  std::vector<double> gradient_errors;                         // how far off the gradient is at most; empty: exact
  double intercept = 0;                                        // f(x) = sum y_s a_s K(i_s, x) + intercept
  double objective = 0;                                        // 1/2 a'Qa + p'a
  double violation = std::numeric_limits<double>::infinity();  // of the optimality conditions, the largest
  std::size_t iterations = 0;
  bool converged = false;  // violation <= tol
};

// Throws std::invalid_argument unless the problem is sound and its examples are below `rows`.
void check_problem(const DualProblem& problem, std::size_t rows);

}  // namespace gristmill::solve::batch
