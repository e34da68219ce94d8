// SPDX-License-Identifier: BSD-3-Clause
#include "explain/decisions/conjunction_gains.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

namespace gristmill::explain::decisions {
namespace {

constexpr std::size_t most_remembered = 1024;  // steps whose pairs are

// The sum of the `count` largest numbers; they are put in another order.
double sum_of_largest(std::span<double> numbers, std::size_t count) {
  if (count == 1) return numbers.empty() ? 0.0 : std::ranges::max(numbers);
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
      levels_(weights_->outputs(), weights_->features() + 1),
      pairs_(levels_.slots()),
      triples_(levels_.slots()) {}

void ConjunctionGains::start(std::span<const Slot> present, const Steps& steps) {
  steps_ = steps;
  known_.clear();
  variable_of_.assign(levels_.slots(), ConjunctionWeights::none);
  from_.assign(steps.variables(), none());
  best_.assign(steps.variables(), 0.0);
  for (std::uint32_t v = 0; v < steps.variables(); ++v) {
    for (std::uint32_t at = steps.starts[v]; at < steps.starts[v + 1]; ++at) {
      from_[v] = steps.steps[at].from;
      variable_of_[steps.steps[at].from] = v;
      variable_of_[steps.steps[at].to] = v;
    }
  }
  variable_of_[none()] = ConjunctionWeights::none;
  present_.assign(present.begin(), present.end());
  std::erase(present_, none());
  taken_.clear();
  levels_.start();
  for (std::size_t o = 0; o < weights_->outputs(); ++o) {
    double* out = levels_.of(o);
    add_lists(none(), none(), {o}, 1.0, out);
  }
}

void ConjunctionGains::take(Step step) {
  levels_.take_from_last();
  for (std::size_t o = 0; o < weights_->outputs(); ++o) {
    double* out = levels_.of(o);
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
  levels_.undo();
}

template <class Out>
void ConjunctionGains::add_list(std::uint32_t list, const Combination& combination, double sign, Out& out) const {
  weights_->add(list, combination.output, sign * combination.sign, out);
  if (combination.is_difference()) weights_->add(list, combination.minus, -sign * combination.sign, out);
}

template <class Out>
void ConjunctionGains::add_lists(Slot feature, Slot without, const Combination& combination, double sign, Out& out) {
  set_.clear();
  if (feature != none()) set_.push_back(feature);
  const std::uint32_t list = weights_->list_of(set_);
  if (list != ConjunctionWeights::none) add_list(list, combination, sign, out);
  if (weights_->size() > set_.size() + 1) add_parts(0, without, weights_->size() - 1, combination, sign, out);
}

template <class Out>
void ConjunctionGains::add_parts(std::size_t first, Slot without, std::size_t most, const Combination& combination,
                                 double sign, Out& out) {
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

template <class Visit>
void ConjunctionGains::for_each_best(const SlotSums& sums, const Visit& visit) {
  if (sums.all()) {
    for (std::uint32_t v = 0; v < steps_.variables(); ++v) {
      double best = 0;
      for (std::uint32_t at = steps_.starts[v]; at < steps_.starts[v + 1]; ++at) {
        best = std::max(best, sums[steps_.steps[at].to] - sums[steps_.steps[at].from]);
      }
      if (best > 0) visit(v, best);
    }
    return;
  }
  // Steps to features whose sum is 0 add what the own feature takes away.
  with_best_.clear();
  for (const Slot slot : sums.touched()) {
    const std::uint32_t v = variable_of_[slot];
    if (v == ConjunctionWeights::none) continue;
    const double sum = slot == from_[v] ? -sums[slot] : sums[slot] - sums[from_[v]];
    if (sum <= best_[v]) continue;
    if (best_[v] == 0) with_best_.push_back(v);
    best_[v] = sum;
  }
  for (const std::uint32_t v : with_best_) visit(v, std::exchange(best_[v], 0.0));
}

void ConjunctionGains::interactions(std::size_t own, Step step, std::size_t others, const Combination& combination,
                                    std::span<double> out) {
  std::ranges::fill(out, 0.0);
  if (weights_->size() < 2) return;
  pairs_.clear();
  if (step.to != none()) add_lists(step.to, step.from, combination, 1.0, pairs_);
  if (step.from != none()) add_lists(step.from, step.from, combination, -1.0, pairs_);
  if (others > 0 && weights_->size() >= 3) return pairs_and_more(own, step, others, combination, out);
  for_each_best(pairs_, [&](std::uint32_t v, double best) { out[v] = v == own ? 0.0 : best; });
}

void ConjunctionGains::pairs_and_more(std::size_t own, Step step, std::size_t others, const Combination& combination,
                                      std::span<double> out) {
  remember(others, combination);
  const std::uint32_t number = number_of(own, step);
  const auto more = [&](std::size_t v, std::uint32_t at) {
    const Step other = steps_.steps[at];
    if (weights_->size() > 3) return higher(step, other, combination);
    if (known_.empty()) return beyond(own, step, v, other, others, combination);
    double& known = known_[std::min(number, at) * steps_.steps.size() + std::max(number, at)];
    if (known < 0) known = beyond(own, step, v, other, others, combination);
    return known;
  };
  for (std::size_t v = 0; v < steps_.variables(); ++v) {
    if (v == own) continue;
    for (std::uint32_t at = steps_.starts[v]; at < steps_.starts[v + 1]; ++at) {
      const Step other = steps_.steps[at];
      out[v] = std::max(out[v], pairs_[other.to] - pairs_[other.from] + more(v, at));
    }
  }
}

std::uint32_t ConjunctionGains::number_of(std::size_t own, Step step) const {
  std::uint32_t at = steps_.starts[own];
  while (steps_.steps[at].to != step.to) ++at;
  return at;
}

void ConjunctionGains::remember(std::size_t others, const Combination& combination) {
  if (!known_.empty() && others == known_others_ && combination == known_combination_) return;
  const std::size_t steps = steps_.steps.size();
  known_.assign(steps <= most_remembered ? steps * steps : 0, -1.0);
  known_others_ = others;
  known_combination_ = combination;
}

double ConjunctionGains::beyond(std::size_t own, Step step, std::size_t partner, Step other, std::size_t others,
                                const Combination& combination) {
  triples_.clear();
  const auto add = [&](Slot a, Slot b, double sign) {
    if (a == none() || b == none()) return;
    const std::uint32_t list = weights_->list_of(a, b);
    if (list != ConjunctionWeights::none) add_list(list, combination, sign, triples_);
  };
  add(step.to, other.to, 1.0);
  add(step.from, other.to, -1.0);
  add(step.to, other.from, -1.0);
  add(step.from, other.from, 1.0);
  largest_.clear();
  for_each_best(triples_, [&](std::uint32_t v, double best) {
    if (v != own && v != partner) largest_.push_back(best);
  });
  return sum_of_largest(largest_, others);
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
