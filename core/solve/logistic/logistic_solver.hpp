// SPDX-License-Identifier: BSD-3-Clause
// Logistic regression in the space of conjunctions, by dual coordinate descent (Yu, Huang and Lin 2011):
//
//   minimise  1/2 |w|^2 + sum_i C_i loss(f(x_i), y_i)
//
// with one output for two classes, else one per class and softmax. f comes from weights that all steps keep up to date;
// a step moves the coefficients of one example to where its scores come to rest (losses.hpp).
//
// An example remembers the scores it came to rest at, its mark: its coefficients are C times the slopes of the loss
// there. So what is left between the primal objective and the dual one is a sum over examples, C times the Bregman
// divergence of the loss between the scores now and the mark: nothing cancels, and it is a certificate.
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
  std::vector<RowId> rows;            // of each example; several may share one
  std::vector<std::uint32_t> labels;  // the number of its class
  std::vector<double> costs;          // C_i > 0
  std::size_t classes = 2;

  [[nodiscard]] std::size_t size() const noexcept { return rows.size(); }
  [[nodiscard]] std::size_t outputs() const noexcept { return classes == 2 ? 1 : classes; }
};

class LogisticSolver {
 public:
  // rows: outlive this. Throws std::invalid_argument where the problem is not sound.
  LogisticSolver(const batch::ExpandedRows& rows, LogisticProblem problem, std::uint32_t seed);

  // Until the objective is proven to be within tol, relative to that of w = 0, of its minimum. Goes on from where the
  // last call was stopped.
  void solve(double tol, std::size_t max_passes, Observer& observer);

  // Sums made anew and the bounds found; also after a call that was stopped.
  void judge(Observer& observer);

  // Of rows x outputs: f_k = sum over rows of c_k k(row, .).
  [[nodiscard]] std::vector<double> coefficients() const;
  [[nodiscard]] double objective() const noexcept { return objective_; }
  [[nodiscard]] double gap() const noexcept { return gap_; }
  [[nodiscard]] std::size_t passes() const noexcept { return passes_; }
  [[nodiscard]] bool converged() const noexcept { return converged_; }

 private:
  // Moves one example. What it found before is at least C times the divergence between its scores and its mark.
  double visit(std::size_t example);
  double pass(Pulse& pulse);
  void refresh(Pulse& pulse);
  void find_scores(std::size_t example);  // and their slopes
  void move(std::size_t example, std::size_t output, double coefficient);

  [[nodiscard]] std::span<double> of(std::vector<double>& values, std::size_t example) const {
    return std::span(values).subspan(example * problem_.outputs(), problem_.outputs());
  }

  const batch::ExpandedRows& rows_;
  LogisticProblem problem_;
  std::vector<batch::ExpandedWeights> weights_;  // by output
  std::vector<double> coefficients_;             // of examples x outputs
  std::vector<double> marks_;                    // likewise
  std::unique_ptr<Loss> loss_;
  ShuffledRuns order_;
  std::vector<double> scores_;  // of one example, as the next two
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
