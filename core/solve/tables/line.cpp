// SPDX-License-Identifier: BSD-3-Clause
#include "solve/tables/line.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace gristmill::solve::tables {
namespace {

constexpr int most_tries = 40;    // halvings of a step
constexpr int most_rounds = 60;   // of Newton's method
constexpr double hidden = 1e-11;  // of an objective: gains below may be lost in its rounding
constexpr double enough = 1e-4;   // of the gain that the slope promises
constexpr double ridge = 1e-13;   // of a diagonal: directions without curvature

// -H^-1 g by the Cholesky factor.
std::vector<double> newton_step(std::vector<double> hessian, std::span<const double> gradient) {
  const std::size_t size = gradient.size();
  std::vector<double> step(size);
  const auto entry = [&](std::size_t i, std::size_t j) -> double& { return hessian[i * size + j]; };
  for (std::size_t i = 0; i < size; ++i) {
    const double whole = entry(i, i) > 0 ? entry(i, i) : 1;
    for (std::size_t j = 0; j <= i; ++j) {
      double left = entry(i, j);
      for (std::size_t k = 0; k < j; ++k) left -= entry(i, k) * entry(j, k);
      entry(i, j) = i == j ? std::sqrt(std::max(left, ridge * whole)) : left / entry(j, j);
    }
  }
  for (std::size_t i = 0; i < size; ++i) {
    step[i] = -gradient[i];
    for (std::size_t k = 0; k < i; ++k) step[i] -= entry(i, k) * step[k];
    step[i] /= entry(i, i);
  }
  for (std::size_t i = size; i-- > 0;) {
    for (std::size_t k = i + 1; k < size; ++k) step[i] -= entry(k, i) * step[k];
    step[i] /= entry(i, i);
  }
  return step;
}

// Takes the step out of the variables.
void hold_step(std::vector<double>& gradient, std::vector<double>& hessian) {
  const std::size_t size = gradient.size();
  for (std::size_t i = 0; i < size; ++i) hessian[i] = hessian[i * size] = 0;
  gradient[0] = 0;
  hessian[0] = 1;
}

}  // namespace

LineSearch::Try LineSearch::evaluate(const Line& line, LinePoint point, std::span<double> residuals, Workers& workers) {
  const Derivatives loss = pass_.at(line.scores, line.direction, point.step, point.intercepts, residuals, workers);
  point.objective = line.start + point.step * (line.slope + 0.5 * point.step * line.square) + C_ * loss.loss;
  Try tried{std::move(point), {}};
  set_newton(tried, line, loss);
  return tried;
}

// A step that is held at an end of the line is none of the variables: where it would go down beyond the end, or where
// the intercepts would take it along.
void LineSearch::set_newton(Try& tried, const Line& line, const Derivatives& loss) const {
  std::vector<double> gradient(loss.gradient);
  std::vector<double> hessian(loss.hessian);
  for (double& value : gradient) value *= C_;
  for (double& value : hessian) value *= C_;
  gradient[0] += line.slope + tried.point.step * line.square;
  hessian[0] += line.square;
  const auto leaves = [&](double way) {
    return (tried.point.step >= line.longest && way > 0) || (tried.point.step <= 0 && way < 0);
  };
  if (line.direction.empty() || leaves(-gradient[0])) hold_step(gradient, hessian);
  tried.newton = newton_step(hessian, gradient);
  if (leaves(tried.newton[0])) {
    hold_step(gradient, hessian);
    tried.newton = newton_step(hessian, gradient);
  }
  tried.point.decrement = 0;
  for (std::size_t i = 0; i < gradient.size(); ++i) tried.point.decrement -= gradient[i] * tried.newton[i];
}

// A step of Newton's method, shortened until it gains. Where rounding hides the gain, a whole one as long as it leaves
// less to be gained.
bool LineSearch::descend(const Line& line, Try& best, std::span<double> residuals, Workers& workers) {
  double length = 1;
  const double target = best.point.step + best.newton[0];
  if (target > line.longest) length = (line.longest - best.point.step) / best.newton[0];
  if (target < 0) length = best.point.step / -best.newton[0];
  for (int tries = 0; tries < most_tries; ++tries, length /= 2) {
    LinePoint point = best.point;
    point.step = std::clamp(point.step + length * best.newton[0], 0.0, line.longest);
    for (std::size_t i = 0; i < pass_.intercepts(); ++i) point.intercepts[i] += length * best.newton[i + 1];
    Try tried = evaluate(line, std::move(point), residuals, workers);
    if (best.point.decrement <= hidden * std::abs(best.point.objective)) {
      const bool is_nearer = 2 * tried.point.decrement <= best.point.decrement;
      if (is_nearer) best = std::move(tried);
      return is_nearer;
    }
    if (tried.point.objective <= best.point.objective - enough * length * best.point.decrement) {
      best = std::move(tried);
      return true;
    }
  }
  return false;
}

LinePoint LineSearch::minimise(const Line& line, std::vector<double> intercepts, double share,
                               std::span<double> residuals, Workers& workers) {
  Try best = evaluate(line, LinePoint{0, std::move(intercepts), 0, 0}, residuals, workers);
  const double begin = best.point.objective;
  for (int round = 0; round < most_rounds; ++round) {
    const double gained = begin - best.point.objective;
    if (best.point.decrement <= std::max(share * gained, std::numeric_limits<double>::min())) return best.point;
    if (!descend(line, best, residuals, workers)) break;
  }
  return evaluate(line, std::move(best.point), residuals, workers).point;  // residuals are those of the last try
}

}  // namespace gristmill::solve::tables
