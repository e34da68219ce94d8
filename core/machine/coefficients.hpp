// SPDX-License-Identifier: BSD-3-Clause
// The coefficients of a machine: support rows x outputs, dense, or sparse by support row (pairwise classifiers, where a
// support row takes part in few outputs).
#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "base/types.hpp"

namespace gristmill {

struct Coefficients {
  std::size_t outputs = 1;
  std::vector<double> values;         // dense: rows x outputs, row-major
  std::vector<Offset> offsets;        // sparse: where each row's values start; empty when dense
  std::vector<std::int32_t> columns;  // sparse: the output of each value

  [[nodiscard]] bool dense() const noexcept { return offsets.empty(); }

  // out += factor * coefficients of the row. Each output is summed on its own, in the caller's order of rows.
  void add_scaled(std::size_t row, double factor, std::span<double> out) const {
    if (dense()) {
      const double* from = values.data() + row * outputs;
      for (std::size_t o = 0; o < outputs; ++o) out[o] += factor * from[o];
    } else {
      for (auto at = static_cast<std::size_t>(offsets[row]); at < static_cast<std::size_t>(offsets[row + 1]); ++at) {
        out[static_cast<std::size_t>(columns[at])] += factor * values[at];
      }
    }
  }

  [[nodiscard]] std::size_t nbytes() const noexcept {
    return values.size() * sizeof(double) + offsets.size() * sizeof(Offset) + columns.size() * sizeof(std::int32_t);
  }
};

}  // namespace gristmill
