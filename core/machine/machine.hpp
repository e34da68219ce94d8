// SPDX-License-Identifier: BSD-3-Clause
// A machine with a kernel of sets: f(x) = sum_i a_i k(s_i, x) + b for one or several outputs over one shared support
// set. Immutable; scorers share it.
#pragma once
#include <vector>

#include "kernel/set_kernel.hpp"
#include "machine/coefficients.hpp"
#include "rows/rows.hpp"

namespace gristmill::machine {

struct SetMachine {
  kernel::SetKernel kernel;
  std::vector<Offset> offsets;
  std::vector<FeatureId> ids;
  std::vector<double> values;  // of the support rows; empty when all of them are 1
  Coefficients coef;
  std::vector<double> intercept;  // one per output

  [[nodiscard]] rows::Rows support() const { return {offsets, ids}; }
  [[nodiscard]] rows::RealRows real_support() const { return {support(), values}; }
  [[nodiscard]] std::size_t outputs() const noexcept { return intercept.size(); }
  [[nodiscard]] std::size_t nbytes() const noexcept {
    return offsets.size() * sizeof(Offset) + ids.size() * sizeof(FeatureId) +
           (values.size() + intercept.size()) * sizeof(double) + coef.nbytes();
  }
};

}  // namespace gristmill::machine
