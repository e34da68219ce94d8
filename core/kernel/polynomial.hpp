// SPDX-License-Identifier: BSD-3-Clause
// The polynomial kernel k(x, y) = (gamma <x, y> + coef0)^degree. On binary rows <x, y> is the overlap |x & y|, so the
// kernel is a short table.
#pragma once
#include <cstddef>
#include <vector>

namespace gristmill::kernel {

struct PolynomialKernel {
  unsigned degree;
  double gamma;
  double coef0;

  // Repeated squaring in LIBSVM's order, so that values agree with LIBSVM's to the last bit.
  [[nodiscard]] double operator()(double dot) const noexcept;

  // k(0), ..., k(largest); throws std::invalid_argument where a value leaves the range of double.
  [[nodiscard]] std::vector<double> values(std::size_t largest) const;

  // c(0), ..., c(degree) with k(m) = sum_r c(r) binomial(m, r): the weight a conjunction of r features has in the
  // expansion (Kudo and Matsumoto 2003, Lemma 1, generalised to any gamma and coef0). Every term of the sum is
  // non-negative, so nothing cancels; needs gamma > 0 and coef0 >= 0. Throws std::invalid_argument otherwise, and where
  // a weight leaves the range of double.
  [[nodiscard]] std::vector<double> subset_weights() const;
};

}  // namespace gristmill::kernel
