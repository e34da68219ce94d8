// SPDX-License-Identifier: BSD-3-Clause
// sum of (value - constant) * weight over neighbours, in four lanes of fixed order.
#pragma once
#include <array>
#include <cstddef>

#include "kernel/trees/semiring.hpp"

namespace gristmill::kernel::trees {

template <class Value>
[[nodiscard]] double weighted_sum(const Value* values, double constant, const double* weights, std::size_t size) {
  constexpr std::size_t lanes = 4;
  std::array<double, lanes> sums{};
  std::size_t at = 0;
  for (; at + lanes <= size; at += lanes) {
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      sums[lane] += (Semiring<Value>::counted(values[at + lane]) - constant) * weights[at + lane];
    }
  }
  for (; at < size; ++at) sums[0] += (Semiring<Value>::counted(values[at]) - constant) * weights[at];
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

}  // namespace gristmill::kernel::trees
