// SPDX-License-Identifier: BSD-3-Clause
// A machine of weights of conjunctions: f(x) = sum of a_i over the support rows that x has all features of, + b, for
// one or several outputs. Immutable; scorers share it.
#pragma once
#include <vector>

#include "machine/coefficients.hpp"
#include "rows/rows.hpp"

namespace gristmill::machine {

struct ConjunctionMachine {
  std::vector<Offset> offsets;
  std::vector<FeatureId> ids;
  Coefficients coef;
  std::vector<double> intercept;  // one per output

  [[nodiscard]] rows::Rows support() const { return {offsets, ids}; }
  [[nodiscard]] std::size_t outputs() const noexcept { return intercept.size(); }
  [[nodiscard]] std::size_t nbytes() const noexcept {
    return offsets.size() * sizeof(Offset) + ids.size() * sizeof(FeatureId) + intercept.size() * sizeof(double) +
           coef.nbytes();
  }
};

}  // namespace gristmill::machine
