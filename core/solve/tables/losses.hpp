// SPDX-License-Identifier: BSD-3-Clause
// Losses along a line: what C sum_i w_i loss(y_i, f_i + a g_i + b) is at a step a and intercepts b, with its first and
// second derivatives by both, in one pass over rows.
//
//   logistic   log(1 + exp(-f)) for y = 1, log(1 + exp(f)) for y = 0
//   softmax    log(sum_c exp(f_c)) - f_y for classes 0, 1, ...; the intercept of the last class is 0
//   squared    (y - f)^2 / 2
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "solve/tables/workers.hpp"

namespace gristmill::solve::tables {

enum class Loss : std::uint8_t { logistic, softmax, squared };

struct Targets {
  Loss loss = Loss::logistic;
  std::size_t outputs = 1;
  std::vector<double> values;   // y
  std::vector<double> weights;  // w
};

// Refuses, with std::invalid_argument, what has no finite intercept: without weight, or of less than two classes.
void check_targets(const Targets& targets);

// Of the step and the free intercepts, in this order.
struct Derivatives {
  double loss = 0;
  std::vector<double> gradient;
  std::vector<double> hessian;  // row by row, all of it
};

class LossPass {
 public:
  explicit LossPass(const Targets& targets);

  // Intercepts that can be moved; with the step, one more.
  [[nodiscard]] std::size_t intercepts() const noexcept { return free_; }

  // `scores` and `direction` are rows x outputs, the direction may be empty. Fills `residuals`, rows x outputs, with
  // the derivatives of the weighted loss by the scores of each row.
  [[nodiscard]] Derivatives at(std::span<const double> scores, std::span<const double> direction, double step,
                               std::span<const double> intercepts, std::span<double> residuals, Workers& workers);

 private:
  const Targets& targets_;
  std::size_t free_;
  std::vector<double> sums_;     // of pieces, one after the other
  std::vector<double> scratch_;  // of workers
};

}  // namespace gristmill::solve::tables
