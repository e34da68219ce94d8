// SPDX-License-Identifier: BSD-3-Clause
// What the best partners of each step add to a margin because of the step, by their number: sums of the largest
// interactions, one a variable.
#pragma once
#include <span>
#include <vector>

#include "explain/decisions/gains.hpp"

namespace gristmill::explain::decisions {

class Partners {
 public:
  // For answers of up to `most` steps, asked of gains at the row itself.
  void find(Gains& gains, const Steps& steps, const Combination& combination, std::size_t most);

  // Half of what up to so many partners add.
  [[nodiscard]] double half(std::uint32_t step, std::size_t partners) const {
    const std::size_t at = partners < width_ ? partners : width_ - 1;
    return halves_[step * width_ + at];
  }
  // Whether what was found is right for answers of up to `most` steps.
  [[nodiscard]] bool serves(std::size_t most, bool pairwise) const noexcept {
    return most_ == most || (pairwise && most_ > 1 && most > 1);
  }

 private:
  static constexpr std::size_t most_counted = 10;  // the last stands for all partners

  void sum_up(std::span<double> best, std::span<double> out) const;

  std::size_t most_ = 0;
  std::size_t width_ = 1;
  std::vector<double> halves_;  // steps x width
};

}  // namespace gristmill::explain::decisions
