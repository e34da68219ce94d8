// SPDX-License-Identifier: BSD-3-Clause
#include "explain/gauss_legendre.hpp"

#include <cmath>
#include <numbers>

namespace gristmill::explain {
namespace {

struct Legendre {
  double value;
  double slope;
};

Legendre legendre(std::size_t degree, double x) {
  double before = 1;
  double value = x;
  for (std::size_t k = 2; k <= degree; ++k) {
    const auto n = static_cast<double>(k);
    const double next = ((2 * n - 1) * x * value - (n - 1) * before) / n;
    before = value;
    value = next;
  }
  return {value, static_cast<double>(degree) * (before - x * value) / ((1 - x) * (1 + x))};
}

// Newton's method from a guess that is right to O(1 / degree^4), so that few steps do. Libraries do not agree on the
// last bits of a cosine: the guess is rounded, so that the root has the same bits everywhere.
double root(std::size_t degree, std::size_t number) {
  constexpr int steps = 8;
  constexpr double grain = 1U << 30U;
  const auto n = static_cast<double>(degree);
  const double angle = std::numbers::pi * (static_cast<double>(number) + 0.75) / (n + 0.5);
  double x = std::nearbyint(grain * (1 - (n - 1) / (8 * n * n * n)) * std::cos(angle)) / grain;
  for (int step = 0; step < steps; ++step) {
    const Legendre at = legendre(degree, x);
    const double change = at.value / at.slope;
    x -= change;
    if (std::abs(change) < 1e-15) break;
  }
  return x;
}

}  // namespace

std::vector<QuadraturePoint> gauss_legendre(std::size_t points, const std::function<void(std::size_t)>& poll) {
  std::vector<QuadraturePoint> rule(points);
  for (std::size_t number = 0; number < (points + 1) / 2; ++number) {
    poll(points);
    const double x = 2 * number + 1 == points ? 0 : root(points, number);
    const double slope = legendre(points, x).slope;
    const double weight = 1 / ((1 - x) * (1 + x) * slope * slope);  // of (0, 1): half of what it is on (-1, 1)
    rule[number] = {(1 - x) / 2, weight};
    rule[points - 1 - number] = {(1 + x) / 2, weight};
  }
  return rule;
}

const std::vector<QuadraturePoint>& QuadratureRules::with(std::size_t points, Pulse& pulse) {
  auto& found = rules_[points];
  if (found.empty()) found = gauss_legendre(points, [&](std::size_t steps) { pulse(steps); });
  return found;
}

}  // namespace gristmill::explain
