// SPDX-License-Identifier: BSD-3-Clause
// Coordinate descent that begins where the gradient is known, and few variables are wrong: those above their bounds.
//
// The weights are those of the change alone, d = a - a0, and the gradient of the start is part of the linear term, so
// nothing is computed for what stays. Passes see free variables, and leave out those that have settled. Then the point
// is looked at: with |w| the length of the change in the space of the kernel, f(x) has changed by |w| sqrt(k(x, x)) at
// most (Cauchy and Schwarz). Variables at a bound that are further from leaving it are right without a look, and their
// gradient is known up to that. A look ends it if the violation is small enough and the duality gap is not above that
// of the start; otherwise less counts as settled.
#include <algorithm>
#include <cmath>

#include "solve/batch/dual_cd_problem.hpp"
#include "solve/batch/optimality.hpp"

namespace gristmill::solve::batch::dual_cd {
namespace {

// Slopes of free variables up to this share of the tolerance are left as they are, and so much less after each look.
constexpr double settled = 0.125;
constexpr double finer = 0.25;
constexpr double finest = 1e-3;
constexpr std::size_t most_looks = 3;  // that find a violation; from then on all variables are visited

constexpr double rounding = 1e-14;

// By which primal and dual objective differ at this variable.
double gap_of(double slope, double value, double bound) { return slope > 0 ? value * slope : (value - bound) * slope; }

}  // namespace

// What is known of a point.
struct Problem::Look {
  std::vector<double> scores;  // of the start, where the variable was not looked at
  std::vector<double> errors;  // how far off those are at most
  std::vector<bool> seen;      // the others are right as they are
  double squared_length = 0;   // of the change
  double gained = 0;           // objective
  double intercept = 0;
};

void Problem::begin_known() {
  const std::vector<double>& start = problem_.start;
  for (std::size_t at = 0; at < start.size(); ++at) start_sum_ += problem_.signs[at] * start[at];
  errors_ = problem_.gradient_errors;
  settled_ = settled * options_.tol;
  base_.reserve(start.size());
  InterceptRule rule(start.empty() ? 0.0 : *std::ranges::max_element(start));
  for (std::size_t at = 0; at < start.size(); ++at) {
    Variable& variable = variables_[at];
    base_.push_back(problem_.gradient[at] - variable.sign * variable.linear - problem_.constant * start_sum_);
    variable.linear += variable.sign * base_.back();
    const double bound = variable.sign * std::max(variable.bound, start[at]);
    rule.take({problem_.gradient[at], variable.sign * start[at], std::min(bound, 0.0), std::max(bound, 0.0)});
  }
  intercept_ = problem_.equality ? rule.intercept() : 0;
  double objective = 0;
  for (std::size_t at = 0; at < start.size(); ++at) {
    objective += start[at] * (problem_.signs[at] * problem_.gradient[at] + problem_.linear[at]) / 2;
    const double slope = problem_.signs[at] * (problem_.gradient[at] + intercept_);
    wanted_gap_ += gap_of(slope, start[at], std::max(problem_.bounds[at], start[at]));
  }
  start_objective_ = errors_.empty() ? objective : problem_.start_objective;
  activate_free();
}

void Problem::activate_free() {
  find_moving();
  for (const RowId at : moving_) {
    know(at);
    if (variables_[at].bound > 0) active_.push_back(at);
  }
}

void Problem::find_moving() {
  moving_.clear();
  for (RowId at = 0; at < variables_.size(); ++at) {
    if (variables_[at].is_free() || variables_[at].moved() != 0) moving_.push_back(at);
  }
}

double Problem::score(RowId at) const { return weights_.score(variables_[at].row) + (is_known() ? base_[at] : 0.0); }

// Makes the gradient of the start exact where it was known up to an error only.
void Problem::know(RowId at) {
  if (errors_.empty() || errors_[at] == 0) return;
  if (!start_weights_) {
    start_weights_.emplace(rows_);
    for (const Variable& one : variables_) {
      if (one.origin != 0) start_weights_->add(one.row, one.sign * one.origin);
    }
  }
  Variable& variable = variables_[at];
  base_[at] = start_weights_->score(variable.row);
  variable.linear = problem_.linear[at] + variable.sign * base_[at];
  errors_[at] = 0;
}

// The point as it is. Where it is not good enough, those go on that are not settled.
bool Problem::look() {
  balance();
  Look found{base_, std::vector<double>(base_.size()), std::vector<bool>(base_.size())};
  look_at_moving(found);
  const bool is_finest = settled_ <= finest * options_.tol;
  settled_ = std::max(finer * settled_, finest * options_.tol);
  if (!is_finest && gap(found) > wanted_gap_) {
    activate_unsettled(found);
    return false;
  }
  look_near(found);
  DualSolution solution = judged(found);
  if (problem_.equality) intercept_ = solution.intercept;
  if (solution.converged && (is_finest || gap(found) <= wanted_gap_)) {
    confirmed_ = std::move(solution);
    return true;
  }
  activate_unsettled(found);
  if (!solution.converged && ++looks_ == most_looks) settle_nothing();
  return false;
}

// Variables that are or were free: they say how far the others may have changed, and what the intercept is.
void Problem::look_at_moving(Look& found) {
  InterceptRule rule(largest_value());
  for (const RowId at : moving_) {
    const Variable& variable = variables_[at];
    see(at, found);
    const double change = variable.moved() * (found.scores[at] - base_[at]);
    found.squared_length += change + rounding * std::abs(change);
    found.gained += variable.moved() * (base_[at] + variable.sign * problem_.linear[at]) + change / 2;
    rule.take(signed_variable(at, found.scores[at] + variable.sign * problem_.linear[at]));
  }
  found.intercept = problem_.equality ? rule.intercept() : problem_.constant * imbalance_;
  if (problem_.equality && !rule.has_free()) found.squared_length = infinity;  // any variable may decide about it
}

void Problem::look_near(Look& found) {
  const double length = std::sqrt(std::max(found.squared_length, 0.0));
  for (RowId at = 0; at < variables_.size(); ++at) {
    if (found.seen[at]) continue;
    const Variable& variable = variables_[at];
    const double slope = variable.linear + variable.sign * found.intercept;
    const double most = length * std::sqrt(rows_.diagonal(variable.row)) + (errors_.empty() ? 0.0 : errors_[at]);
    if ((variable.value <= 0 && slope > most) || (variable.value >= variable.bound && slope < -most)) {
      found.errors[at] = most;
    } else {
      see(at, found);
    }
  }
}

void Problem::see(RowId at, Look& found) {
  know(at);
  found.scores[at] = score(at);
  found.seen[at] = true;
  report(rows_.early_stops(variables_[at].row), infinity);
}

DualSolution Problem::judged(const Look& found) const {
  std::vector<double> alpha;
  alpha.reserve(variables_.size());
  for (const Variable& variable : variables_) alpha.push_back(variable.value);
  DualSolution solution = judge(problem_, std::move(alpha), found.scores, options_.tol);
  const double sum = imbalance_;
  const double priced = problem_.constant * (sum * sum - start_sum_ * start_sum_) / 2;
  solution.objective = start_objective_ + found.gained + priced;
  solution.gradient_errors = found.errors;
  solution.iterations = passes_;
  return solution;
}

double Problem::slope_of(RowId at, const Look& found) const {
  return variables_[at].sign * (found.scores[at] + found.intercept) + problem_.linear[at];
}

// Variables that were not looked at add nothing: they are at the right bound.
double Problem::gap(const Look& found) const {
  double sum = 0;
  for (RowId at = 0; at < variables_.size(); ++at) {
    if (found.seen[at]) sum += gap_of(slope_of(at, found), variables_[at].value, variables_[at].bound);
  }
  return sum;
}

void Problem::activate_unsettled(const Look& found) {
  std::vector<RowId> joining;
  active_.clear();
  round_passes_ = 0;
  for (RowId at = 0; at < variables_.size(); ++at) {
    if (!found.seen[at]) continue;
    const Variable& variable = variables_[at];
    const double slope = slope_of(at, found);
    const bool rests = (variable.value <= 0 && slope >= 0) || (variable.value >= variable.bound && slope <= 0);
    if (rests || std::abs(slope) <= settled_) continue;
    active_.push_back(at);
    if (!std::ranges::binary_search(moving_, at)) joining.push_back(at);
  }
  moving_.insert(moving_.end(), joining.begin(), joining.end());
  std::ranges::sort(moving_);
}

SignedVariable Problem::signed_variable(std::size_t at, double F) const {
  const Variable& variable = variables_[at];
  const double bound = variable.sign * variable.bound;
  return {F, variable.sign * variable.value, std::min(bound, 0.0), std::max(bound, 0.0)};
}

double Problem::largest_value() const {
  double largest = 0;
  for (const Variable& variable : variables_) largest = std::max(largest, variable.value);
  return largest;
}

}  // namespace gristmill::solve::batch::dual_cd
