// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/trees/symmetric_block.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace gristmill::kernel::trees {
namespace {

constexpr std::size_t block = 16;  // columns at once: two lines of the cache

#if defined(__SSE2__)

// Copies past the cache.
void stream(const double* from, std::size_t size, double* to) {
  std::size_t at = 0;
  if (size > 0 && reinterpret_cast<std::uintptr_t>(to) % sizeof(__m128d) != 0) to[at] = from[at], ++at;
  for (; at + 2 <= size; at += 2) _mm_stream_pd(to + at, _mm_loadu_pd(from + at));
  if (at < size) to[at] = from[at];
}

// Other threads see what was streamed.
void finish_streams() { _mm_sfence(); }

#else

void stream(const double* from, std::size_t size, double* to) { std::copy_n(from, size, to); }
void finish_streams() {}

#endif

}  // namespace

void write_symmetric(std::span<const double> rows, std::size_t begin, std::size_t end, std::span<double> matrix,
                     std::size_t n) {
  for (std::size_t row = begin; row < end; ++row) {
    stream(rows.data() + (row - begin) * n, row + 1, matrix.data() + row * n);
  }
  std::array<std::array<double, 64>, block> columns;
  for (std::size_t left = 0; left < end; left += block) {
    const std::size_t right = std::min(left + block, end);
    for (std::size_t top = begin; top < end; top += columns[0].size()) {
      const std::size_t bottom = std::min(top + columns[0].size(), end);
      for (std::size_t row = top; row < bottom; ++row) {
        const double* values = rows.data() + (row - begin) * n;
        for (std::size_t column = left; column < std::min(right, row); ++column) {
          columns[column - left][row - top] = values[column];
        }
      }
      for (std::size_t column = left; column < std::min(right, bottom - 1); ++column) {
        const std::size_t first = std::max(top, column + 1);
        stream(columns[column - left].data() + (first - top), bottom - first, matrix.data() + column * n + first);
      }
    }
  }
  finish_streams();
}

}  // namespace gristmill::kernel::trees
