// SPDX-License-Identifier: BSD-3-Clause
// Which conjunctions of an expansion are kept (PKE; Kudo and Matsumoto 2003, Definition 3 and section 4.4): for each
// output those with w >= sigma_pos or w <= sigma_neg that stand in at least xi support rows of that output, where
// sigma_pos = sigma * (share of positive support rows of that output) and sigma_neg = -sigma * (share of negative
// ones). A row without a coefficient for an output is no support row of it. w is the true weight, positive and negative
// support rows together: thresholding them apart and adding what survives is something else (docs/formulas.md A8).
#pragma once
#include <cstddef>
#include <vector>

#include "machine/coefficients.hpp"

namespace gristmill::machine {

struct PkeThresholds {
  double sigma = 0;
  std::size_t xi = 1;

  [[nodiscard]] bool everything() const noexcept { return sigma == 0 && xi <= 1; }
};

struct Thresholds {
  double positive = 0;
  double negative = 0;

  [[nodiscard]] bool keep(double weight) const noexcept { return weight >= positive || weight <= negative; }
};

// One pair per output.
[[nodiscard]] std::vector<Thresholds> thresholds_of(const Coefficients& coef, double sigma);

}  // namespace gristmill::machine
