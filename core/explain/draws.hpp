// SPDX-License-Identifier: BSD-3-Clause
// The hypergeometric distribution, draw by draw: how many of the first j of n things in random order are among k of
// them. That of j + 1 follows from that of j by positive terms alone. Ends below 1e-30 are cut off, so that some
// sqrt(n) numbers are left. Cost of a draw: what is left.
#pragma once
#include <algorithm>
#include <cstddef>
#include <vector>

namespace gristmill::explain {

class Draws {
 public:
  Draws(std::size_t n, std::size_t k) : n_(n), k_(k), chance_(k + 1, 0.0) { chance_[0] = 1.0; }

  // The numbers that are likely at all are low() ... high().
  [[nodiscard]] std::size_t low() const noexcept { return low_; }
  [[nodiscard]] std::size_t high() const noexcept { return high_; }
  [[nodiscard]] double chance(std::size_t hits) const { return chance_[hits]; }

  // No more than n times.
  void draw() {
    const auto left = static_cast<double>(n_ - drawn_++);
    if (high_ < k_) chance_[++high_] = 0.0;
    for (std::size_t hits = high_ + 1; hits-- > low_;) {
      const double hit = hits > low_ ? chance_[hits - 1] * static_cast<double>(k_ - (hits - 1)) : 0.0;
      const double miss = chance_[hits] * std::max(0.0, left - static_cast<double>(k_ - hits));
      chance_[hits] = (miss + hit) / left;
    }
    while (low_ < high_ && chance_[low_] < rare) ++low_;
    while (low_ < high_ && chance_[high_] < rare) --high_;
  }

 private:
  static constexpr double rare = 1e-30;

  std::size_t n_;
  std::size_t k_;
  std::size_t drawn_ = 0;
  std::size_t low_ = 0;
  std::size_t high_ = 0;
  std::vector<double> chance_;
};

// Of j players in front some are of x, which are there, and some of the reference, which are not: how many there are of
// both together, those behind counted. visit(j, sum, chance)
template <class Visit>
void for_each_sum(std::size_t of_x, std::size_t of_reference, Visit visit) {
  Draws draws(of_x + of_reference, of_x);
  for (std::size_t j = 0; j <= of_x + of_reference; ++j) {
    if (j > 0) draws.draw();
    for (std::size_t own = draws.low(); own <= draws.high(); ++own) {
      if (own <= j && j - own <= of_reference) visit(j, 2 * own + of_reference - j, draws.chance(own));
    }
  }
}

}  // namespace gristmill::explain
