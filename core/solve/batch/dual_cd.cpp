// SPDX-License-Identifier: BSD-3-Clause
#include "solve/batch/dual_cd.hpp"

#include "solve/batch/dual_cd_problem.hpp"

namespace gristmill {

void DualCdSolver::solve_one(const DualProblem& problem, const DualOptions& options, const DualWatch& watch, Crew&,
                             DualSolution& reached) {
  dual_cd::Problem descent(problem, options, rows_, watch);
  try {
    descent.solve();
  } catch (...) {
    reached = descent.solution();
    throw;
  }
  reached = descent.solution();
}

}  // namespace gristmill
