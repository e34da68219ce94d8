// SPDX-License-Identifier: BSD-3-Clause
#include "solve/cutting_plane/line_search.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace gristmill::solve::cutting_plane {
namespace {

struct Breakpoint {
  double at;    // where an example begins or ceases to have a loss
  double jump;  // of the slope there, never below 0: the function is convex
};

// The slope of the loss just after 0, and where in (0, 1) it changes.
double collect(std::span<const double> first, std::span<const double> second, std::span<const double> shares,
               double total, std::vector<Breakpoint>& points) {
  double slope = 0;
  for (std::size_t v = 0; v < first.size(); ++v) {
    const double room = 1 - first[v];
    const double rise = second[v] - first[v];
    if (room > 0 || (room == 0 && rise < 0)) slope -= shares[v] * rise;
    if ((room > 0 && rise > room) || (room < 0 && rise < room)) {
      points.push_back({room / rise, total * shares[v] * std::abs(rise)});
    }
  }
  return total * slope;
}

// Where in [low, high] the line slope + curve * k crosses 0.
double crossing(double slope, double curve, double low, double high) {
  return curve > 0 ? std::clamp(-slope / curve, low, high) : slope < 0 ? high : low;
}

}  // namespace

double best_step(std::span<const double> first_margins, std::span<const double> second_margins,
                 std::span<const double> shares, double total, const Ends& ends) {
  std::vector<Breakpoint> points;
  double slope = collect(first_margins, second_margins, shares, total, points) + ends.cross - ends.first;
  const double curve = std::max(ends.first - 2 * ends.cross + ends.second, 0.0);
  if (slope >= 0) return 0;
  double low = 0;
  double high = 1;
  auto begin = points.begin();
  auto end = points.end();
  while (begin != end) {  // the slope is below 0 at low; breakpoints beyond high do not matter
    const auto middle = begin + (end - begin) / 2;
    std::nth_element(begin, middle, end, [](const Breakpoint& a, const Breakpoint& b) { return a.at < b.at; });
    double before = slope;
    for (auto point = begin; point != middle; ++point) before += point->jump;
    if (before + curve * middle->at >= 0) {
      high = middle->at;
      end = middle;
    } else {
      slope = before + middle->jump;
      low = middle->at;
      begin = middle + 1;
      if (slope + curve * low >= 0) return low;
    }
  }
  return crossing(slope, curve, low, high);
}

}  // namespace gristmill::solve::cutting_plane
