// SPDX-License-Identifier: BSD-3-Clause
// Logistic regression in the space of conjunctions, by dual coordinate descent (Yu, Huang and Lin 2011):
//
//   minimise  1/2 |w|^2 + sum_i C_i loss(f(x_i), t_i)
//
// with one output for two classes, else one per class and softmax. f comes from weights that all steps keep up to date;
// a step moves the coefficients of one row to where its scores come to rest (losses.hpp). Equal rows are one, whatever
// their labels: apart they would wait for one another. In return rows of several times the mean C are visited as often
// in each pass: once a pass would take several times the passes.
//
// A row remembers the scores it came to rest at, its mark: its coefficients are C times the slopes of the loss there.
// So what is left between the primal objective and the dual one is a sum over rows, C times the Bregman divergence of
// the loss between the scores now and the mark: nothing cancels, and it is a certificate.
//
// Cost of a step: twice the dense pairs (triples) and the patterns of one row, for each output.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "base/observer.hpp"
#include "base/stop.hpp"
#include "solve/batch/expanded_weights.hpp"
#include "solve/logistic/losses.hpp"
#include "solve/shuffled_runs.hpp"

namespace gristmill::solve::logistic {

struct LogisticProblem {
  std::vector<double> costs;    // C_i > 0, of each row
  std::vector<double> targets;  // t_i, of rows x outputs: how its C is spread over the classes; of two the second's
  std::size_t outputs = 1;
};

class LogisticSolver {
 public:
  // rows: outlive this. Throws std::invalid_argument where the problem is not one of these rows.
  LogisticSolver(const batch::ExpandedRows& rows, LogisticProblem problem, std::uint32_t seed);

  // Begins near a solution: scores of rows x outputs, by a machine that is nearly this one. Where it is the solution,
  // these are the marks, and the coefficients C times the slopes there.
  void start(std::span<const double> scores, Observer& observer);

  // Until the objective is proven to be within tol, relative to that of w = 0, of its minimum. Goes on from where the
  // last call was stopped.
  void solve(double tol, std::size_t max_passes, Observer& observer);

  // Sums made anew and the bounds found; also after a call that was stopped.
  void judge(Observer& observer);

  // Of rows x outputs: f_k = sum over rows of c_k k(row, .).
  [[nodiscard]] const std::vector<double>& coefficients() const noexcept { return coefficients_; }
  [[nodiscard]] double objective() const noexcept { return objective_; }
  [[nodiscard]] double gap() const noexcept { return gap_; }
  [[nodiscard]] std::size_t passes() const noexcept { return passes_; }
  [[nodiscard]] bool converged() const noexcept { return converged_; }

 private:
  void plan_visits();
  // Moves one row. What it found before is at least C times the divergence between its scores and its mark.
  double visit(std::size_t row);
  double pass(Pulse& pulse);
  void refresh(Pulse& pulse);
  void find_scores(std::size_t row);  // and their slopes
  void move(std::size_t row, std::size_t output, double coefficient);

  [[nodiscard]] std::span<double> of(std::vector<double>& values, std::size_t row) const {
    return std::span(values).subspan(row * problem_.outputs, problem_.outputs);
  }

  const batch::ExpandedRows& rows_;
  LogisticProblem problem_;
  std::vector<batch::ExpandedWeights> weights_;  // by output
  std::vector<double> coefficients_;             // of rows x outputs
  std::vector<double> marks_;                    // likewise
  std::unique_ptr<Loss> loss_;
  std::vector<RowId> visits_;  // of a pass
  ShuffledRuns order_;
  std::vector<double> scores_;  // of one row, as the next two
  std::vector<double> rest_;
  std::vector<double> slopes_;
  double scale_ = 0;  // the objective of w = 0
  double objective_;
  double gap_;
  double first_ = 0;  // distance from the end, as the first pass found it
  std::size_t passes_ = 0;
  bool converged_ = false;
};

}  // namespace gristmill::solve::logistic
