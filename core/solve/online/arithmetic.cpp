// SPDX-License-Identifier: BSD-3-Clause
#include "solve/online/arithmetic.hpp"

#include <algorithm>

namespace gristmill::solve::online {
namespace {

template <class Number>
Number power(Number base, unsigned degree) {
  Number product = 1;
  for (unsigned i = 0; i < degree; ++i) {
    if (base > 1 && product > largest_number<Number> / base) throw TooNarrow();
    product *= base;
  }
  return product;
}

}  // namespace

template <class Number>
std::vector<Number> kernel_values(const kernel::PolynomialKernel& kernel, std::size_t largest) {
  if constexpr (is_integer<Number>) {
    if (std::max(kernel.gamma, kernel.coef0) >= static_cast<double>(largest_number<Number>)) throw TooNarrow();
    const auto gamma = static_cast<Number>(kernel.gamma);
    const auto coef0 = static_cast<Number>(kernel.coef0);
    std::vector<Number> values;
    for (std::size_t m = 0; m <= largest; ++m) {
      if (gamma > largest_number<Number> / static_cast<Number>(m + 1) - coef0) throw TooNarrow();
      values.push_back(power<Number>(gamma * static_cast<Number>(m) + coef0, kernel.degree));
    }
    return values;
  } else {
    return kernel.values(largest);
  }
}

template <class Number>
std::vector<Number> subset_weights(const kernel::PolynomialKernel& kernel) {
  if constexpr (is_integer<Number>) {
    // c(r) is the r-th difference of k at 0.
    std::vector<Number> values = kernel_values<Number>(kernel, kernel.degree);
    std::vector<Number> weights;
    while (!values.empty()) {
      weights.push_back(values.front());
      for (std::size_t m = 0; m + 1 < values.size(); ++m) values[m] = values[m + 1] - values[m];
      values.pop_back();
    }
    return weights;
  } else {
    return kernel.subset_weights();
  }
}

template <class Number>
Number largest_mass(const kernel::PolynomialKernel& kernel, std::size_t longest) {
  if constexpr (is_integer<Number>) {
    const std::vector<Number> values = kernel_values<Number>(kernel, longest + 1);
    return largest_number<Number> / std::max<Number>(1, values.back());
  } else {
    return std::numeric_limits<double>::infinity();
  }
}

template std::vector<std::int64_t> kernel_values(const kernel::PolynomialKernel&, std::size_t);
template std::vector<Wide> kernel_values(const kernel::PolynomialKernel&, std::size_t);
template std::vector<double> kernel_values(const kernel::PolynomialKernel&, std::size_t);
template std::vector<std::int64_t> subset_weights(const kernel::PolynomialKernel&);
template std::vector<Wide> subset_weights(const kernel::PolynomialKernel&);
template std::vector<double> subset_weights(const kernel::PolynomialKernel&);
template std::int64_t largest_mass(const kernel::PolynomialKernel&, std::size_t);
template Wide largest_mass(const kernel::PolynomialKernel&, std::size_t);
template double largest_mass(const kernel::PolynomialKernel&, std::size_t);

}  // namespace gristmill::solve::online
