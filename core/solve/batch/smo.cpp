// SPDX-License-Identifier: BSD-3-Clause
#include "solve/batch/smo.hpp"

#include "solve/batch/smo_problem.hpp"

namespace gristmill::solve::batch {

std::unique_ptr<DualRun> SmoSolver::begin(const DualProblem& problem, const DualOptions& options,
                                          const DualWatch& watch, Crew& crew) {
  return std::make_unique<smo::Problem>(problem, options, *rows_, crew, watch);
}

}  // namespace gristmill::solve::batch
