// SPDX-License-Identifier: BSD-3-Clause
#include "solve/logistic/logistic_solver.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "solve/progress_part.hpp"

namespace gristmill::solve::logistic {
namespace {

constexpr std::size_t parts = 1000;
constexpr int most_visits = 64;  // of a row in a pass
constexpr std::size_t run_length = 4;
constexpr double strictness = 0.5;  // of what passes see, where that did not suffice

void require(bool holds, const char* wanted) {
  if (!holds) throw std::invalid_argument(wanted);
}

void check(const LogisticProblem& problem, std::size_t rows) {
  require(problem.outputs > 0 && problem.costs.size() == rows && problem.targets.size() == rows * problem.outputs,
          "a logistic problem has a cost for each row and a target for each output");
  require(std::ranges::all_of(problem.costs, [](double cost) { return cost > 0 && std::isfinite(cost); }),
          "the costs of a logistic problem are positive and finite");
  require(std::ranges::all_of(problem.targets, [](double target) { return target >= 0 && target <= 1; }),
          "the targets of a logistic problem are from 0 to 1");
}

}  // namespace

LogisticSolver::LogisticSolver(const batch::ExpandedRows& rows, LogisticProblem problem, std::uint32_t seed)
    : rows_(rows),
      problem_(std::move(problem)),
      coefficients_(rows_.size() * problem_.outputs, 0.0),
      marks_(rows_.size() * problem_.outputs, 0.0),
      loss_(loss_for(problem_.outputs)),
      order_(run_length, seed),
      scores_(problem_.outputs),
      rest_(problem_.outputs),
      slopes_(problem_.outputs) {
  check(problem_, rows.size());
  for (std::size_t output = 0; output < problem_.outputs; ++output) weights_.emplace_back(rows);
  for (std::size_t at = 0; at < rows_.size(); ++at) {
    scale_ += problem_.costs[at] * loss_->value(scores_, of(problem_.targets, at));
    loss_->find_flat(of(problem_.targets, at), of(marks_, at));
  }
  objective_ = gap_ = scale_;
  plan_visits();
}

// All rows, then those again that have more than the mean C, and so on.
void LogisticSolver::plan_visits() {
  const std::vector<double>& costs = problem_.costs;
  const double mean = std::accumulate(costs.begin(), costs.end(), 0.0) / static_cast<double>(costs.size());
  visits_.resize(costs.size());
  std::iota(visits_.begin(), visits_.end(), RowId{0});
  std::size_t begin = 0;
  for (int visit = 1; visit < most_visits && begin < visits_.size(); ++visit) {
    const std::size_t end = visits_.size();
    for (std::size_t at = begin; at < end; ++at) {
      if (costs[visits_[at]] > (visit + 0.5) * mean) visits_.push_back(visits_[at]);
    }
    begin = end;
  }
}

void LogisticSolver::start(std::span<const double> scores, Observer& observer) {
  require(scores.size() == marks_.size(), "a start has a score for each row and output");
  require(std::ranges::all_of(scores, [](double score) { return std::isfinite(score); }), "scores are finite");
  std::ranges::copy(scores, marks_.begin());
  for (std::size_t at = 0; at < rows_.size(); ++at) {
    loss_->find_slopes(of(marks_, at), of(problem_.targets, at), slopes_);
    for (std::size_t k = 0; k < slopes_.size(); ++k) of(coefficients_, at)[k] = problem_.costs[at] * slopes_[k];
  }
  Stop stop(observer);
  Pulse pulse(stop, 0);
  refresh(pulse);
}

void LogisticSolver::solve(double tol, std::size_t max_passes, Observer& observer) {
  Stop stop(observer);
  Pulse pulse(stop, 0);
  double wanted = tol * scale_;
  const std::size_t end = passes_ + max_passes;
  while (!converged_ && passes_ < end) {
    const double seen = pass(pulse);
    first_ = std::max(first_, seen);
    gristmill::require(stop, part_of(first_, seen, tol * scale_, parts), parts);
    if (seen > wanted && passes_ < end) continue;
    judge(stop);
    converged_ = gap_ <= tol * scale_;
    wanted = seen * strictness;
  }
  observer.advance(parts, parts);
}

double LogisticSolver::pass(Pulse& pulse) {
  double seen = 0;
  order_.for_each(visits_.size(), [&](std::size_t begin, std::size_t end) {
    for (const RowId row : std::span(visits_).subspan(begin, end - begin)) {
      seen += visit(row);
      pulse(2 * rows_.early_stops(row) * problem_.outputs);
    }
  });
  ++passes_;
  return seen;
}

double LogisticSolver::visit(std::size_t row) {
  const double cost = problem_.costs[row];
  const double curvature = rows_.diagonal(row);
  const Targets targets = of(problem_.targets, row);
  const std::span<double> mark = of(marks_, row);
  const std::span<const double> coefficients = of(coefficients_, row);
  find_scores(row);
  double seen = 0;
  for (std::size_t k = 0; k < scores_.size(); ++k) {
    seen += (cost * slopes_[k] - coefficients[k]) * (mark[k] - scores_[k]);
    rest_[k] = scores_[k] - curvature * coefficients[k];
  }
  std::ranges::copy(scores_, mark.begin());
  loss_->settle(rest_, cost * curvature, targets, mark);
  loss_->find_slopes(mark, targets, slopes_);
  for (std::size_t k = 0; k < scores_.size(); ++k) move(row, k, cost * slopes_[k]);
  return seen;
}

void LogisticSolver::find_scores(std::size_t row) {
  for (std::size_t k = 0; k < scores_.size(); ++k) scores_[k] = weights_[k].score(row);
  loss_->find_slopes(scores_, of(problem_.targets, row), slopes_);
}

void LogisticSolver::move(std::size_t row, std::size_t output, double coefficient) {
  double& own = of(coefficients_, row)[output];
  if (coefficient != own) weights_[output].add(row, coefficient - own);
  own = coefficient;
}

void LogisticSolver::refresh(Pulse& pulse) {
  for (std::size_t output = 0; output < weights_.size(); ++output) {
    weights_[output].clear();
    for (std::size_t at = 0; at < rows_.size(); ++at) {
      weights_[output].add(at, of(coefficients_, at)[output]);
      pulse(rows_.early_stops(at));
    }
  }
}

void LogisticSolver::judge(Observer& observer) {
  Stop stop(observer);
  Pulse pulse(stop, 0);
  refresh(pulse);
  double objective = 0;
  double gap = 0;
  for (std::size_t at = 0; at < rows_.size(); ++at) {
    const Targets targets = of(problem_.targets, at);
    const std::span<const double> mark = of(marks_, at);
    const std::span<const double> coefficients = of(coefficients_, at);
    find_scores(at);
    const double loss = loss_->value(scores_, targets);
    double divergence = problem_.costs[at] * (loss - loss_->value(mark, targets));
    objective += problem_.costs[at] * loss;
    for (std::size_t k = 0; k < scores_.size(); ++k) {
      divergence += coefficients[k] * (scores_[k] - mark[k]);
      objective += coefficients[k] * scores_[k] / 2;
    }
    gap += std::max(divergence, 0.0);
    pulse(rows_.early_stops(at) * scores_.size());
  }
  objective_ = objective;
  gap_ = gap;
}

}  // namespace gristmill::solve::logistic
