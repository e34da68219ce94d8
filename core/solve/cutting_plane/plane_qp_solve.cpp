// SPDX-License-Identifier: BSD-3-Clause
// Which planes are active: rounds, entering and leaving; plane_qp_step.cpp moves among those that are.
#include <algorithm>
#include <cmath>

#include "solve/cutting_plane/plane_qp.hpp"

namespace gristmill::solve::cutting_plane {
namespace {

constexpr auto none = static_cast<std::uint32_t>(-1);

// A pivot smaller than this part of its diagonal is rounding.
constexpr double least_pivot = 1e-14;
// An e smaller than this part of the largest is rounding.
constexpr double least_tie = 1e-13;

double largest_size(const std::vector<double>& values) {
  double largest = 0;
  for (const double value : values) largest = std::max(largest, std::abs(value));
  return largest;
}

}  // namespace

void PlaneQp::solve() {
  prepare();
  const std::size_t most = rounds_ + 1000 + 20 * a_.size();
  bool polished = false;
  settle();
  while (rounds_ < most) {
    if (enter()) {
      ++rounds_;
      polished = false;
    } else if (!polished) {
      polish();
      polished = true;
    } else {
      break;
    }
  }
  drop_zeros();
  slack_ = is_active_[0] != 0 ? 0 : std::max(0.0, slack_);
}

// The factor is rebuilt when rho no longer fits the planes, and now and then against rounding.
void PlaneQp::prepare() {
  const double tie = largest_size(e_);
  for (double& e : e_) e = std::abs(e) <= least_tie * tie ? 0 : e;
  height_ = largest_size(h_);
  const double size = largest_size(root_);
  const double rho = size > 0 ? size * size : 1;
  const double sigma = tie > 0 ? rho / (tie * tie) : 0;
  const auto fits = [](double is, double should) { return is >= should / 4 && is <= should * 4; };
  if (!fits(rho_, rho) || !fits(sigma_, sigma) || removals_ > 50 + active_.size()) {
    rho_ = rho;
    sigma_ = sigma;
    rebuild();
  }
  std::ranges::fill(is_barred_, 0);
  refresh();
}

void PlaneQp::rebuild() {
  const std::vector<std::uint32_t> planes = std::move(active_);
  active_.clear();
  factor_.clear();
  removals_ = 0;
  for (const std::uint32_t plane : planes) activate(plane);
}

void PlaneQp::refresh() {
  std::ranges::copy(h_, rest_.begin());
  reach_ = 0;
  for (const std::uint32_t plane : active_) {
    subtract_scaled(rest_.data(), gram_.row(plane), a_[plane], rest_.size());
    reach_ += root_[plane] * a_[plane];
  }
}

// How far a loss may be off by rounding.
double PlaneQp::noise(std::size_t plane, double intercept) const {
  return qp_rounding * (height_ + std::abs(intercept * e_[plane]) + root_[plane] * reach_);
}

bool PlaneQp::is_tied() const {
  return std::ranges::any_of(active_, [this](std::uint32_t plane) { return e_[plane] != 0; });
}

bool PlaneQp::is_settled() const {
  return std::ranges::all_of(
      active_, [this](std::uint32_t plane) { return std::abs(loss(plane) - slack_) <= noise(plane, intercept_); });
}

// To the minimum over the active planes, as exactly as rounding allows.
void PlaneQp::settle() {
  for (int pass = 0; pass < 4 && !is_settled(); ++pass) {
    descend();
    refresh();
  }
}

void PlaneQp::descend() {
  while (!is_settled()) {
    find_direction(0, 0);
    const Move move = find_move();
    go(move);
    if (!move.blocked) return;
  }
}

// A step of iterative refinement, which also mends the sums.
void PlaneQp::polish() {
  bool blocked = true;
  for (std::size_t left = active_.size(); blocked && left > 0; --left) {
    double sum = 0;
    double tie = 0;
    for (const std::uint32_t plane : active_) {
      sum += a_[plane];
      tie += a_[plane] * e_[plane];
    }
    find_direction(total_ - sum, -tie);
    const double bound = find_bound();
    blocked = bound < 1;
    go({blocked ? bound : 1, blocked});
  }
  refresh();
  settle();
}

void PlaneQp::activate(std::uint32_t plane) {
  const double* const row = gram_.row(plane);
  column_.clear();
  for (const std::uint32_t with : active_) column_.push_back(row[with] + rho_ + sigma_ * e_[plane] * e_[with]);
  column_.push_back(row[plane] + rho_ + sigma_ * e_[plane] * e_[plane]);
  factor_.append(column_, least_pivot * column_.back());
  active_.push_back(plane);
  is_active_[plane] = 1;
}

void PlaneQp::deactivate(std::size_t at) {
  const std::uint32_t plane = active_[at];
  a_[plane] = 0;
  is_active_[plane] = 0;
  active_.erase(active_.begin() + static_cast<std::ptrdiff_t>(at));
  if (at < factor_.size()) factor_.remove(at);
  ++removals_;
}

void PlaneQp::drop_zeros() {
  for (std::size_t at = active_.size(); at-- > 0;) {
    if (a_[active_[at]] <= 0) deactivate(at);
  }
}

// Planes whose e are all of one sign can only sum to zero if they are zero: what is left of them is rounding, and their
// equations would fix an intercept that is free.
void PlaneQp::drop_lone_signs() {
  bool has_positive = false;
  bool has_negative = false;
  for (const std::uint32_t plane : active_) {
    has_positive |= e_[plane] > 0;
    has_negative |= e_[plane] < 0;
  }
  if (has_positive == has_negative) return;
  for (std::size_t at = active_.size(); at-- > 0;) {
    if (e_[active_[at]] != 0) deactivate(at);
  }
}

// A plane whose loss is above the slack comes in, and the minimum is found again; false if there is none.
bool PlaneQp::enter() {
  const bool tied = is_tied();
  const std::uint32_t plane = worst(tied ? intercept_ : 0, !tied);
  if (plane == none) return !tied && enter_pair();
  activate(plane);
  settle();
  bar_if_out(plane);
  return true;
}

// No active plane has an e, so b is free: Newton's steps from 0 either find a b that suits all planes or two planes of
// opposite signs that cannot both be suited; these come in together.
bool PlaneQp::enter_pair() {
  intercept_ = 0;
  std::uint32_t last = none;
  for (std::size_t step = 0; step <= a_.size(); ++step) {
    const std::uint32_t plane = worst(intercept_, false);
    if (plane == none) return false;
    if (last != none && e_[last] * e_[plane] < 0) {
      activate(last);
      activate(plane);
      settle();
      bar_if_out(last);
      bar_if_out(plane);
      return true;
    }
    last = plane;
    intercept_ = (rest_[plane] - slack_) / e_[plane];
  }
  return false;
}

// The plane furthest above the slack, of those with e = 0 if only_level.
std::uint32_t PlaneQp::worst(double intercept, bool only_level) const {
  std::uint32_t found = none;
  double most = 0;
  for (std::uint32_t plane = 0; plane < a_.size(); ++plane) {
    const double excess = rest_[plane] - intercept * e_[plane] - slack_;
    if (excess <= most || is_active_[plane] != 0 || is_barred_[plane] != 0) continue;
    if ((only_level && e_[plane] != 0) || excess <= noise(plane, intercept)) continue;
    most = excess;
    found = plane;
  }
  return found;
}

// One that stays without weight depends on the others: more of them would leave nothing of the factor but rounding.
void PlaneQp::bar_if_out(std::uint32_t plane) {
  if (a_[plane] > 0) {
    std::ranges::fill(is_barred_, 0);
    return;
  }
  is_barred_[plane] = 1;
  const auto found = std::ranges::find(active_, plane);
  if (found != active_.end()) deactivate(static_cast<std::size_t>(found - active_.begin()));
}

}  // namespace gristmill::solve::cutting_plane
