// SPDX-License-Identifier: BSD-3-Clause
#include "explain/decisions/partners.hpp"

#include <algorithm>
#include <functional>

namespace gristmill::explain::decisions {

void Partners::find(Gains& gains, const Steps& steps, const Combination& combination, std::size_t most) {
  most_ = most;
  width_ = most <= 1 ? 1 : most_counted;
  halves_.assign(steps.steps.size() * width_, 0.0);
  if (most <= 1) return;
  std::vector<double> best(steps.variables());
  for (std::size_t variable = 0; variable < steps.variables(); ++variable) {
    for (std::uint32_t step = steps.starts[variable]; step < steps.starts[variable + 1]; ++step) {
      gains.interactions(variable, steps.steps[step], most - 2, combination, best);
      sum_up(best, std::span(halves_).subspan(step * width_, width_));
    }
  }
}

void Partners::sum_up(std::span<double> best, std::span<double> out) const {
  const std::size_t counted = std::min(best.size(), width_ - 2);
  std::ranges::partial_sort(best, best.begin() + static_cast<std::ptrdiff_t>(counted), std::greater<>());
  double sum = 0;
  for (std::size_t at = 0; at < counted; ++at) {
    sum += best[at];
    out[at + 1] = 0.5 * sum;
  }
  for (std::size_t at = counted; at < best.size(); ++at) sum += best[at];
  for (std::size_t at = counted + 1; at < width_; ++at) out[at] = 0.5 * sum;
}

}  // namespace gristmill::explain::decisions
