// SPDX-License-Identifier: BSD-3-Clause
// Points in (0, 1) and weights with which sums over polynomials are their integrals: n points do for degree 2 n - 1.
// Cost: O(n^2).
#pragma once
#include <cstddef>
#include <functional>
#include <unordered_map>
#include <vector>

#include "base/stop.hpp"

namespace gristmill::explain {

struct QuadraturePoint {
  double at;
  double weight;
};

// Ascending. poll(steps) is called now and then: thousands of points take a while.
[[nodiscard]] std::vector<QuadraturePoint> gauss_legendre(
    std::size_t points, const std::function<void(std::size_t)>& poll = [](std::size_t) {});

// Rules that were made before. One per thread.
class QuadratureRules {
 public:
  [[nodiscard]] const std::vector<QuadraturePoint>& with(std::size_t points, Pulse& pulse);

 private:
  std::unordered_map<std::size_t, std::vector<QuadraturePoint>> rules_;
};

}  // namespace gristmill::explain
