// SPDX-License-Identifier: BSD-3-Clause
// KindShares of kernels that are linear in the overlap where another count z is fixed, k = (common_shared + x1) h(z):
//
//   Tanimoto      h = 1 / (common + s - common_shared + z), z = x2: players that the support row has not
//   cosine, Dice  h = 1 / sqrt((common + z) s), 2 / (common + z + s), z = x1 + x2: all players that are there
//
// So shares are sums over z alone, with the mean of x1 at each z instead of its distribution. Under Tanimoto z hangs on
// the place among players that the row has not, and x1 is linear in that place. Under the others z hangs on how many of
// x came and of the reference went, and x1 is linear in both; the sums then depend on the length of s alone.
// Cost with n players: n sqrt(n) for a table over z, and n for a sum with it.
#pragma once
#include <array>
#include <cstddef>
#include <memory>

#include "base/stop.hpp"
#include "explain/kinds.hpp"
#include "kernel/set_kernel.hpp"

namespace gristmill::explain {

class LinearKinds {
 public:
  virtual ~LinearKinds() = default;
  // Of a support row of s > 0 features.
  [[nodiscard]] virtual KindShares shares(std::size_t s, const KindCounts& counts, bool pairs, Pulse& pulse) = 0;
};

// None for other kernels.
[[nodiscard]] std::unique_ptr<LinearKinds> linear_kinds(const kernel::SetKernel& kernel);

}  // namespace gristmill::explain
