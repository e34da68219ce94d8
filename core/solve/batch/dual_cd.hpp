// SPDX-License-Identifier: BSD-3-Clause
// Dual coordinate descent with a polynomial kernel on binary rows (see dual_cd_problem.hpp). All problems share the
// expanded rows; each has weights of its own while it is solved.
#pragma once
#include "solve/batch/dual_solver.hpp"
#include "solve/batch/expanded_rows.hpp"

namespace gristmill::solve::batch {

class DualCdSolver final : public DualSolver {
 public:
  // rows: outlive this.
  DualCdSolver(const ExpandedRows& rows, std::vector<DualProblem> problems, const DualOptions& options)
      : DualSolver(rows.size(), std::move(problems), options), rows_(rows) {}

 private:
  [[nodiscard]] std::unique_ptr<DualRun> begin(const DualProblem& problem, const DualOptions& options,
                                               const DualWatch& watch, Crew& crew) override;

  const ExpandedRows& rows_;
};

}  // namespace gristmill::solve::batch
