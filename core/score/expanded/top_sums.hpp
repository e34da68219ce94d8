// SPDX-License-Identifier: BSD-3-Clause
// Bounds on a sum of which at most `most` terms can occur at once: the largest ones, and the smallest.
#pragma once
#include <cstddef>
#include <vector>

#include "score/expanded/tables.hpp"

namespace gristmill::score::expanded {

struct Range {
  double low = 0;
  double high = 0;
};

class TopSums {
 public:
  void start(std::size_t most) {
    most_ = most;
    highs_.clear();
    lows_.clear();
  }

  void add(Range term) {
    if (term.high > 0) highs_.push_back(term.high);
    if (term.low < 0) lows_.push_back(-term.low);
  }

  [[nodiscard]] Range range() { return {-top(lows_), top(highs_)}; }

 private:
  double top(std::vector<double>& values) const;

  std::size_t most_ = 0;
  std::vector<double> highs_;
  std::vector<double> lows_;
};

// Narrowed so that it still bounds, with room for the rounding of the sums.
[[nodiscard]] ScoreBounds outward(Range range);
[[nodiscard]] float upward(double value);

}  // namespace gristmill::score::expanded
