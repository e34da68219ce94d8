// SPDX-License-Identifier: BSD-3-Clause
// One dual problem by decomposition: working sets by second-order information (Fan, Chen and Lin 2005, WSS 2) with
// LIBSVM's shrinking (Chang and Lin 2011, section 5.1). With an equality a step moves two variables, without it one.
//
// Everything is kept in signed terms: b_s = y_s a_s lies between lower_s and upper_s, and
// F_s = y_s (Qa + p)_s = sum_t b_t (K(i_s, i_t) + c) + y_s p_s, so that signs appear in no loop.
//
// Cost of a step: one or two rows, and two passes over the active variables. Memory: some 100 bytes a variable.
#pragma once
#include <limits>
#include <span>
#include <vector>

#include "solve/batch/active_set.hpp"
#include "solve/batch/dual_solver.hpp"
#include "solve/batch/smo_passes.hpp"

namespace gristmill::solve::batch::smo {

class Problem final : public DualRun {
 public:
  // Starts from the problem's start. All arguments but the options are borrowed.
  Problem(const DualProblem& problem, const DualOptions& options, SolverRows& rows, Crew& crew, const DualWatch& watch);

  void solve() override;
  [[nodiscard]] bool has_begun() const override { return begun_; }
  [[nodiscard]] DualSolution solution() override;

 private:
  static constexpr double rounding = 0x1p-52;
  static constexpr std::size_t patience = 5;  // rounds without progress
  static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

  // Of two variables, against each other.
  struct Move {
    double first_value;
    double second_value;
    double first;  // how far
    double second;
    double gain;      // of the objective
    bool is_nothing;  // rounding leaves one of them where it is, which an equality forbids
  };

  // --- the start
  void begin();
  void begin_beyond_bounds();
  void force(std::size_t at);
  void force_alone(std::size_t at, double wanted);
  [[nodiscard]] std::size_t partner_of(std::size_t at, double length) const;

  [[nodiscard]] bool is_over();
  void check_progress();
  void check_descent();

  // --- steps: false where rounding leaves nothing to move
  [[nodiscard]] bool step();
  [[nodiscard]] bool step_pair();
  [[nodiscard]] bool step_single();
  [[nodiscard]] bool step_opposed();
  [[nodiscard]] Move opposed(std::size_t i, std::size_t j, double slope);
  void apply(std::size_t i, std::size_t j, const Move& move);
  void move_alone(const std::vector<double>& row, double step);
  void set(std::size_t at, double value, const std::vector<double>& row);  // the variable there, whose row this is
  void mark(std::size_t at);                                               // which ways it may move
  void find();                                                             // what to move next, from scratch
  void take(const Ends& ends);
  void take(const Steepest& steepest);

  // --- rows and shrinking
  void load(std::size_t at, std::vector<double>& row);
  [[nodiscard]] std::vector<RowId> promising(RowId first, std::size_t count) const;
  template <class Weight>
  void add_rows(Weight weight, const Columns& columns, double* sums);
  void add_group(std::span<const RowId> group, std::span<const double> weights, const Columns& columns, double* sums);
  void refresh();
  void restore();
  void shrink();
  void activate_all(std::vector<double> F);
  template <class Weight>
  [[nodiscard]] std::size_t count(Weight weight) const;  // of variables with a weight

  [[nodiscard]] double at_bound(RowId variable) const;  // its value if a = C, else 0
  [[nodiscard]] double free_value(RowId variable) const { return at_bound(variable) == 0 ? value_[variable] : 0.0; }
  [[nodiscard]] double objective_now() const;
  [[nodiscard]] double intercept() const;

  const DualProblem& problem_;
  DualOptions options_;
  SolverRows& rows_;
  Crew& crew_;
  const DualWatch& watch_;
  Columns all_;
  double largest_ = 0;  // entry of the diagonal

  // By variable:
  std::vector<double> value_;  // b
  std::vector<double> lower_;
  std::vector<double> upper_;
  std::vector<double> linear_;  // y p
  std::vector<double> bound_;   // what variables with a = C add to F; kept up to date with shrinking
  bool bound_is_known_ = true;
  std::vector<double> known_F_;  // when all variables were active last, and the values then
  std::vector<double> known_value_;

  ActiveSet active_;
  std::vector<double> row_;
  std::vector<double> other_row_;
  std::vector<double> full_row_;
  std::vector<std::vector<double>> worker_rows_;

  std::size_t next_ = 0;     // the position to move
  std::size_t last_ = none;  // those moved before, alone
  std::size_t before_last_ = none;
  Ends ends_{};
  double violation_;
  double objective_ = 0;
  std::size_t iterations_ = 0;
  std::size_t until_shrinking_ = 0;
  bool begun_ = false;     // gradients are known
  bool restored_ = false;  // near the end, once

  // Rounding: a bound on what the steps since `refreshed_` did to F, and the violation found then.
  double noise_ = 0;
  double size_ = 0;  // max |F|
  std::size_t refreshed_ = 0;
  double fresh_violation_;
  double fresh_objective_ = std::numeric_limits<double>::infinity();  // by sums made anew
  std::size_t futile_ = 0;                                            // rounds that did not halve it
  bool converged_ = false;
};

}  // namespace gristmill::solve::batch::smo
