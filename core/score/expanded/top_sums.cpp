// SPDX-License-Identifier: BSD-3-Clause
#include "score/expanded/top_sums.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

namespace gristmill::score::expanded {

double TopSums::top(std::vector<double>& values) const {
  if (values.size() > most_) {
    const auto end = values.begin() + static_cast<std::ptrdiff_t>(most_);
    std::ranges::nth_element(values, end, std::ranges::greater{});
    values.erase(end, values.end());
  }
  double sum = 0;
  for (const double value : values) sum += value;
  return sum;
}

float upward(double value) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  return value == 0 ? 0.0F : std::nextafter(static_cast<float>(value * (1 + 1e-6)), infinity);
}

ScoreBounds outward(Range range) { return {-upward(-range.low), upward(range.high)}; }

}  // namespace gristmill::score::expanded
