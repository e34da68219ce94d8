// SPDX-License-Identifier: BSD-3-Clause
#include "machine/pke_thresholds.hpp"

namespace gristmill::machine {

std::vector<Thresholds> thresholds_of(const Coefficients& coef, double sigma) {
  std::vector<double> positive(coef.outputs(), 0.0);
  std::vector<double> negative(coef.outputs(), 0.0);
  for (std::size_t row = 0; row < coef.rows(); ++row) {
    coef.for_each_in_row(row, [&](std::size_t output, double a) {
      positive[output] += a > 0 ? 1 : 0;
      negative[output] += a < 0 ? 1 : 0;
    });
  }
  std::vector<Thresholds> thresholds(coef.outputs());
  for (std::size_t output = 0; output < coef.outputs(); ++output) {
    const double all = positive[output] + negative[output];
    if (all > 0) thresholds[output] = {sigma * positive[output] / all, -sigma * negative[output] / all};
  }
  return thresholds;
}

}  // namespace gristmill::machine
