// SPDX-License-Identifier: BSD-3-Clause
// The passes over the active variables that decomposition spends its time in, each one loop of vectors.
//
// F is the signed gradient y_s (Qa + p)_s. up[t] is 0 where y_t a_t may grow, low[t] is 0 where it may fall; both are
// -infinity elsewhere. Arrays are padded to a multiple of `lanes` with entries that may not move. Of equals the first
// is taken, so results do not depend on the number of lanes.
#pragma once
#include <cstddef>

namespace gristmill::solve::batch::smo {

constexpr std::size_t lanes = 8;
constexpr double tau = 1e-12;  // LIBSVM's stand-in for a curvature that is not positive

[[nodiscard]] constexpr std::size_t padded(std::size_t size) noexcept { return (size + lanes - 1) / lanes * lanes; }

struct Ends {
  double up;       // max up - F, ...
  std::size_t at;  // ... and where
  double low;      // max low + F
};

struct Steepest {
  double violation;  // the largest projected gradient
  std::size_t at;    // where a step alone gains most
};

// `size` is padded in all of them.
[[nodiscard]] Ends find_ends(const double* F, const double* up, const double* low, std::size_t size);

// F += first_step * first + second_step * second, and the ends of what that gives.
Ends move_pair(double* F, const double* up, const double* low, const double* first, double first_step,
               const double* second, double second_step, std::size_t size);

// The second-order partner of the variable with value `top` = max up - F, own diagonal entry `own` and this row (Fan,
// Chen and Lin 2005, WSS 2); `size` where there is none.
[[nodiscard]] std::size_t find_partner(const double* F, const double* low, const double* diagonal, const double* row,
                                       double top, double own, std::size_t size);

// inverse: 1 / curvature, per variable.
[[nodiscard]] Steepest find_steepest(const double* F, const double* up, const double* low, const double* inverse,
                                     std::size_t size);

// F += step * (row + constant), and the steepest of what that gives.
Steepest move_single(double* F, const double* up, const double* low, const double* inverse, const double* row,
                     double step, double constant, std::size_t size);

// sum += step * row, of any length.
void add_row(double* sum, const double* row, double step, double constant, std::size_t size);

}  // namespace gristmill::solve::batch::smo
