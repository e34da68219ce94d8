// SPDX-License-Identifier: BSD-3-Clause
#include "solve/batch/smo.hpp"

#include "solve/batch/smo_problem.hpp"

namespace gristmill {

void SmoSolver::solve_one(const DualProblem& problem, const DualOptions& options, const DualWatch& watch, Crew& crew,
                          DualSolution& reached) {
  smo::Problem solving(problem, options, *rows_, crew, watch);
  try {
    solving.solve();
  } catch (...) {
    reached = solving.solution();
    throw;
  }
  reached = solving.solution();
}

}  // namespace gristmill
