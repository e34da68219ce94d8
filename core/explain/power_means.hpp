// SPDX-License-Identifier: BSD-3-Clause
// The mean of A^a B^b over y from 0 to 1, A = y + (1 - y) t and B = (1 - y) + y t, for all a + b = n: what is left on
// average of a product over n players that come in random order, where each multiplies by t, a of them as long as they
// are absent and b once they have come.
//
// By parts  (a + 1) I(a, b) = b I(a + 1, b - 1) + (t^b - t^(a + 1)) / (1 - t),  and I(a, b) = I(b, a). For a >= b all
// terms are positive: nothing cancels. Cost: O(n).
#pragma once
#include <cmath>
#include <cstddef>
#include <vector>

namespace gristmill::explain {

class PowerMeans {
 public:
  // t = e^-gamma, gamma >= 0.
  PowerMeans(double gamma, std::size_t n) : gamma_(gamma), means_(n + 1) {
    means_[n] = geometric(n + 1) / static_cast<double>(n + 1);
    for (std::size_t a = n; 2 * a-- > n;) {
      const std::size_t b = n - a;
      const double gain = std::exp(-gamma * static_cast<double>(b)) * geometric(a + 1 - b);
      means_[a] = (static_cast<double>(b) * means_[a + 1] + gain) / static_cast<double>(a + 1);
    }
    for (std::size_t a = 0; 2 * a < n; ++a) means_[a] = means_[n - a];
  }

  [[nodiscard]] double operator[](std::size_t a) const { return means_[a]; }

 private:
  // 1 + t + ... + t^(terms - 1)
  [[nodiscard]] double geometric(std::size_t terms) const {
    const auto count = static_cast<double>(terms);
    return gamma_ > 0 ? std::expm1(-gamma_ * count) / std::expm1(-gamma_) : count;
  }

  double gamma_;
  std::vector<double> means_;  // by a
};

}  // namespace gristmill::explain
