// SPDX-License-Identifier: BSD-3-Clause
// One step among the active planes.
#include <algorithm>
#include <cmath>
#include <limits>

#include "solve/cutting_plane/plane_qp.hpp"

namespace gristmill::solve::cutting_plane {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace

// The step d to the minimum over the active planes, with 1'd and e'd given, and the multipliers there. With
// G = H + rho 11' + sigma ee' = LL': G d = r - x 1 - t e for the residuals r, and two equations for x and t.
// Multipliers come first, then the step from what they leave: where they explain all of r nothing but their own
// rounding moves a.
void PlaneQp::find_direction(double sum_gap, double tie_gap) {
  const std::size_t size = active_.size();
  ones_.assign(size, 1.0);
  ties_.resize(size);
  for (std::size_t at = 0; at < size; ++at) ties_[at] = e_[active_[at]];
  factor_.forward(ones_.data());
  if (is_tied()) {
    factor_.forward(ties_.data());
    tie_on_ones_ = dot(ones_.data(), ties_.data(), size) / dot(ones_.data(), ones_.data(), size);
    subtract_scaled(ties_.data(), ones_.data(), tie_on_ones_, size);
  }
  project(0, 0);
  project(sum_gap, tie_gap);
  factor_.backward(direction_.data());
  curve_.resize(size);
  for (std::size_t at = 0; at < size; ++at) {
    const double* const row = gram_.row(active_[at]);
    curve_[at] = 0;
    for (std::size_t with = 0; with < size; ++with) curve_[at] += row[active_[with]] * direction_[with];
  }
}

// direction_ = L'd, and the multipliers; ties_ stand at right angles to ones_.
void PlaneQp::project(double sum_gap, double tie_gap) {
  const std::size_t size = active_.size();
  direction_.resize(size);
  for (std::size_t at = 0; at < size; ++at) direction_[at] = loss(active_[at]) - slack_;
  double* const d = direction_.data();
  factor_.forward(d);
  double slack = (dot(ones_.data(), d, size) - sum_gap) / dot(ones_.data(), ones_.data(), size);
  subtract_scaled(d, ones_.data(), slack, size);
  if (is_tied()) {
    const double square = dot(ties_.data(), ties_.data(), size);
    const double intercept = (dot(ties_.data(), d, size) - (tie_gap - tie_on_ones_ * sum_gap)) / square;
    subtract_scaled(d, ties_.data(), intercept, size);
    slack -= tie_on_ones_ * intercept;
    intercept_ += intercept + sigma_ * tie_gap;
  }
  slack_ = is_active_[0] != 0 ? 0 : slack_ + slack + rho_ * sum_gap;  // the idle plane's loss is 0
}

double PlaneQp::find_bound() const {
  double bound = infinity;
  for (std::size_t at = 0; at < active_.size(); ++at) {
    if (direction_[at] < 0) bound = std::min(bound, a_[active_[at]] / -direction_[at]);
  }
  return bound;
}

// The exact minimum along the direction is at length 1 unless the factor is stiff; without curvature there is none.
PlaneQp::Move PlaneQp::find_move() const {
  double slope = 0;
  double size = 0;
  double doubt = 0;
  for (std::size_t at = 0; at < active_.size(); ++at) {
    const std::uint32_t plane = active_[at];
    slope += direction_[at] * (loss(plane) - slack_);
    size += root_[plane] * std::abs(direction_[at]);
    doubt += noise(plane, intercept_) * std::abs(direction_[at]);
  }
  const double curvature = dot(direction_.data(), curve_.data(), active_.size());
  const bool flat = curvature <= qp_rounding * size * size;
  if (slope <= doubt) return {0, false};  // only the multipliers were to be found
  const double best = flat ? infinity : slope / curvature;
  const double bound = find_bound();
  const double length = std::abs(best - 1) < 1e-3 ? 1 : best;
  if (bound <= length) return {std::isfinite(bound) ? bound : 1, std::isfinite(bound)};
  return {length > 0 && std::isfinite(length) ? length : 1, false};
}

void PlaneQp::go(const Move& move) {
  for (std::size_t at = active_.size(); at-- > 0;) {
    const std::uint32_t plane = active_[at];
    const double step = move.length * direction_[at];
    const bool stops = move.blocked && direction_[at] < 0 && a_[plane] / -direction_[at] <= move.length;
    a_[plane] = stops ? 0 : std::max(0.0, a_[plane] + step);
    rest_[plane] -= move.length * curve_[at];
  }
  if (move.blocked) {
    drop_zeros();
    drop_lone_signs();
  }
  if (active_.empty()) {
    activate(0);
    a_[0] = total_;
  }
}

}  // namespace gristmill::solve::cutting_plane
