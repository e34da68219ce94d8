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
#include "solve/batch/optimality.hpp"
#include "solve/shuffled_runs.hpp"

namespace gristmill::solve::batch::dual_cd {

constexpr double infinity = std::numeric_limits<double>::infinity();

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
    double value;   // a
    double origin;  // the value that `linear` knows of; weights are those of what has moved since
    [[nodiscard]] double moved() const { return sign * (value - origin); }
    [[nodiscard]] bool is_free() const { return value > 0 && value < bound; }
  };

  struct Look;

  // What a pass met.
  struct Slopes {
    double most = 0;  // the largest and the smallest slope along which a variable may move
    double least = 0;
    double to_rise = infinity;  // the intercept has to move so far until a variable at a
    double to_fall = infinity;  // bound leaves it so that y'a rises, or falls
    [[nodiscard]] double violation() const { return most - least; }
  };

  // From a known gradient (dual_cd_start.cpp).
  [[nodiscard]] bool is_known() const { return !base_.empty(); }
  void begin_known();
  void activate_free();
  void find_moving();
  [[nodiscard]] bool look();
  void look_at_moving(Look& found);
  void look_near(Look& found);
  void see(RowId at, Look& found);
  void know(RowId at);
  [[nodiscard]] DualSolution judged(const Look& found) const;
  [[nodiscard]] double slope_of(RowId at, const Look& found) const;
  [[nodiscard]] double gap(const Look& found) const;
  void activate_unsettled(const Look& found);
  [[nodiscard]] SignedVariable signed_variable(std::size_t at, double F) const;
  [[nodiscard]] double largest_value() const;
  [[nodiscard]] double score(RowId at) const;
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
  void add_all();

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

  // Of a known start:
  std::vector<double> base_;                      // scores
  std::vector<double> errors_;                    // how far off those are at most; empty: exact
  std::optional<ExpandedWeights> start_weights_;  // made when a score is wanted that is not exact
  std::vector<RowId> moving_;                     // variables that are or were free, and all that moved; ascending
  std::size_t round_passes_ = 0;                  // since the last look
  double start_sum_ = 0;
  double start_objective_ = 0;
  double wanted_gap_ = 0;
};

}  // namespace gristmill::solve::batch::dual_cd
