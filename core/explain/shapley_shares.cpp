// SPDX-License-Identifier: BSD-3-Clause
#include "explain/shapley_shares.hpp"

#include <cmath>
#include <stdexcept>
#include <string>

namespace gristmill::explain {
namespace {

// (u^degree - v^degree) / (u - v), for u = v as well.
double divided_difference(unsigned degree, double u, double v) {
  double sum = 0;
  double power = 1;  // of v
  for (unsigned j = 0; j < degree; ++j, power *= v) sum = sum * u + power;
  return sum;
}

double share_at(const kernel::PolynomialKernel& kernel, double overlap) {
  return kernel.gamma * divided_difference(kernel.degree, kernel.gamma * overlap + kernel.coef0, kernel.coef0);
}

// k(m) - k(m-1) = sum over l >= 1 of binomial(d, l) gamma^l u^(d-l), u = gamma (m-1) + coef0, and k(1) - k(0) is the
// same at u = coef0; the difference of the powers is divided by gamma (m-1).
double pair_at(const kernel::PolynomialKernel& kernel, double overlap) {
  const double u = kernel.gamma * (overlap - 1) + kernel.coef0;
  double sum = 0;
  double ways = 1;  // binomial(d, l) gamma^l
  for (unsigned l = 1; l < kernel.degree; ++l) {
    ways *= kernel.gamma * (kernel.degree - l + 1) / l;
    sum += ways * divided_difference(kernel.degree - l, u, kernel.coef0);
  }
  return kernel.gamma * sum;
}

void check(double value, std::size_t overlap) {
  if (std::isfinite(value)) return;
  throw std::invalid_argument("an explanation leaves the range of double at " + std::to_string(overlap) +
                              " shared features; use a smaller degree, gamma or coef0");
}

}  // namespace

ShapleyShares::ShapleyShares(const kernel::SetKernel& kernel, std::size_t longest)
    : share(longest + 1, 0.0), pair(longest + 1, 0.0) {
  if (kernel.is_polynomial()) {
    fill(kernel.polynomial());
  } else {
    fill(kernel.values(longest));
  }
}

void ShapleyShares::fill(const kernel::PolynomialKernel& kernel) {
  for (std::size_t m = 1; m < share.size(); ++m) {
    const auto overlap = static_cast<double>(m);
    share[m] = share_at(kernel, overlap);
    if (m > 1) pair[m] = pair_at(kernel, overlap);
    check(share[m], m);
    check(pair[m], m);
  }
}

void ShapleyShares::fill(const std::vector<double>& k) {
  for (std::size_t m = 1; m < share.size(); ++m) {
    const auto overlap = static_cast<double>(m);
    share[m] = (k[m] - k[0]) / overlap;
    if (m > 1) pair[m] = ((k[m] - k[m - 1]) - (k[1] - k[0])) / (overlap - 1);
  }
}

}  // namespace gristmill::explain
