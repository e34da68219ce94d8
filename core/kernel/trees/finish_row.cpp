// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/trees/finish_row.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <string>

#include "base/variants.hpp"

namespace gristmill::kernel::trees {
namespace {

// 0 if all are numbers: 0 times infinity or NaN is NaN.
GRISTMILL_VARIANTS double sum_of_nothing(const double* row, std::size_t size) {
  constexpr std::size_t lanes = 8;
  std::array<double, lanes> sums{};
  std::size_t at = 0;
  for (; at + lanes <= size; at += lanes) {
    for (std::size_t lane = 0; lane < lanes; ++lane) sums[lane] += 0.0 * row[at + lane];
  }
  for (; at < size; ++at) sums[0] += 0.0 * row[at];
  double total = 0;
  for (const double sum : sums) total += sum;
  return total;
}

GRISTMILL_VARIANTS void scale_row(double* row, double own, const double* scales, std::size_t size) {
  for (std::size_t at = 0; at < size; ++at) row[at] = row[at] * own * scales[at];
}

}  // namespace

void fail_range(std::size_t query, std::size_t tree) {
  throw std::invalid_argument("the kernel of tree " + std::to_string(query) + " with tree " + std::to_string(tree) +
                              " leaves the range of double; use a smaller decay, or leave out such large trees");
}

void fail_range(std::size_t tree) {
  throw std::invalid_argument("the score of tree " + std::to_string(tree) +
                              " leaves the range of double; use a smaller decay, or leave out such large trees");
}

void finish_row(std::size_t query, std::span<double> row, std::span<const double> query_scales,
                std::span<const double> tree_scales) {
  if (!query_scales.empty()) scale_row(row.data(), query_scales[query], tree_scales.data(), row.size());
  if (sum_of_nothing(row.data(), row.size()) != 0.0) {
    const auto bad = std::ranges::find_if(row, [](double value) { return !std::isfinite(value); });
    fail_range(query, static_cast<std::size_t>(bad - row.begin()));
  }
}

}  // namespace gristmill::kernel::trees
