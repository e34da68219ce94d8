// SPDX-License-Identifier: BSD-3-Clause
// The best point between two: where on the segment a regularised mean hinge loss is least. Exact, in linear time on
// average: the slope is piecewise linear, and its zero is found by halving the breakpoints.
#pragma once
#include <span>

namespace gristmill::solve::cutting_plane {

// |w0|^2, w0 w1 and |w1|^2 of the two ends.
struct Ends {
  double first = 0;
  double cross = 0;
  double second = 0;
};

// k in [0, 1] that minimises 1/2 |w|^2 + total * sum_v share_v max(0, 1 - m_v), where w and m are (1 - k) times the
// first and k times the second end.
[[nodiscard]] double best_step(std::span<const double> first_margins, std::span<const double> second_margins,
                               std::span<const double> shares, double total, const Ends& ends);

}  // namespace gristmill::solve::cutting_plane
