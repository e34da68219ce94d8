// SPDX-License-Identifier: BSD-3-Clause
// exp and log by additions, multiplications and divisions alone: the same bits on every machine, which those of the
// system's library are not, and loops over them become vector code. Within a few units of the last place.
#pragma once
#include <bit>
#include <cmath>
#include <cstdint>

#include "base/variants.hpp"

namespace gristmill::inline base {

// One or the other, without a branch: compilers make no vector code of loops with one.
GRISTMILL_INLINE double if_negative(double value, double then, double otherwise) {
  const std::uint64_t all = 0U - (std::bit_cast<std::uint64_t>(value) >> 63U);
  return std::bit_cast<double>((std::bit_cast<std::uint64_t>(then) & all) |
                               (std::bit_cast<std::uint64_t>(otherwise) & ~all));
}

// exp(-x) for 0 <= x; beyond 700 as for 700.
GRISTMILL_INLINE double exp_of_minus(double x) {
  constexpr double whole = 0x1.8p52;  // added, it leaves the nearest whole number in the lowest bits
  const double t = if_negative(x - 700.0, -x, -700.0);
  const double shifted = t * 0x1.71547652b82fep+0 + whole;
  const double k = shifted - whole;
  const double r = (t - k * 0x1.62e42feep-1) - k * 0x1.a39ef35793c76p-33;
  double sum = 1.0 / 6227020800.0;  // Taylor: |r| <= ln(2) / 2
  sum = sum * r + 1.0 / 479001600.0;
  sum = sum * r + 1.0 / 39916800.0;
  sum = sum * r + 1.0 / 3628800.0;
  sum = sum * r + 1.0 / 362880.0;
  sum = sum * r + 1.0 / 40320.0;
  sum = sum * r + 1.0 / 5040.0;
  sum = sum * r + 1.0 / 720.0;
  sum = sum * r + 1.0 / 120.0;
  sum = sum * r + 1.0 / 24.0;
  sum = sum * r + 1.0 / 6.0;
  sum = sum * r + 0.5;
  sum = sum * r + 1.0;
  sum = sum * r + 1.0;
  const std::uint64_t power = (std::bit_cast<std::uint64_t>(shifted) + 1023U) << 52U;
  return sum * std::bit_cast<double>(power);
}

// log(1 + x) for 0 <= x <= 1: 2 artanh(x / (2 + x)).
GRISTMILL_INLINE double log_of_1_plus(double x) {
  const double u = x / (2.0 + x);
  const double square = u * u;  // at most 1/9
  double sum = 1.0 / 35.0;
  sum = sum * square + 1.0 / 33.0;
  sum = sum * square + 1.0 / 31.0;
  sum = sum * square + 1.0 / 29.0;
  sum = sum * square + 1.0 / 27.0;
  sum = sum * square + 1.0 / 25.0;
  sum = sum * square + 1.0 / 23.0;
  sum = sum * square + 1.0 / 21.0;
  sum = sum * square + 1.0 / 19.0;
  sum = sum * square + 1.0 / 17.0;
  sum = sum * square + 1.0 / 15.0;
  sum = sum * square + 1.0 / 13.0;
  sum = sum * square + 1.0 / 11.0;
  sum = sum * square + 1.0 / 9.0;
  sum = sum * square + 1.0 / 7.0;
  sum = sum * square + 1.0 / 5.0;
  sum = sum * square + 1.0 / 3.0;
  return 2.0 * (u + u * square * sum);
}

// log(1 + x) for 0 <= x: halved until it is at most 1.
GRISTMILL_INLINE double log_of_1_plus_any(double x) {
  double halvings = 0;
  while (x > 1) {
    x = (x - 1) / 2;  // 1 + x becomes its half
    ++halvings;
  }
  return log_of_1_plus(x) + halvings * 0x1.62e42fefa39efp-1;
}

}  // namespace gristmill::inline base
