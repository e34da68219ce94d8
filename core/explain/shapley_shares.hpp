// SPDX-License-Identifier: BSD-3-Clause
// What one support row gives to each of the m features that it shares with an example under a kernel that depends on
// the overlap alone: by symmetry the same to each of them, and to each pair of them. With k(m) the kernel at an overlap
// of m, and every feature either there or absent:
//
//   share(m) = (k(m) - k(0)) / m                                  the Shapley value of a feature
//   pair(m)  = ((k(m) - k(m-1)) - (k(1) - k(0))) / (m - 1)        the Shapley interaction of a pair
//
// The second is the telescoped sum over r of binomial(m-2, r-2) c(r) / (r-1), c(r) the weight of a conjunction of r
// features. Of polynomial kernels both are computed as divided differences of (gamma u + coef0)^degree, whose terms all
// have one sign for gamma > 0 and coef0 >= 0: nothing cancels, and any gamma and coef0 will do. The values of the
// sigmoid are at most 1, and so differ as well as they are known.
#pragma once
#include <vector>

#include "kernel/set_kernel.hpp"

namespace gristmill::explain {

struct ShapleyShares {
  std::vector<double> share;  // by overlap, 0 ... longest; share[0] = 0
  std::vector<double> pair;   // pair[0] = pair[1] = 0

  // Throws std::invalid_argument where a value leaves the range of double, and for kernels that see more.
  ShapleyShares(const kernel::SetKernel& kernel, std::size_t longest);

 private:
  void fill(const kernel::PolynomialKernel& kernel);
  void fill(const std::vector<double>& k);
};

}  // namespace gristmill::explain
