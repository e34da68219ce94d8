// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/set_kernel.hpp"

#include <stdexcept>

namespace gristmill::kernel {

double GivenKernel::operator()(double dot, double x, double s) const {
  const auto length = static_cast<std::int32_t>(s);
  std::vector<double> values(static_cast<std::size_t>(length) + 1);
  fill(static_cast<std::size_t>(x), {&length, 1}, values);
  return values[static_cast<std::size_t>(dot)];
}

double SetKernel::operator()(double dot, double x, double s) const {
  return std::visit([&](const auto& form) { return value_of(form, dot, x, s); }, form_);
}

bool SetKernel::by_overlap() const noexcept { return is_polynomial() || std::holds_alternative<SigmoidKernel>(form_); }

std::vector<double> SetKernel::values(std::size_t largest) const {
  if (is_polynomial()) return polynomial().values(largest);
  const auto& sigmoid = std::get<SigmoidKernel>(form_);
  std::vector<double> table(largest + 1);
  for (std::size_t m = 0; m <= largest; ++m) table[m] = sigmoid(static_cast<double>(m));
  return table;
}

const PolynomialKernel& SetKernel::polynomial() const {
  if (!is_polynomial()) throw std::invalid_argument("only polynomial kernels have conjunctions with weights");
  return std::get<PolynomialKernel>(form_);
}

}  // namespace gristmill::kernel
