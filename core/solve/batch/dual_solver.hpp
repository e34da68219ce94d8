// SPDX-License-Identifier: BSD-3-Clause
// Solves one or more dual problems over the same examples. Several problems are solved at once by several threads; a
// single one may use them within. Neither changes a bit. What was reached can be asked for at any time between calls,
// also after one that was stopped: it is feasible.
#pragma once
#include <functional>
#include <memory>
#include <vector>

#include "base/crew.hpp"
#include "base/stop.hpp"
#include "solve/batch/problem.hpp"

namespace gristmill::solve::batch {

// Is called with the work done since the last call (in entries of rows) and the violation now; throws to stop.
using DualWatch = std::function<void(std::size_t work, double violation)>;

// One problem on its way.
class DualRun {
 public:
  DualRun() = default;
  DualRun(const DualRun&) = delete;
  DualRun& operator=(const DualRun&) = delete;
  virtual ~DualRun() = default;

  // Until it is solved, nothing helps or the watch throws.
  virtual void solve() = 0;
  // False while nothing is known yet that is better than the start.
  [[nodiscard]] virtual bool has_begun() const = 0;
  // Feasible at any time after it has begun. Stopped midway, the violation may be that of the variables looked at.
  [[nodiscard]] virtual DualSolution solution() = 0;
};

class DualSolver {
 public:
  static constexpr std::size_t parts = 1000;  // of the progress of a problem

  // Throws std::invalid_argument where a problem is not sound, or names an example that is not below `examples`.
  DualSolver(std::size_t examples, std::vector<DualProblem> problems, const DualOptions& options);
  DualSolver(const DualSolver&) = delete;
  DualSolver& operator=(const DualSolver&) = delete;
  virtual ~DualSolver() = default;

  // Goes on from where the last call was stopped. Progress is estimated from the logarithm of the violation.
  void solve(std::size_t threads, Observer& observer);

  [[nodiscard]] std::size_t size() const noexcept { return problems_.size(); }
  [[nodiscard]] const DualSolution& solution(std::size_t problem) const { return solutions_.at(problem); }

 private:
  class Progress;

  // Borrows all but the options. The crew is there for the one problem that is solved alone.
  [[nodiscard]] virtual std::unique_ptr<DualRun> begin(const DualProblem& problem, const DualOptions& options,
                                                       const DualWatch& watch, Crew& crew) = 0;
  void resume(std::size_t problem, Crew& crew, Progress& progress, Stop& stop, Pulse& pulse);

  std::vector<DualProblem> problems_;
  DualOptions options_;
  std::vector<DualSolution> solutions_;
};

}  // namespace gristmill::solve::batch
