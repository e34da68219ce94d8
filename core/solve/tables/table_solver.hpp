// SPDX-License-Identifier: BSD-3-Clause
// Training of tables in the primal: an ANOVA kernel machine over discrete fields,
//
//   minimise over V, b   1/2 |V|^2 + C sum_i w_i loss(y_i, f(x_i)),   f(x) = b + sum of an entry of each term's table
//
// tables being linear in V (terms.hpp), V >= 0 where a weight is a step of a monotone column. b is free and minimised
// out. Limited-memory BFGS with an exact search along lines (line.hpp); under constraints on the weights that are not
// held at 0, projected. F(V) = min over b grows at least as 1/2 |V - V*|^2 does, which bounds how far it is from its
// minimum by the (projected) gradient:
//
//   F(V) - F* <= sum over weights of max over feasible d of -(g d + d^2 / 2)   <=   1/2 |g|^2
//
// Cost of an iteration: two additions for each row and term, two products of each table with its factors, and some
// hundred passes over V; where rows are fewer than weights, over arrays of rows x outputs instead (row_space.hpp).
// Memory: some two dozen arrays of the one size or the other. Any number of threads gives the same bits.
#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "base/observer.hpp"
#include "solve/tables/codes.hpp"
#include "solve/tables/feature_map.hpp"
#include "solve/tables/line.hpp"
#include "solve/tables/losses.hpp"
#include "solve/tables/memory.hpp"
#include "solve/tables/terms.hpp"
#include "solve/tables/workers.hpp"

namespace gristmill::solve::tables {

class RowSpace;

class TableSolver {
 public:
  // Borrows the codes. Refuses what does not fit together with std::invalid_argument.
  TableSolver(Codes codes, Terms terms, Targets targets, std::size_t threads);
  TableSolver(const TableSolver&) = delete;
  TableSolver& operator=(const TableSolver&) = delete;

  // Goes on from the weights that are there until the gap is at most tol times the objective without weights, or after
  // max_iter iterations. An interruption leaves the best weights so far.
  void solve(double C, double tol, std::size_t max_iter, Observer& observer);

  // Of the last solve.
  [[nodiscard]] double objective() const noexcept { return objective_; }
  [[nodiscard]] double gap() const noexcept { return gap_; }  // what the objective is at most above its minimum
  [[nodiscard]] std::size_t iterations() const noexcept { return iterations_; }
  [[nodiscard]] bool converged() const noexcept { return converged_; }

  [[nodiscard]] const Terms& terms() const noexcept { return map_.terms(); }
  [[nodiscard]] std::span<const double> weights() const noexcept { return weights_; }
  // One for each output; those of softmax add up to 0.
  [[nodiscard]] std::vector<double> intercepts() const;
  // The tables of all terms, one after the other.
  [[nodiscard]] std::vector<double> tables();
  // Of each term |V|.
  [[nodiscard]] std::vector<double> norms() const;
  // Of each term the size of the gradient, as of the last point that solve saw.
  [[nodiscard]] std::vector<double> gradient_norms() const;
  // Other scales, tables as they are: weights change; where a scale becomes 0, the term is gone.
  void set_scales(std::span<const double> scales);
  // Other weights to start from; refuses negative ones of steps.
  void set_weights(std::span<const double> weights);

 private:
  enum class Progress : std::uint8_t { moved, stuck };

  void start();
  void descend(double wanted, std::size_t max_iter);
  [[nodiscard]] Progress iterate();
  void choose_direction();
  [[nodiscard]] bool project_direction();
  void take(const LinePoint& point, double length);
  void settle_intercepts();
  void descend_in_rows(double wanted, std::size_t max_iter);
  void leave(RowSpace& space);
  void measure_gap();
  void report(double wanted);
  [[nodiscard]] bool is_held(std::size_t weight) const noexcept;
  [[nodiscard]] double longest_step() const noexcept;
  [[nodiscard]] std::vector<double> norms_of(std::span<const double> vector) const;

  FeatureMap map_;
  Targets targets_;
  Workers workers_;
  double C_ = 1;
  LineSearch search_;
  Memory memory_;

  std::vector<double> weights_;
  std::vector<double> intercepts_;  // those that are free
  std::vector<double> scores_;      // without intercepts
  std::vector<double> residuals_;
  std::vector<double> gradient_;
  std::vector<double> direction_;
  std::vector<double> along_;   // scores of the direction
  std::vector<double> before_;  // the last gradient

  double null_ = 0;  // the objective without weights
  double objective_ = 0;
  double decrement_ = 0;
  double gap_ = 0;
  double first_gap_ = 0;
  std::size_t iterations_ = 0;
  bool converged_ = false;
};

}  // namespace gristmill::solve::tables
