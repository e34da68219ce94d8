// SPDX-License-Identifier: BSD-3-Clause
// The order in which pairs of players are listed: (0, 1), (0, 2), ..., (1, 2), ...
#pragma once
#include <algorithm>
#include <cstddef>

#include "base/triangle.hpp"

namespace gristmill::explain {

// The number of a pair among those of n players.
[[nodiscard]] constexpr std::size_t pair_number(std::size_t n, std::size_t one, std::size_t other) {
  const auto [low, high] = std::minmax(one, other);
  return pair_row(n) - pair_row(n - low) + (high - low - 1);
}

}  // namespace gristmill::explain
