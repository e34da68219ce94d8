// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/product_values.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <stdexcept>

#include "base/exponential.hpp"
#include "base/variants.hpp"

namespace gristmill::kernel {
namespace {

// Repeated squaring in the order of PolynomialKernel, eight values at a time.
GRISTMILL_VARIANTS void polynomial_of(const PolynomialKernel& kernel, double* values, std::size_t size) {
  constexpr std::size_t lanes = 8;
  for (std::size_t at = 0; at < size; at += lanes) {
    const std::size_t count = std::min(lanes, size - at);
    std::array<double, lanes> base{};
    std::array<double, lanes> result;
    result.fill(1.0);
    for (std::size_t lane = 0; lane < count; ++lane) base[lane] = kernel.gamma * values[at + lane] + kernel.coef0;
    for (unsigned exponent = kernel.degree; exponent > 0; exponent /= 2) {
      if (exponent % 2 == 1) {
        for (std::size_t lane = 0; lane < lanes; ++lane) result[lane] *= base[lane];
      }
      for (std::size_t lane = 0; lane < lanes; ++lane) base[lane] *= base[lane];
    }
    for (std::size_t lane = 0; lane < count; ++lane) values[at + lane] = result[lane];
  }
}

GRISTMILL_VARIANTS void rbf_of(double gamma, double x, const double* squares, double* values, std::size_t size) {
  for (std::size_t at = 0; at < size; ++at) {
    const double distance = x + squares[at] - 2 * values[at];
    values[at] = exp_of_minus(gamma * if_negative(distance, 0.0, distance));
  }
}

// A quotient is computed even where it is not taken, so that the loops need no branch.
GRISTMILL_INLINE double quotient(double above, double below, double otherwise) {
  const double apart = below > 0 ? below : 1.0;
  return below > 0 ? above / apart : otherwise;
}

GRISTMILL_VARIANTS void tanimoto_of(double x, const double* squares, double* values, std::size_t size) {
  for (std::size_t at = 0; at < size; ++at) {
    values[at] = quotient(values[at], x + squares[at] - values[at], 1.0);
  }
}

GRISTMILL_VARIANTS void dice_of(double x, const double* squares, double* values, std::size_t size) {
  for (std::size_t at = 0; at < size; ++at) values[at] = quotient(2 * values[at], x + squares[at], 1.0);
}

GRISTMILL_VARIANTS bool are_finite(const double* values, std::size_t size) {
  std::uint64_t outside = 0;
  for (std::size_t at = 0; at < size; ++at) {
    constexpr std::uint64_t exponent = 0x7FF0000000000000U;
    outside |= (std::bit_cast<std::uint64_t>(values[at]) & exponent) == exponent ? 1U : 0U;
  }
  return outside == 0;
}

}  // namespace

void values_of_products(const SetKernel& kernel, double x, std::span<const double> squares, std::span<double> dots) {
  std::visit(
      [&]<class Kernel>(const Kernel& form) {
        if constexpr (std::is_same_v<Kernel, PolynomialKernel>) {
          polynomial_of(form, dots.data(), dots.size());
        } else if constexpr (std::is_same_v<Kernel, RbfKernel>) {
          rbf_of(form.gamma, x, squares.data(), dots.data(), dots.size());
        } else if constexpr (std::is_same_v<Kernel, TanimotoKernel>) {
          tanimoto_of(x, squares.data(), dots.data(), dots.size());
        } else if constexpr (std::is_same_v<Kernel, DiceKernel>) {
          dice_of(x, squares.data(), dots.data(), dots.size());
        } else if constexpr (std::is_same_v<Kernel, GivenKernel>) {
          throw std::invalid_argument("a kernel that somebody gave has no values of real rows");
        } else {
          for (std::size_t at = 0; at < dots.size(); ++at) dots[at] = value_of(form, dots[at], x, squares[at]);
        }
      },
      kernel.form());
  if (!are_finite(dots.data(), dots.size())) {
    throw std::invalid_argument("the rows of a kernel are finite, but there is NaN or infinity in one");
  }
}

}  // namespace gristmill::kernel
