// SPDX-License-Identifier: BSD-3-Clause
// How decomposition begins: with gradients computed anew, or with those of a solution whose bounds were lowered since.
//
// A variable above its bound is forced down to it. With an equality another one takes what it gives: the one for which
// the objective ends lowest. So forgetting a support vector costs two rows, and the steps that follow stay near it.
#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "solve/batch/smo_problem.hpp"

namespace gristmill::solve::batch::smo {
namespace {

constexpr double enough = 0.25;  // of what is given: takers of less are asked where there are no others
constexpr double dust = 1e-14;   // of the sum of a start: a solution satisfies its equality up to rounding

double sum_of(const std::vector<double>& start) {
  double sum = 0;
  for (const double value : start) sum += std::abs(value);
  return sum;
}

}  // namespace

void Problem::begin() { problem_.gradient.empty() ? refresh() : begin_beyond_bounds(); }

void Problem::begin_beyond_bounds() {
  bound_is_known_ = false;
  activate_all(problem_.gradient);
  noise_ = rounding * (size_ + sum_of(value_) * largest_);
  begun_ = true;
  for (std::size_t at = 0; at < active_.size(); ++at) {
    if (value_[at] > upper_[at] || value_[at] < lower_[at]) force(at);
    watch_(1, violation_);
  }
  find();
  objective_ = objective_now();
}

// Moves the variable at this position to its bound; all variables are active, in order.
void Problem::force(std::size_t at) {
  const double wanted = std::clamp(value_[at], lower_[at], upper_[at]);
  load(at, row_);
  if (!problem_.equality) return force_alone(at, wanted);
  while (value_[at] != wanted) {
    const double length = std::abs(value_[at] - wanted);
    const std::size_t taker = partner_of(at, length);
    if (taker == none && length <= dust * sum_of(problem_.start)) return force_alone(at, wanted);
    if (taker == none) throw std::invalid_argument("no point within these bounds satisfies the equality");
    const bool falls = value_[at] > wanted;
    const double room = falls ? upper_[taker] - value_[taker] : value_[taker] - lower_[taker];
    const double step = falls ? std::min(length, room) : -std::min(length, room);
    load(taker, other_row_);
    const double given = room < length ? value_[at] - step : wanted;
    const double taken = room <= length ? (falls ? upper_ : lower_)[taker] : value_[taker] + step;
    take(move_pair(active_.F.data(), active_.up.data(), active_.low.data(), row_.data(), -step, other_row_.data(), step,
                   active_.padded_size()));
    noise_ += rounding * (size_ + std::abs(step) * largest_);
    set(at, given, row_);
    set(taker, taken, other_row_);
  }
}

void Problem::force_alone(std::size_t at, double wanted) {
  const double step = wanted - value_[at];
  noise_ += rounding * (size_ + std::abs(step) * largest_);
  set(at, wanted, row_);
  move_alone(row_, step);
}

// What takes `length` from the variable at this position, whose row is loaded; none if nothing can take anything.
std::size_t Problem::partner_of(std::size_t at, double length) const {
  const double way = value_[at] > upper_[at] ? 1 : -1;  // of the partner
  const double own = rows_.diagonal(active_.example(at));
  std::size_t best = none;
  double least = std::numeric_limits<double>::infinity();
  bool roomy = false;
  for (std::size_t other = 0; other < active_.size(); ++other) {
    const double room = way > 0 ? upper_[other] - value_[other] : value_[other] - lower_[other];
    if (other == at || !(room > 0)) continue;
    const bool has_room = room >= enough * length;
    if (roomy && !has_room) continue;
    const double curvature = own + rows_.diagonal(active_.example(other)) - 2 * row_[other];
    const double slope = way * (active_.F[other] - active_.F[at]) + std::min(room, length) / 2 * curvature;
    if (slope < least || has_room > roomy) {
      least = slope;
      best = other;
    }
    roomy = has_room;
  }
  return best;
}

}  // namespace gristmill::solve::batch::smo
