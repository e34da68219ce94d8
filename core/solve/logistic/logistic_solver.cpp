// SPDX-License-Identifier: BSD-3-Clause
#include "solve/logistic/logistic_solver.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "solve/progress_part.hpp"

namespace gristmill::solve::logistic {
namespace {

constexpr double far = 700;  // a margin whose coefficient is none
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
      order_(seed),
      settler_(problem_.classes),
      scores_(problem_.outputs()),
      rest_(problem_.outputs()),
      shares_(problem_.outputs()) {
  check(problem_, rows.size());
  for (std::size_t output = 0; output < problem_.outputs(); ++output) weights_.emplace_back(rows);
  double sum = 0;
  for (std::size_t at = 0; at < problem_.size(); ++at) {
    sum += problem_.costs[at];
    of(marks_, at)[problem_.outputs() == 1 ? 0 : problem_.labels[at]] = far;
  }
  scale_ = sum * log_of_1_plus_any(static_cast<double>(problem_.classes - 1));
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
  find_scores(example);
  return problem_.outputs() == 1 ? visit_margin(example) : visit_scores(example);
}

double LogisticSolver::visit_margin(std::size_t example) {
  const double cost = problem_.costs[example];
  const double curvature = rows_.diagonal(problem_.rows[example]);
  const double alpha = std::abs(coefficients_[example]);
  const double margin = sign(example) * scores_[0];
  const double seen = (cost * MarginLoss::doubt_at(margin) - alpha) * (marks_[example] - margin);
  marks_[example] = settle_margin(margin - curvature * alpha, cost * curvature, margin);
  move(example, 0, sign(example) * cost * MarginLoss::doubt_at(marks_[example]));
  return seen;
}

double LogisticSolver::visit_scores(std::size_t example) {
  const double cost = problem_.costs[example];
  const double curvature = rows_.diagonal(problem_.rows[example]);
  const std::size_t right = problem_.labels[example];
  const std::span<double> mark = of(marks_, example);
  const std::span<double> coefficients = of(coefficients_, example);
  SoftmaxLoss::at(scores_, right, shares_);
  double seen = 0;
  for (std::size_t c = 0; c < scores_.size(); ++c) {
    const double now = cost * ((c == right ? 1.0 : 0.0) - shares_[c]);
    seen += (now - coefficients[c]) * (mark[c] - scores_[c]);
    rest_[c] = scores_[c] - curvature * coefficients[c];
  }
  std::ranges::copy(scores_, mark.begin());
  settler_.settle(rest_, cost * curvature, right, mark);
  SoftmaxLoss::at(mark, right, shares_);
  for (std::size_t c = 0; c < scores_.size(); ++c) move(example, c, cost * ((c == right ? 1.0 : 0.0) - shares_[c]));
  return seen;
}

void LogisticSolver::find_scores(std::size_t example) {
  for (std::size_t output = 0; output < scores_.size(); ++output) {
    scores_[output] = weights_[output].score(problem_.rows[example]);
  }
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
  double loss = 0;
  double square = 0;
  double gap = 0;
  for (std::size_t at = 0; at < problem_.size(); ++at) {
    find_scores(at);
    const std::span<const double> mark = of(marks_, at);
    const std::span<const double> coefficients = of(coefficients_, at);
    const std::size_t right = problem_.labels[at];
    double here = 0;
    double there = 0;
    double slope = 0;
    if (scores_.size() == 1) {
      const double margin = sign(at) * scores_[0];
      here = MarginLoss::at(margin).loss;
      there = MarginLoss::at(mark[0]).loss;
      slope = std::abs(coefficients[0]) * (margin - mark[0]);
    } else {
      here = SoftmaxLoss::at(scores_, right, shares_);
      there = SoftmaxLoss::at(mark, right, shares_);
      for (std::size_t c = 0; c < scores_.size(); ++c) slope += coefficients[c] * (scores_[c] - mark[c]);
    }
    loss += problem_.costs[at] * here;
    gap += std::max(problem_.costs[at] * (here - there) + slope, 0.0);
    for (std::size_t c = 0; c < scores_.size(); ++c) square += coefficients[c] * scores_[c];
    pulse(rows_.early_stops(problem_.rows[at]) * scores_.size());
  }
  objective_ = square / 2 + loss;
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
