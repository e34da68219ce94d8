// SPDX-License-Identifier: BSD-3-Clause
#include "solve/batch/dual_cd.hpp"

#include "solve/batch/dual_cd_problem.hpp"

namespace gristmill::solve::batch {

std::unique_ptr<DualRun> DualCdSolver::begin(const DualProblem& problem, const DualOptions& options,
                                             const DualWatch& watch, Crew&) {
  return std::make_unique<dual_cd::Problem>(problem, options, rows_, watch);
}

}  // namespace gristmill::solve::batch
