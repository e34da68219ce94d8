// SPDX-License-Identifier: BSD-3-Clause
#include "solve/batch/smo_problem.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "solve/batch/optimality.hpp"

namespace gristmill::solve::batch::smo {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace

Problem::Problem(const DualProblem& problem, const DualOptions& options, SolverRows& rows, Crew& crew,
                 const DualWatch& watch)
    : problem_(problem),
      options_(options),
      rows_(rows),
      crew_(crew),
      watch_(watch),
      all_{problem.examples, are_consecutive(problem.examples)},
      value_(problem.size(), 0.0),
      lower_(problem.size(), 0.0),
      upper_(problem.size(), 0.0),
      linear_(problem.size()),
      bound_(problem.size(), 0.0),
      active_(problem.examples),
      row_(padded(problem.size()), 0.0),
      other_row_(padded(problem.size()), 0.0),
      full_row_(problem.size()),
      worker_rows_(crew.size()),
      violation_(infinity),
      fresh_violation_(infinity) {
  for (std::size_t at = 0; at < problem.size(); ++at) {
    const double sign = problem.signs[at];
    (sign > 0 ? upper_ : lower_)[at] = sign * problem.bounds[at];
    linear_[at] = sign * problem.linear[at];
    if (!problem.start.empty() && problem.start[at] > 0) value_[at] = sign * problem.start[at];
    largest_ = std::max(largest_, std::abs(rows.diagonal(problem.examples[at])) + problem.constant);
  }
}

void Problem::solve() {
  begin();
  while (!is_over()) {
    if (options_.shrinking && until_shrinking_-- == 0) shrink();
    const bool moved = step();
    watch_(2 * active_.size(), violation_);
    const std::size_t since = iterations_ - refreshed_;
    if (!moved || (violation_ <= noise_ && since > 10 * problem_.size())) check_progress();
    if (since > 100 * problem_.size()) check_descent();
  }
  restore();
  objective_ = objective_now();
  converged_ = violation_ <= options_.tol && std::isfinite(objective_);
}

bool Problem::is_over() {
  if (futile_ == patience || iterations_ >= options_.max_iter) return true;
  if (violation_ > options_.tol) return false;
  if (!active_.is_full()) {
    restore();
    until_shrinking_ = 1;
  }
  if (violation_ <= options_.tol && noise_ > options_.tol / 100 && refreshed_ != iterations_) check_progress();
  return violation_ <= options_.tol;
}

// Steps below the rounding of F may go round in circles: from time to time the true violation must have fallen.
void Problem::check_progress() {
  refresh();
  if (!(violation_ <= fresh_violation_ / 2)) ++futile_;
  fresh_violation_ = violation_;
}

// Every step makes the objective smaller, unless the matrix is none that is symmetric: then there may be no end to
// them.
void Problem::check_descent() {
  const double before = fresh_objective_;
  refresh();
  if (!(fresh_objective_ < before)) futile_ = patience;
}

// --- steps

bool Problem::step() {
  if (next_ >= active_.size()) return false;  // nothing compares: values have left the range of double
  const bool moved = problem_.equality ? step_pair() : step_single();
  if (moved) ++iterations_;
  return moved;
}

bool Problem::step_pair() {
  load(next_, row_);
  const std::size_t partner = find_partner(active_.F.data(), active_.low.data(), active_.diagonal.data(), row_.data(),
                                           ends_.up, active_.diagonal[next_], active_.padded_size());
  if (partner == active_.padded_size()) return false;
  load(partner, other_row_);
  const Move move = opposed(next_, partner, active_.F[partner] - active_.F[next_]);
  if (move.is_nothing) return false;
  apply(next_, partner, move);
  take(move_pair(active_.F.data(), active_.up.data(), active_.low.data(), row_.data(), move.first, other_row_.data(),
                 move.second, active_.padded_size()));
  return true;
}

// The variable at i grows at the cost of that at j, whose F is larger by `slope`; their rows are loaded.
Problem::Move Problem::opposed(std::size_t i, std::size_t j, double slope) {
  const RowId first = active_.variables[i];
  const RowId second = active_.variables[j];
  const double curvature = rows_.diagonal(active_.example(i)) + rows_.diagonal(active_.example(j)) - 2 * row_[j];
  const double growth = upper_[first] - value_[first];
  const double fall = value_[second] - lower_[second];
  const double length = std::min({slope / (curvature > 0 ? curvature : tau), growth, fall});
  const double grown = length == growth ? upper_[first] : std::min(value_[first] + length, upper_[first]);
  const double fallen = length == fall ? lower_[second] : std::max(value_[second] - length, lower_[second]);
  const double first_step = grown - value_[first];
  const double second_step = fallen - value_[second];
  // Arriving at a bound may break the equality by less than rounding, once: it must not be tried again and again.
  const bool arrives = length == growth || length == fall;
  return {grown,
          fallen,
          first_step,
          second_step,
          length * (curvature * length / 2 - slope),
          !arrives && (first_step == 0 || second_step == 0)};
}

void Problem::apply(std::size_t i, std::size_t j, const Move& move) {
  objective_ += move.gain;
  noise_ += rounding * (size_ + (move.first - move.second) * largest_);
  set(i, move.first_value, row_);
  set(j, move.second_value, other_row_);
}

bool Problem::step_single() {
  if (step_opposed()) return true;
  const std::size_t at = next_;
  const RowId variable = active_.variables[at];
  const double slope = active_.F[at];
  const double wanted = value_[variable] - slope * active_.diagonal[at];
  const double value = std::clamp(wanted, lower_[variable], upper_[variable]);
  const double length = value - value_[variable];
  if (length == 0) return false;
  load(at, row_);
  const double curvature = rows_.diagonal(active_.example(at)) + problem_.constant;
  objective_ += length * (curvature * length / 2 + slope);
  noise_ += rounding * (size_ + std::abs(length) * largest_);
  set(at, value, row_);
  before_last_ = std::exchange(last_, at);
  move_alone(row_, length);
  return true;
}

// Two variables that undo each other's steps, such as equal examples of both signs with a large C, would go on for
// long: they are moved together.
bool Problem::step_opposed() {
  if (next_ != before_last_) return false;
  const bool grows = active_.F[next_] < active_.F[last_];
  const std::size_t least = grows ? next_ : last_;
  const std::size_t most = grows ? last_ : next_;
  before_last_ = last_ = none;
  load(least, row_);
  load(most, other_row_);
  const Move move = opposed(least, most, active_.F[most] - active_.F[least]);
  if (move.is_nothing) return false;
  apply(least, most, move);
  move_alone(row_, move.first);
  move_alone(other_row_, move.second);
  return true;
}

void Problem::move_alone(const std::vector<double>& row, double step) {
  take(move_single(active_.F.data(), active_.up.data(), active_.low.data(), active_.diagonal.data(), row.data(), step,
                   problem_.constant, active_.padded_size()));
}

void Problem::set(std::size_t at, double value, const std::vector<double>& row) {
  const RowId variable = active_.variables[at];
  const double before = at_bound(variable);
  value_[variable] = value;
  mark(at);
  const double change = at_bound(variable) - before;
  if (!options_.shrinking || !bound_is_known_ || change == 0) return;
  const bool is_full = active_.is_full();
  if (!is_full) rows_.load(problem_.examples[variable], all_, full_row_.data());
  add_row(bound_.data(), is_full ? row.data() : full_row_.data(), change, problem_.constant, problem_.size());
}

double Problem::at_bound(RowId variable) const {
  const double value = value_[variable];
  return value == lower_[variable] || value == upper_[variable] ? value : 0.0;
}

void Problem::mark(std::size_t at) {
  const RowId variable = active_.variables[at];
  active_.up[at] = value_[variable] < upper_[variable] ? 0.0 : -infinity;
  active_.low[at] = value_[variable] > lower_[variable] ? 0.0 : -infinity;
}

void Problem::find() {
  const double* F = active_.F.data();
  last_ = before_last_ = none;  // positions may have changed
  size_ = 0;
  for (std::size_t at = 0; at < active_.size(); ++at) size_ = std::max(size_, std::abs(F[at]));
  if (problem_.equality) {
    take(find_ends(F, active_.up.data(), active_.low.data(), active_.padded_size()));
  } else {
    take(find_steepest(F, active_.up.data(), active_.low.data(), active_.diagonal.data(), active_.padded_size()));
  }
}

void Problem::take(const Ends& ends) {
  ends_ = ends;
  next_ = ends.at;
  violation_ = ends.up == -infinity || ends.low == -infinity ? 0.0 : std::max(ends.up + ends.low, 0.0);
}

void Problem::take(const Steepest& steepest) {
  ends_ = {steepest.violation, steepest.at, steepest.violation};
  next_ = steepest.at;
  violation_ = steepest.violation;
}

// --- what was found

double Problem::objective_now() const {
  double sum = 0;
  for (std::size_t at = 0; at < active_.size(); ++at) {
    const RowId variable = active_.variables[at];
    sum += value_[variable] * (active_.F[at] + linear_[variable]);
  }
  return sum / 2;
}

double Problem::intercept() const {
  double largest = 0;
  for (const double value : value_) largest = std::max(largest, std::abs(value));
  InterceptRule rule(largest);
  for (std::size_t at = 0; at < active_.size(); ++at) {
    const RowId variable = active_.variables[at];
    rule.take({active_.F[at], value_[variable], lower_[variable], upper_[variable]});
  }
  return rule.intercept();
}

DualSolution Problem::solution() {
  DualSolution found{.alpha = {},
                     .gradient = {},
                     .gradient_errors = {},
                     .intercept = 0,
                     .objective = objective_,
                     .violation = violation_,
                     .iterations = iterations_,
                     .converged = converged_};
  double sum = 0;
  for (const double value : value_) {
    found.alpha.push_back(std::abs(value));
    sum += value;
  }
  found.intercept = problem_.equality ? intercept() : problem_.constant * sum;
  if (begun_ && active_.is_full())
    found.gradient.assign(active_.F.begin(), active_.F.begin() + static_cast<std::ptrdiff_t>(value_.size()));
  return found;
}

}  // namespace gristmill::solve::batch::smo
