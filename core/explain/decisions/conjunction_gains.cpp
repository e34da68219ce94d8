// SPDX-License-Identifier: BSD-3-Clause
#include "explain/decisions/conjunction_gains.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

namespace gristmill::explain::decisions {
namespace {

// The sum of the `count` largest numbers; they are put in another order.
double sum_of_largest(std::span<double> numbers, std::size_t count) {
  if (count < numbers.size()) {
    std::ranges::nth_element(numbers, numbers.begin() + static_cast<std::ptrdiff_t>(count), std::greater<>());
    numbers = numbers.first(count);
  }
  double sum = 0;
  for (const double number : numbers) sum += number;
  return sum;
}

}  // namespace

ConjunctionGains::ConjunctionGains(std::shared_ptr<const ConjunctionWeights> weights)
    : weights_(std::move(weights)),
      stride_(weights_->features() + 1),
      levels_(1, std::vector<double>(weights_->outputs() * stride_)) {}

void ConjunctionGains::start(std::span<const Slot> present) {
  present_.assign(present.begin(), present.end());
  std::erase(present_, none());
  taken_.clear();
  level_ = 0;
  std::ranges::fill(levels_[0], 0.0);
  for (std::size_t o = 0; o < weights_->outputs(); ++o) {
    add_lists(none(), none(), {o}, 1.0, levels_[0].data() + o * stride_);
  }
}

void ConjunctionGains::take(Step step) {
  if (levels_.size() == level_ + 1) levels_.emplace_back(levels_[0].size());
  levels_[level_ + 1] = levels_[level_];
  ++level_;
  for (std::size_t o = 0; o < weights_->outputs(); ++o) {
    double* out = levels_[level_].data() + o * stride_;
    if (step.from != none()) add_lists(step.from, step.from, {o}, -1.0, out);
    if (step.to != none()) add_lists(step.to, step.from, {o}, 1.0, out);
  }
  std::erase(present_, step.from);
  if (step.to != none()) present_.push_back(step.to);
  taken_.push_back(step);
}

void ConjunctionGains::undo() {
  const Step step = taken_.back();
  taken_.pop_back();
  std::erase(present_, step.to);
  if (step.from != none()) present_.push_back(step.from);
  --level_;
}

void ConjunctionGains::add_list(std::uint32_t list, const Combination& combination, double sign, double* out) const {
  weights_->add(list, combination.output, sign * combination.sign, out);
  if (combination.is_difference()) weights_->add(list, combination.minus, -sign * combination.sign, out);
}

void ConjunctionGains::add_lists(Slot feature, Slot without, const Combination& combination, double sign, double* out) {
  set_.clear();
  if (feature != none()) set_.push_back(feature);
  const std::uint32_t list = weights_->list_of(set_);
  if (list != ConjunctionWeights::none) add_list(list, combination, sign, out);
  if (weights_->size() > set_.size() + 1) add_parts(0, without, weights_->size() - 1, combination, sign, out);
}

void ConjunctionGains::add_parts(std::size_t first, Slot without, std::size_t most, const Combination& combination,
                                 double sign, double* out) {
  for (std::size_t at = first; at < present_.size(); ++at) {
    if (present_[at] == without) continue;
    const auto place = static_cast<std::size_t>(std::ranges::lower_bound(set_, present_[at]) - set_.begin());
    set_.insert(set_.begin() + static_cast<std::ptrdiff_t>(place), present_[at]);
    const std::uint32_t list = weights_->list_of(set_);
    if (list != ConjunctionWeights::none) add_list(list, combination, sign, out);
    // Without a list of its own it may still be part of a set that has one: conjunctions may be given.
    if (set_.size() < most) add_parts(at + 1, without, most, combination, sign, out);
    set_.erase(set_.begin() + static_cast<std::ptrdiff_t>(place));
  }
}

void ConjunctionGains::interactions(const Steps& steps, std::size_t own, Step step, std::size_t others,
                                    const Combination& combination, std::span<double> out) {
  pair_.assign(stride_, 0.0);
  if (weights_->size() >= 2) {
    if (step.to != none()) add_lists(step.to, step.from, combination, 1.0, pair_.data());
    if (step.from != none()) add_lists(step.from, step.from, combination, -1.0, pair_.data());
  }
  const bool together = others > 0 && weights_->size() >= 3;
  for (std::size_t v = 0; v < steps.variables(); ++v) {
    out[v] = 0;
    if (v == own) continue;
    for (std::uint32_t at = steps.starts[v]; at < steps.starts[v + 1]; ++at) {
      const Step other = steps.steps[at];
      double both = pair_[other.to] - pair_[other.from];
      if (together) both += beyond(steps, own, step, v, other, others, combination);
      out[v] = std::max(out[v], both);
    }
  }
}

double ConjunctionGains::beyond(const Steps& steps, std::size_t own, Step step, std::size_t partner, Step other,
                                std::size_t others, const Combination& combination) {
  if (weights_->size() == 3) return beyond_three(steps, own, step, partner, other, others, combination);
  return higher(step, other, combination);
}

double ConjunctionGains::beyond_three(const Steps& steps, std::size_t own, Step step, std::size_t partner, Step other,
                                      std::size_t others, const Combination& combination) {
  triple_.assign(stride_, 0.0);
  const auto add = [&](Slot a, Slot b, double sign) {
    if (a == none() || b == none()) return;
    const std::uint32_t list = weights_->list_of(a, b);
    if (list != ConjunctionWeights::none) add_list(list, combination, sign, triple_.data());
  };
  add(step.to, other.to, 1.0);
  add(step.from, other.to, -1.0);
  add(step.to, other.from, -1.0);
  add(step.from, other.from, 1.0);
  best_.clear();
  for (std::size_t v = 0; v < steps.variables(); ++v) {
    if (v == own || v == partner) continue;
    double best = 0;
    for (std::uint32_t at = steps.starts[v]; at < steps.starts[v + 1]; ++at) {
      best = std::max(best, triple_[steps.steps[at].to] - triple_[steps.steps[at].from]);
    }
    if (best > 0) best_.push_back(best);
  }
  return sum_of_largest(best_, others);
}

double ConjunctionGains::higher(Step step, Step other, const Combination& combination) const {
  const auto of_output = [&](std::size_t output) {
    double sum = 0;
    for (const Slot a : {step.from, step.to}) {
      for (const Slot b : {other.from, other.to}) sum += weights_->higher(a, b, output);
    }
    return sum;
  };
  return of_output(combination.output) + (combination.is_difference() ? of_output(combination.minus) : 0.0);
}

// Weights are sums of `terms` numbers. Each step adds a list for each part of the row; no sum of weights that hold at
// one row exceeds the magnitude.
double ConjunctionGains::rounding(std::size_t output, std::size_t steps) const {
  double parts = 1;
  double choices = 1;
  for (std::size_t size = 1; size < std::max<std::size_t>(weights_->size(), 1); ++size) {
    choices *= static_cast<double>(present_.size() + steps + 1) / static_cast<double>(size);
    parts += choices;
  }
  const double passes = 2.0 * static_cast<double>(steps) + 1;
  const double terms = weights_->terms() + passes * parts + 64;
  return 4 * terms * passes * std::numeric_limits<double>::epsilon() *
         (weights_->magnitude(output) + std::numeric_limits<double>::min());
}

}  // namespace gristmill::explain::decisions
