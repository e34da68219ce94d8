// SPDX-License-Identifier: BSD-3-Clause
// How far a solver is whose distance from the end shrinks by factors.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>

namespace gristmill::solve {

// How much of the way from the first distance to the target is done, in logarithms; `parts` is the whole way, which
// is never said to be done.
[[nodiscard]] inline std::size_t part_of(double first, double now, double target, std::size_t parts) {
  target = std::max(target, 1e-12 * first);
  if (!(first > target) || !(now < first)) return 0;
  const double share = std::log(first / std::max(now, target)) / std::log(first / target);
  return std::min(static_cast<std::size_t>(share * static_cast<double>(parts)), parts - 1);
}

}  // namespace gristmill::solve
