// SPDX-License-Identifier: BSD-3-Clause
// The upper half of a symmetric matrix from its lower one, block by block so that both fit into the cache.
#pragma once
#include <algorithm>
#include <span>

#include "base/parallel.hpp"

namespace gristmill {

inline void mirror_lower(std::span<double> matrix, std::size_t n, std::size_t threads, Observer& observer) {
  constexpr std::size_t block = 64;
  const std::size_t blocks = (n + block - 1) / block;
  parallel_for(blocks, 1, threads, observer, [&](std::size_t begin, std::size_t end, std::size_t) {
    for (std::size_t top = begin; top < end; ++top) {
      for (std::size_t left = 0; left <= top; ++left) {
        for (std::size_t row = top * block; row < std::min((top + 1) * block, n); ++row) {
          for (std::size_t column = left * block; column < std::min((left + 1) * block, row); ++column) {
            matrix[column * n + row] = matrix[row * n + column];
          }
        }
      }
    }
  });
}

}  // namespace gristmill
