// SPDX-License-Identifier: BSD-3-Clause
// The upper half of a symmetric matrix from its lower one.
#pragma once
#include <algorithm>
#include <span>

namespace gristmill {

// Rows begin..end of the lower half go to columns begin..end of the upper one, block by block so that both fit into
// the cache.
inline void mirror_rows(std::span<double> matrix, std::size_t n, std::size_t begin, std::size_t end) {
  constexpr std::size_t block = 16;
  for (std::size_t left = 0; left < end; left += block) {
    for (std::size_t column = left; column < std::min(left + block, end); ++column) {
      for (std::size_t row = std::max(begin, column + 1); row < end; ++row) {
        matrix[column * n + row] = matrix[row * n + column];
      }
    }
  }
}

}  // namespace gristmill
