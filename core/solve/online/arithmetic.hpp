// SPDX-License-Identifier: BSD-3-Clause
// What a learner calculates with. Integers are exact: sums come out the same in every order, so every engine, every
// split between them and every number of threads gives the same updates, bit for bit. They need kernels of integer
// value. Steps are whole multiples of a unit, a power of two; a margin of 1 is then a whole number of units too. How
// finely a step is rounded depends on the length of its row alone (see Rule); the unit is as fine as the longest row
// so far needs, and what was counted in coarser units is multiplied when a longer row comes. Doubles serve other
// kernels and rules without a largest step.
#pragma once
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <vector>

#include "base/errors.hpp"
#include "kernel/polynomial.hpp"

namespace gristmill::solve::online {

using Wide = __int128;

// Thrown when a margin may leave the range of the numbers; wider ones then take over, if there are any.
struct TooNarrow : std::range_error {
  TooNarrow() : std::range_error("scores leave the range of 128-bit integers; use arithmetic='double'") {}
};

template <class Number>
constexpr bool is_integer = !std::is_same_v<Number, double>;

// Half of the range, and not only for k itself: differences of k, and sums of weights of subsets, stay below it.
template <class Number>
inline constexpr Number largest_number = std::numeric_limits<Number>::max() / 4;
template <>
inline constexpr Wide largest_number<Wide> = (Wide{1} << 125);

// exponent: the unit is 2^-exponent. Without meaning for doubles.
template <class Number>
[[nodiscard]] Number one_of(int exponent) {
  if constexpr (is_integer<Number>) {
    if (exponent > static_cast<int>(8 * sizeof(Number)) - 4) throw TooNarrow();
    return Number{1} << exponent;
  } else {
    return 1.0;
  }
}

template <class Number>
[[nodiscard]] double value_of(Number number, int exponent) {
  if constexpr (is_integer<Number>) {
    return std::ldexp(static_cast<double>(number), -exponent);
  } else {
    return number;
  }
}

// A whole number of units; what is beyond the range is the largest number of it.
template <class Number>
[[nodiscard]] Number whole(double units) {
  return units < static_cast<double>(largest_number<Number>) ? static_cast<Number>(units) : largest_number<Number>;
}

// At least as large, so that nothing is lost.
template <class Number>
[[nodiscard]] Number rounded_up(double value, int exponent) {
  if constexpr (is_integer<Number>) {
    return whole<Number>(std::ceil(std::ldexp(value, exponent)));
  } else {
    return value;
  }
}

// k(0), ..., k(largest).
template <class Number>
[[nodiscard]] std::vector<Number> kernel_values(const kernel::PolynomialKernel& kernel, std::size_t largest);

// c(0), ..., c(degree): see PolynomialKernel::subset_weights.
template <class Number>
[[nodiscard]] std::vector<Number> subset_weights(const kernel::PolynomialKernel& kernel);

// How large the sizes of all steps together may become while no margin leaves the range.
template <class Number>
[[nodiscard]] Number largest_mass(const kernel::PolynomialKernel& kernel, std::size_t longest);

}  // namespace gristmill::solve::online
