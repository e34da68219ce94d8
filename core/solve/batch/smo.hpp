// SPDX-License-Identifier: BSD-3-Clause
// Sequential minimal optimisation of dual problems over the same rows (see smo_problem.hpp).
#pragma once
#include <memory>
#include <vector>

#include "solve/batch/dual_solver.hpp"
#include "solve/batch/solver_rows.hpp"

namespace gristmill::solve::batch {

class SmoSolver final : public DualSolver {
 public:
  SmoSolver(std::shared_ptr<SolverRows> rows, std::vector<DualProblem> problems, const DualOptions& options)
      : DualSolver(rows->size(), std::move(problems), options), rows_(std::move(rows)) {}

 private:
  [[nodiscard]] std::unique_ptr<DualRun> begin(const DualProblem& problem, const DualOptions& options,
                                               const DualWatch& watch, Crew& crew) override;

  std::shared_ptr<SolverRows> rows_;
};

}  // namespace gristmill::solve::batch
