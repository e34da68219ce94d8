// SPDX-License-Identifier: BSD-3-Clause
// What remains to be done with a row of kernel values: scales, and a look at whether they are numbers.
#pragma once
#include <algorithm>
#include <cmath>
#include <span>
#include <stdexcept>
#include <string>

namespace gristmill {

[[noreturn]] inline void fail_range(std::size_t query, std::size_t tree) {
  throw std::invalid_argument("the kernel of tree " + std::to_string(query) + " with tree " + std::to_string(tree) +
                              " leaves the range of double; use a smaller decay, or leave out such large trees");
}

// row[tree] of one query; a scale for every query and for (at least) every tree of the row, or none.
inline void finish_row(std::size_t query, std::span<double> row, std::span<const double> query_scales,
                       std::span<const double> tree_scales) {
  const double own = query_scales.empty() ? 1.0 : query_scales[query];
  double nothing = 0;  // times a number is 0, times anything else is not
  for (const double value : row) nothing += 0.0 * value;
  if (nothing != 0 || std::isnan(nothing)) {
    const auto bad = std::ranges::find_if(row, [](double value) { return !std::isfinite(value); });
    fail_range(query, static_cast<std::size_t>(bad - row.begin()));
  }
  if (!query_scales.empty()) {
    for (double& value : row) value *= own;
  }
  if (!tree_scales.empty()) {
    for (std::size_t tree = 0; tree < row.size(); ++tree) row[tree] *= tree_scales[tree];
  }
}

}  // namespace gristmill
