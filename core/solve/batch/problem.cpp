// SPDX-License-Identifier: BSD-3-Clause
#include "solve/batch/problem.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace gristmill::solve::batch {
namespace {

void require(bool holds, const char* wanted) {
  if (!holds) throw std::invalid_argument(wanted);
}

bool starts_inside(const DualProblem& problem) {
  for (std::size_t at = 0; at < problem.start.size(); ++at) {
    const double most = problem.gradient.empty() ? problem.bounds[at] : std::numeric_limits<double>::max();
    if (!(problem.start[at] >= 0 && problem.start[at] <= most)) return false;
  }
  return true;
}

}  // namespace

void check_problem(const DualProblem& problem, std::size_t rows) {
  const std::size_t size = problem.size();
  require(problem.signs.size() == size && problem.linear.size() == size && problem.bounds.size() == size &&
              (problem.start.empty() || problem.start.size() == size) &&
              (problem.gradient.empty() || (problem.gradient.size() == size && problem.start.size() == size)),
          "the arrays of a dual problem differ in length");
  require(size < std::numeric_limits<RowId>::max(), "a dual problem has fewer than 2^32 - 1 variables");
  require(std::ranges::all_of(problem.examples, [&](RowId example) { return example < rows; }),
          "a dual problem names an example that has no row");
  require(std::ranges::all_of(problem.signs, [](std::int8_t sign) { return sign == 1 || sign == -1; }),
          "the signs of a dual problem are 1 and -1");
  require(std::ranges::all_of(problem.linear, [](double value) { return std::isfinite(value); }),
          "the linear term of a dual problem is finite");
  require(std::ranges::all_of(problem.bounds, [](double bound) { return bound >= 0 && std::isfinite(bound); }),
          "the bounds of a dual problem are finite and not below 0");
  require(std::ranges::all_of(problem.gradient, [](double value) { return std::isfinite(value); }),
          "the gradient of a dual problem is finite");
  require(problem.gradient_errors.empty() || problem.gradient_errors.size() == problem.gradient.size(),
          "errors of a gradient are those of each variable");
  require(std::ranges::all_of(problem.gradient_errors, [](double error) { return error >= 0 && std::isfinite(error); }),
          "errors of a gradient are finite and not below 0");
  require(std::isfinite(problem.start_objective), "the objective of the start is finite");
  require(starts_inside(problem), "the start of a dual problem lies between 0 and the bounds");
  require(std::isfinite(problem.constant) && problem.constant >= 0 && (problem.constant == 0 || !problem.equality),
          "the constant of a dual problem is 0 or more, and 0 where there is an equality");
}

}  // namespace gristmill::solve::batch
