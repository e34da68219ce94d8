// SPDX-License-Identifier: BSD-3-Clause
#include "solve/logistic/logistic_solver.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "solve/progress_part.hpp"

namespace gristmill::solve::logistic {
namespace {

constexpr std::size_t parts = 1000;
constexpr double strictness = 0.5;  // of what passes see, where that did not suffice

void require(bool holds, const char* wanted) {
  if (!holds) throw std::invalid_argument(wanted);
}

void check(const LogisticProblem& problem, std::size_t rows) {
  const std::size_t size = problem.size();
  require(problem.labels.size() == size && problem.costs.size() == size,
          "the arrays of a logistic problem differ in length");
  require(problem.classes >= 2, "a logistic problem has two classes or more");
  require(std::ranges::all_of(problem.rows, [&](RowId row) { return row < rows; }),
          "a logistic problem names an example that has no row");
  require(std::ranges::all_of(problem.labels, [&](std::uint32_t label) { return label < problem.classes; }),
          "the labels of a logistic problem are numbers of classes");
  require(std::ranges::all_of(problem.costs, [](double cost) { return cost > 0 && std::isfinite(cost); }),
          "the costs of a logistic problem are positive and finite");
}

}  // namespace

LogisticSolver::LogisticSolver(const batch::ExpandedRows& rows, LogisticProblem problem, std::uint32_t seed)
    : rows_(rows),
      problem_(std::move(problem)),
      coefficients_(problem_.size() * problem_.outputs(), 0.0),
      marks_(problem_.size() * problem_.outputs(), 0.0),
      loss_(loss_for(problem_.classes)),
      order_(seed),
      scores_(problem_.outputs()),
      rest_(problem_.outputs()),
      slopes_(problem_.outputs()) {
  check(problem_, rows.size());
  for (std::size_t output = 0; output < problem_.outputs(); ++output) weights_.emplace_back(rows);
  for (std::size_t at = 0; at < problem_.size(); ++at) {
    scale_ += problem_.costs[at] * loss_->value(scores_, problem_.labels[at]);
    loss_->set_certain(problem_.labels[at], of(marks_, at));
  }
  objective_ = gap_ = scale_;
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
  order_.for_each(problem_.size(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t at = begin; at < end; ++at) {
      seen += visit(at);
      pulse(2 * rows_.early_stops(problem_.rows[at]) * problem_.outputs());
    }
  });
  ++passes_;
  return seen;
}

double LogisticSolver::visit(std::size_t example) {
  const double cost = problem_.costs[example];
  const double curvature = rows_.diagonal(problem_.rows[example]);
  const std::span<double> mark = of(marks_, example);
  const std::span<const double> coefficients = of(coefficients_, example);
  find_scores(example);
  double seen = 0;
  for (std::size_t k = 0; k < scores_.size(); ++k) {
    seen += (cost * slopes_[k] - coefficients[k]) * (mark[k] - scores_[k]);
    rest_[k] = scores_[k] - curvature * coefficients[k];
  }
  std::ranges::copy(scores_, mark.begin());
  loss_->settle(rest_, cost * curvature, problem_.labels[example], mark);
  loss_->find_slopes(mark, problem_.labels[example], slopes_);
  for (std::size_t k = 0; k < scores_.size(); ++k) move(example, k, cost * slopes_[k]);
  return seen;
}

void LogisticSolver::find_scores(std::size_t example) {
  for (std::size_t k = 0; k < scores_.size(); ++k) scores_[k] = weights_[k].score(problem_.rows[example]);
  loss_->find_slopes(scores_, problem_.labels[example], slopes_);
}

void LogisticSolver::move(std::size_t example, std::size_t output, double coefficient) {
  double& own = of(coefficients_, example)[output];
  if (coefficient != own) weights_[output].add(problem_.rows[example], coefficient - own);
  own = coefficient;
}

void LogisticSolver::refresh(Pulse& pulse) {
  for (std::size_t output = 0; output < weights_.size(); ++output) {
    weights_[output].clear();
    for (std::size_t at = 0; at < problem_.size(); ++at) {
      weights_[output].add(problem_.rows[at], of(coefficients_, at)[output]);
      pulse(rows_.early_stops(problem_.rows[at]));
    }
  }
}

void LogisticSolver::judge(Observer& observer) {
  Stop stop(observer);
  Pulse pulse(stop, 0);
  refresh(pulse);
  double objective = 0;
  double gap = 0;
  for (std::size_t at = 0; at < problem_.size(); ++at) {
    const std::span<const double> mark = of(marks_, at);
    const std::span<const double> coefficients = of(coefficients_, at);
    find_scores(at);
    const double loss = loss_->value(scores_, problem_.labels[at]);
    double divergence = problem_.costs[at] * (loss - loss_->value(mark, problem_.labels[at]));
    objective += problem_.costs[at] * loss;
    for (std::size_t k = 0; k < scores_.size(); ++k) {
      divergence += coefficients[k] * (scores_[k] - mark[k]);
      objective += coefficients[k] * scores_[k] / 2;
    }
    gap += std::max(divergence, 0.0);
    pulse(rows_.early_stops(problem_.rows[at]) * scores_.size());
  }
  objective_ = objective;
  gap_ = gap;
}

std::vector<double> LogisticSolver::coefficients() const {
  const std::size_t outputs = problem_.outputs();
  std::vector<double> sums(rows_.size() * outputs, 0.0);
  for (std::size_t at = 0; at < coefficients_.size(); ++at) {
    sums[problem_.rows[at / outputs] * outputs + at % outputs] += coefficients_[at];
  }
  return sums;
}

}  // namespace gristmill::solve::logistic
