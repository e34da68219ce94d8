// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/polynomial.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace gristmill::kernel {
namespace {

double power(double base, unsigned exponent) noexcept {
  double result = 1.0;
  for (; exponent > 0; exponent /= 2) {
    if (exponent % 2 == 1) result *= base;
    base *= base;
  }
  return result;
}

// binomial(d, l) for l = 0 .. d.
std::vector<double> binomials(unsigned d) {
  std::vector<double> row{1.0};
  for (unsigned l = 0; l < d; ++l) row.push_back(row[l] * (d - l) / (l + 1));
  return row;
}

// From r! S2(l, r) to r! S2(l + 1, r) for all r: the number of ways to map l + 1 things onto r.
void next_surjections(std::vector<double>& surjections) {
  for (std::size_t r = surjections.size() - 1; r > 0; --r) {
    surjections[r] = static_cast<double>(r) * (surjections[r] + surjections[r - 1]);
  }
  surjections[0] = 0.0;
}

}  // namespace

double PolynomialKernel::operator()(double dot) const noexcept { return power(gamma * dot + coef0, degree); }

std::vector<double> PolynomialKernel::values(std::size_t largest) const {
  std::vector<double> table(largest + 1);
  for (std::size_t m = 0; m <= largest; ++m) {
    table[m] = (*this)(static_cast<double>(m));
    if (!std::isfinite(table[m])) {
      throw std::invalid_argument("the kernel leaves the range of double at " + std::to_string(m) +
                                  " shared features; use a smaller degree, gamma or coef0");
    }
  }
  return table;
}

std::vector<double> PolynomialKernel::subset_weights() const {
  if (!(gamma > 0) || !(coef0 >= 0)) {
    throw std::invalid_argument("subset weights need gamma > 0 and coef0 >= 0");
  }
  const std::vector<double> choose = binomials(degree);
  std::vector<double> surjections(degree + 1, 0.0);
  std::vector<double> weights(degree + 1, 0.0);
  surjections[0] = 1.0;
  for (unsigned l = 0; l <= degree; ++l) {
    const double scale = choose[l] * power(gamma, l) * power(coef0, degree - l);
    for (unsigned r = 0; r <= l; ++r) weights[r] += scale * surjections[r];
    next_surjections(surjections);
  }
  if (!std::ranges::all_of(weights, [](double weight) { return std::isfinite(weight); })) {
    throw std::invalid_argument("a subset weight leaves the range of double; use a smaller degree, gamma or coef0");
  }
  return weights;
}

}  // namespace gristmill::kernel
