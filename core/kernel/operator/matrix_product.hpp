// SPDX-License-Identifier: BSD-3-Clause
// Some rows of a matrix times weights for some of its columns, several vectors of them at once: the matrix is read once
// for eight. Sums are in the order of the columns whatever the threads and the vectors beside.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/observer.hpp"

namespace gristmill::kernel::gram {

struct MatrixView {
  const double* values;
  std::size_t columns;  // of a row in memory
};

// out[i * width + k] = sum_j matrix[rows[i]][columns[j]] * weights[j * width + k]
void multiply(const MatrixView& matrix, std::span<const std::int64_t> rows, std::span<const std::int64_t> columns,
              std::span<const double> weights, std::size_t width, std::span<double> out, std::size_t threads,
              Observer& observer);

}  // namespace gristmill::kernel::gram
