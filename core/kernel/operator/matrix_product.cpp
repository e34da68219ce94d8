// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/operator/matrix_product.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "base/lanes.hpp"
#include "base/parallel.hpp"
#include "base/variants.hpp"

namespace gristmill::kernel::gram {
namespace {

constexpr std::size_t wide = 4;      // numbers in a vector
constexpr std::size_t together = 4;  // rows, so that sums need not wait for one another

// Of `together` rows with packed weights, `vectors` * wide a column.
template <std::size_t vectors>
GRISTMILL_INLINE void multiply_rows(const std::array<const double*, together>& rows,
                                    std::span<const std::int64_t> columns, const double* weights, double* sums) {
  Lanes4d sum[together][vectors] = {};
  for (std::size_t j = 0; j < columns.size(); ++j) {
    for (std::size_t row = 0; row < together; ++row) {
      const double value = rows[row][columns[j]];
      for (std::size_t k = 0; k < vectors; ++k) {
        sum[row][k] += value * *reinterpret_cast<const lanes::Loose4d*>(weights + (j * vectors + k) * wide);
      }
    }
  }
  for (std::size_t row = 0; row < together; ++row) {
    for (std::size_t k = 0; k < vectors; ++k) store(sum[row][k], sums + (row * vectors + k) * wide);
  }
}

GRISTMILL_VARIANTS void multiply_four(const std::array<const double*, together>& rows,
                                      std::span<const std::int64_t> columns, const double* weights, double* sums) {
  multiply_rows<1>(rows, columns, weights, sums);
}

GRISTMILL_VARIANTS void multiply_eight(const std::array<const double*, together>& rows,
                                       std::span<const std::int64_t> columns, const double* weights, double* sums) {
  multiply_rows<2>(rows, columns, weights, sums);
}

// Columns first .. first + count of the weights, `padded` of them a row, the rest zero.
std::vector<double> packed(std::span<const double> weights, std::size_t width, std::size_t first, std::size_t count,
                           std::size_t padded) {
  std::vector<double> out(weights.size() / width * padded, 0.0);
  for (std::size_t j = 0; j * width < weights.size(); ++j) {
    for (std::size_t k = 0; k < count; ++k) out[j * padded + k] = weights[j * width + first + k];
  }
  return out;
}

}  // namespace

void multiply(const MatrixView& matrix, std::span<const std::int64_t> rows, std::span<const std::int64_t> columns,
              std::span<const double> weights, std::size_t width, std::span<double> out, std::size_t threads,
              Observer& observer) {
  for (std::size_t first = 0; first < width;) {
    const std::size_t count = std::min<std::size_t>(width - first, 2 * wide);
    const std::size_t padded = count > wide ? 2 * wide : wide;
    const std::vector<double> own = packed(weights, width, first, count, padded);
    const auto run = count > wide ? multiply_eight : multiply_four;
    parallel_for(rows.size(), 8 * together, threads, observer, [&](std::size_t begin, std::size_t end, std::size_t) {
      std::array<const double*, together> which{};
      std::array<double, 2 * wide * together> sums{};
      for (std::size_t at = begin; at < end; at += together) {
        const std::size_t some = std::min(together, end - at);
        for (std::size_t row = 0; row < together; ++row) {
          which[row] = matrix.values + static_cast<std::size_t>(rows[at + std::min(row, some - 1)]) * matrix.columns;
        }
        run(which, columns, own.data(), sums.data());
        for (std::size_t row = 0; row < some; ++row) {
          for (std::size_t k = 0; k < count; ++k) {
            out[(at + row) * width + first + k] = sums[row * padded + k];
          }
        }
      }
    });
    first += count;
  }
}

}  // namespace gristmill::kernel::gram
