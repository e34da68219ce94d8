// SPDX-License-Identifier: BSD-3-Clause
// Sums of the parts of rows, in lanes: those of a column of bytes, and any others.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace gristmill::explain {

constexpr std::size_t lane_count = 8;  // of sums, so that additions need not wait for one another
using LaneSums = std::array<double, lane_count>;

[[nodiscard]] inline double total(const LaneSums& sums) {
  return ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
}

// sums += the parts of rows that the column has, of two columns at once.
void add_columns(std::span<const std::uint8_t> one, const std::uint8_t* other, const double* parts, LaneSums& sums,
                 LaneSums& other_sums);

// part(at) for all at < size.
template <class Part>
double sum_of(std::size_t size, Part part) {
  LaneSums sums{};
  std::size_t at = 0;
  for (; at + lane_count <= size; at += lane_count) {
    for (std::size_t lane = 0; lane < lane_count; ++lane) sums[lane] += part(at + lane);
  }
  for (std::size_t lane = 0; at < size; ++at, ++lane) sums[lane] += part(at);
  return total(sums);
}

}  // namespace gristmill::explain
