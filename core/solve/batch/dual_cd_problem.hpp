// SPDX-License-Identifier: BSD-3-Clause
// One dual problem by coordinate descent in the space of conjunctions (Hsieh et al. 2008), with shrinking: a step moves
// one variable to its best value, given f(x) of its row from weights that all steps keep up to date.
//
// An intercept without a price asks for y'a = e, which no single step keeps. The method of multipliers does (Hestenes,
// Powell 1969): with t = y'a - e the passes minimise
//
//   1/2 a'Qa + p'a + b t + r/2 t^2
//
// and after each of them b grows by r t; the fixed point has t = 0, and b is the intercept. What is left of t in the
// end is taken from the free variables. An intercept with a price c is b = 0, e = 0 and r = c; none is r = 0.
//
// Cost of a step: the dense pairs (triples) and the patterns of one row. Where the violation falls too slowly (large C:
// steps that are small because rows are alike), the problem is left as it is, feasible, for a solver that sees more.
#pragma once
#include <limits>
#include <optional>
#include <vector>

#include "solve/batch/dual_solver.hpp"
#include "solve/batch/expanded_weights.hpp"
#include "solve/shuffled_runs.hpp"

namespace gristmill::solve::batch::dual_cd {

class Problem final : public DualRun {
 public:
  // Starts from the problem's start. All arguments but the options are borrowed.
  Problem(const DualProblem& problem, const DualOptions& options, const ExpandedRows& rows, const DualWatch& watch);

  void solve() override;
  [[nodiscard]] bool has_begun() const override { return true; }
  // Sums are made anew, so that rounding of many steps does not show.
  [[nodiscard]] DualSolution solution() override;

 private:
  struct Variable {
    RowId row;
    double sign;
    double linear;
    double bound;
    double curvature;
    double value;  // a
  };

  // What a pass met.
  struct Slopes {
    double most = 0;  // the largest and the smallest slope along which a variable may move
    double least = 0;
    double to_rise = std::numeric_limits<double>::infinity();  // the intercept has to move so far until a variable at a
    double to_fall = std::numeric_limits<double>::infinity();  // bound leaves it so that y'a rises, or falls
    [[nodiscard]] double violation() const { return most - least; }
  };

  void begin_near(const std::vector<double>& gradient);
  void activate_near(const std::vector<double>& gradient);
  [[nodiscard]] bool look_at_all();
  void settle_nothing();
  [[nodiscard]] Slopes pass();
  [[nodiscard]] bool visit(Variable& variable, Slopes& met);
  [[nodiscard]] double slope(const Variable& variable) const;
  void move(Variable& variable, double value);
  void report(std::size_t work, double violation);
  void end_pass(const Slopes& slopes);
  void move_intercept(const Slopes& slopes);
  void take_in_all();
  void leave_out(const Slopes& slopes);
  [[nodiscard]] bool is_stalled(double distance);
  [[nodiscard]] double held_rows() const;
  [[nodiscard]] bool confirm();
  [[nodiscard]] DualSolution judge_anew();
  void balance();
  void refresh();

  const DualProblem& problem_;
  DualOptions options_;
  const ExpandedRows& rows_;
  const DualWatch& watch_;
  ExpandedWeights weights_;
  std::vector<Variable> variables_;
  std::vector<RowId> active_;  // variables that are not left out, ascending
  std::size_t looks_ = 0;
  std::size_t movable_ = 0;
  double target_ = 0;     // e
  double imbalance_ = 0;  // t
  double price_ = 0;      // r
  double intercept_ = 0;  // b
  double tol_;            // of passes; stricter than what is asked for where that did not suffice
  double upper_limit_;    // slopes beyond which a variable at a bound is left out
  double lower_limit_;
  double settled_ = 0;      // slopes of free variables that are not worth a step
  double largest_ = 0;      // entry of the diagonal
  ShuffledRuns order_{16};  // always the same
  std::size_t passes_ = 0;
  double least_ = 0;  // distance of the last passes from the end, and of as many before them
  double least_before_ = 0;
  std::size_t window_passes_ = 0;
  double window_work_ = 0;
  double cheap_ = 0;  // so much work in a window is not worth giving up for
  bool over_ = false;
  std::optional<DualSolution> confirmed_;
};

}  // namespace gristmill::solve::batch::dual_cd
