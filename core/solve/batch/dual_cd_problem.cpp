// SPDX-License-Identifier: BSD-3-Clause
#include "solve/batch/dual_cd_problem.hpp"

#include <algorithm>
#include <cmath>

#include "solve/batch/optimality.hpp"

namespace gristmill::solve::batch::dual_cd {
namespace {

// Of the multiplier, in units of the mean diagonal: smaller takes more passes until the sum is right, larger makes all
// variables wait for one another. Between 0.01 and 0.3 it hardly matters.
constexpr double price_share = 0.03;

// In so many passes the violation has to fall to half, unless passes are cheap beside what another solver would do
// first: computing rows of the Gram matrix, whose entries cost so much of a weight that is looked up.
constexpr std::size_t patience = 32;
constexpr double gram_entry = 0.5;

// From a known start on, passes over variables that do not settle, until all are looked at.
constexpr std::size_t most_round_passes = 64;

constexpr RowId nobody = std::numeric_limits<RowId>::max();

}  // namespace

Problem::Problem(const DualProblem& problem, const DualOptions& options, const ExpandedRows& rows,
                 const DualWatch& watch)
    : problem_(problem),
      options_(options),
      rows_(rows),
      watch_(watch),
      weights_(rows),
      price_(problem.constant),
      tol_(options.tol),
      upper_limit_(infinity),
      lower_limit_(-infinity),
      least_(infinity),
      least_before_(infinity) {
  const bool is_known = !problem.gradient.empty();
  double sum = 0;
  variables_.reserve(problem.size());
  for (std::size_t at = 0; at < problem.size(); ++at) {
    const double curvature = rows.diagonal(problem.examples[at]);
    sum += curvature;
    largest_ = std::max(largest_, curvature);
    const double value = problem.start.empty() ? 0 : problem.start[at];
    target_ += problem.equality ? problem.signs[at] * value : 0;
    variables_.push_back({problem.examples[at], static_cast<double>(problem.signs[at]), problem.linear[at],
                          problem.bounds[at], curvature, std::min(value, problem.bounds[at]), is_known ? value : 0});
  }
  movable_ = static_cast<std::size_t>(std::ranges::count_if(problem.bounds, [](double bound) { return bound > 0; }));
  if (problem.equality)
    price_ = std::max(price_share * sum / static_cast<double>(std::max<std::size_t>(problem.size(), 1)), 1e-300);
  for (Variable& variable : variables_) variable.curvature += price_;
  is_known ? begin_known() : take_in_all();
  add_all();
}

void Problem::solve() {
  while (!over_ && passes_ < options_.max_iter) end_pass(pass());
}

Problem::Slopes Problem::pass() {
  Slopes met;
  order_.for_each(active_.size(), [&](std::size_t begin, std::size_t end) {
    std::size_t work = 0;
    for (std::size_t at = begin; at < end; ++at) {
      work += rows_.early_stops(variables_[active_[at]].row);
      if (!visit(variables_[active_[at]], met)) active_[at] = nobody;
    }
    report(work, infinity);
  });
  std::erase(active_, nobody);
  ++passes_;
  watch_(0, met.violation());
  return met;
}

// Moves a variable to its best value. False if it is to be left out: at a bound, and far from leaving it.
bool Problem::visit(Variable& variable, Slopes& met) {
  const double here = slope(variable);
  const bool at_zero = variable.value <= 0;
  const bool at_bound = variable.value >= variable.bound;
  if ((at_zero && here >= 0) || (at_bound && here <= 0)) {
    double& way = at_zero == (variable.sign > 0) ? met.to_rise : met.to_fall;
    way = std::min(way, std::abs(here));
    return at_zero ? here <= upper_limit_ : here >= lower_limit_;
  }
  met.most = std::max(met.most, here);
  met.least = std::min(met.least, here);
  if (settled_ > 0 && std::abs(here) <= settled_) return false;
  const double wanted = variable.curvature > 0 ? variable.value - here / variable.curvature : -here * infinity;
  move(variable, std::clamp(wanted, 0.0, variable.bound));
  return true;
}

void Problem::report(std::size_t work, double violation) {
  window_work_ += static_cast<double>(work);
  watch_(work, violation);
}

double Problem::slope(const Variable& variable) const {
  return variable.sign * (weights_.score(variable.row) + intercept_ + price_ * imbalance_) + variable.linear;
}

void Problem::move(Variable& variable, double value) {
  const double delta = variable.sign * (value - variable.value);
  if (delta == 0) return;
  variable.value = value;
  imbalance_ += delta;
  weights_.add(variable.row, delta);
}

void Problem::end_pass(const Slopes& slopes) {
  // What is too much will be moved to others, whose slopes change by as much at most.
  const double excess = problem_.equality ? std::abs(imbalance_) * largest_ : 0;
  const bool is_full = active_.size() == movable_;
  const bool quiet = slopes.violation() <= (is_full ? tol_ : tol_ / 2);  // passes over all variables are dear
  move_intercept(slopes);
  if (settled_ > 0) {
    over_ = (active_.empty() || ++round_passes_ == most_round_passes) && look();
  } else if (quiet && !is_full) {
    take_in_all();
  } else if (quiet && excess <= tol_ / 4) {
    over_ = confirm();
  } else {
    over_ = is_stalled(std::max(slopes.violation(), excess));
    if (options_.shrinking) leave_out(slopes);
  }
}

void Problem::settle_nothing() {
  settled_ = 0;
  take_in_all();
}

// From the next pass on, variables at bounds that are further from leaving them than others were from theirs.
void Problem::leave_out(const Slopes& slopes) {
  upper_limit_ = slopes.most > 0 ? slopes.most : infinity;
  lower_limit_ = slopes.least < 0 ? slopes.least : -infinity;
}

// Where nothing moves any more and yet the sum is not right, at once to where something will.
void Problem::move_intercept(const Slopes& slopes) {
  if (!problem_.equality || imbalance_ == 0) return;
  const bool too_much = imbalance_ > 0;
  const double way = too_much ? slopes.to_fall : slopes.to_rise;
  intercept_ += price_ * imbalance_;
  const bool nothing_moved = slopes.violation() == 0 && active_.size() == movable_;
  if (nothing_moved && std::isfinite(way)) intercept_ += too_much ? way : -way;
}

// All but those that stay at 0.
void Problem::take_in_all() {
  active_.clear();
  for (RowId at = 0; at < variables_.size(); ++at) {
    if (variables_[at].bound > 0) active_.push_back(at);
    if (is_known()) know(at);
  }
  upper_limit_ = infinity;
  lower_limit_ = -infinity;
}

bool Problem::is_stalled(double distance) {
  least_ = std::min(least_, distance);
  if (++window_passes_ < patience) return false;
  if (window_passes_ == patience) cheap_ = gram_entry * held_rows() * static_cast<double>(variables_.size());
  if (window_work_ < cheap_) return false;
  const bool stalled = least_ > least_before_ / 2;
  least_before_ = std::exchange(least_, infinity);
  window_passes_ = 0;
  window_work_ = 0;
  return stalled;
}

// How many rows of the Gram matrix another solver would need to go on from here.
double Problem::held_rows() const {
  return static_cast<double>(std::ranges::count_if(variables_, [](const Variable& one) { return one.value > 0; }));
}

// The point that was reached, by sums made anew. Where it is not good enough after all, passes go on more strictly.
bool Problem::confirm() {
  confirmed_ = judge_anew();
  if (confirmed_->converged) return true;
  confirmed_.reset();
  tol_ /= 2;
  return tol_ < 1e-3 * options_.tol;
}

DualSolution Problem::solution() { return confirmed_ ? *confirmed_ : judge_anew(); }

DualSolution Problem::judge_anew() {
  balance();
  refresh();
  std::vector<double> alpha;
  std::vector<double> scores;
  for (RowId at = 0; at < variables_.size(); ++at) {
    if (is_known()) know(at);
    alpha.push_back(variables_[at].value);
    scores.push_back(score(at));
  }
  DualSolution solution = judge(problem_, std::move(alpha), scores, options_.tol);
  solution.iterations = passes_;
  return solution;
}

// Takes what is too much from free variables, then from any that have something to give.
void Problem::balance() {
  if (!problem_.equality) return;
  const auto sum = [&] {
    double total = -target_;
    for (const Variable& variable : variables_) total += variable.sign * variable.value;
    return total;
  };
  const auto take_from = [&](bool only_free) {
    for (Variable& variable : variables_) {
      const double excess = imbalance_;
      if (excess == 0) return;
      if (only_free && (variable.value <= 0 || variable.value >= variable.bound)) continue;
      move(variable, std::clamp(variable.value - variable.sign * excess, 0.0, variable.bound));
    }
  };
  imbalance_ = sum();
  take_from(true);
  if (imbalance_ == 0) return;
  take_from(false);
  if (is_known()) find_moving();
}

void Problem::refresh() {
  weights_.clear();
  add_all();
}

void Problem::add_all() {
  imbalance_ = -target_;
  for (const Variable& variable : variables_) {
    imbalance_ += variable.sign * variable.value;
    if (variable.moved() != 0) weights_.add(variable.row, variable.moved());
  }
}

}  // namespace gristmill::solve::batch::dual_cd
