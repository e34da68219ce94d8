// SPDX-License-Identifier: BSD-3-Clause
#include "solve/logistic/losses.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/exponential.hpp"

namespace gristmill::solve::logistic {
namespace {

constexpr double certain = 700;  // its slope is 0 in double
constexpr int most_rounds = 100;
constexpr int most_halvings = 40;
constexpr double close = 1e-6;   // a step that small leaves its square
constexpr double enough = 1e-4;  // of the decrease that the slope promises

double sign_of(std::size_t label) { return label == 1 ? 1.0 : -1.0; }

// Of the right class at this margin: 1 less its probability.
double doubt_at(double margin) {
  const double e = exp_of_minus(std::abs(margin));
  return (margin < 0 ? 1.0 : e) / (1.0 + e);
}

// The margin m with m = rest + reach * doubt(m).
double settle_margin(double rest, double reach, double start) {
  double low = rest;  // doubts are between 0 and 1
  double high = rest + reach;
  double margin = std::clamp(start, low, high);
  for (int round = 0; round < most_rounds; ++round) {
    const double doubt = doubt_at(margin);
    const double excess = margin - rest - reach * doubt;
    (excess > 0 ? high : low) = margin;
    double next = margin - excess / (1 + reach * doubt * (1 - doubt));
    if (!(next > low && next < high)) next = low + (high - low) / 2;
    const double step = std::abs(next - std::exchange(margin, next));
    if (step <= close) break;
  }
  return margin;
}

}  // namespace

std::unique_ptr<Loss> loss_for(std::size_t classes) {
  if (classes == 2) return std::make_unique<TwoClassLoss>();
  return std::make_unique<SoftmaxLoss>(classes);
}

// --- two classes
// ------------------------------------------------------------------------------------------------------

double TwoClassLoss::value(Scores scores, std::size_t label) {
  const double margin = sign_of(label) * scores[0];
  return std::max(-margin, 0.0) + log_of_1_plus(exp_of_minus(std::abs(margin)));
}

void TwoClassLoss::find_slopes(Scores scores, std::size_t label, std::span<double> slopes) {
  slopes[0] = sign_of(label) * doubt_at(sign_of(label) * scores[0]);
}

void TwoClassLoss::set_certain(std::size_t label, std::span<double> scores) const {
  scores[0] = sign_of(label) * certain;
}

void TwoClassLoss::settle(Scores rest, double reach, std::size_t label, std::span<double> scores) {
  const double sign = sign_of(label);
  scores[0] = sign * settle_margin(sign * rest[0], reach, sign * scores[0]);
}

// --- several classes
// --------------------------------------------------------------------------------------------------

double SoftmaxLoss::value(Scores scores, std::size_t label) {
  const auto most = static_cast<std::size_t>(std::ranges::max_element(scores) - scores.begin());
  const double top = scores[most];
  double others = 0;
  for (std::size_t c = 0; c < scores.size(); ++c) {
    shares_[c] = exp_of_minus(top - scores[c]);
    if (c != most) others += shares_[c];
  }
  for (double& share : shares_) share /= 1 + others;
  return (top - scores[label]) + log_of_1_plus_any(others);
}

void SoftmaxLoss::find_slopes(Scores scores, std::size_t label, std::span<double> slopes) {
  (void)value(scores, label);
  for (std::size_t c = 0; c < scores.size(); ++c) slopes[c] = (c == label ? 1.0 : 0.0) - shares_[c];
}

void SoftmaxLoss::set_certain(std::size_t label, std::span<double> scores) const {
  std::ranges::fill(scores, 0.0);
  scores[label] = certain;
}

void SoftmaxLoss::settle(Scores rest, double reach, std::size_t label, std::span<double> scores) {
  double best = objective(rest, reach, label, scores);
  for (int round = 0; round < most_rounds; ++round) {
    if (!descend(rest, reach, label, scores, best)) return;
  }
}

bool SoftmaxLoss::descend(Scores rest, double reach, std::size_t label, std::span<double> scores, double& best) {
  const double decrement = find_step(rest, reach, label, scores);
  double longest = 0;
  for (const double step : step_) longest = std::max(longest, std::abs(step));
  double length = 1;
  for (int halving = 0; halving < most_halvings; ++halving, length /= 2) {
    for (std::size_t c = 0; c < scores.size(); ++c) tried_[c] = scores[c] + length * step_[c];
    const double reached = objective(rest, reach, label, tried_);
    if (longest > close && !(reached <= best - enough * length * decrement)) continue;
    best = reached;
    std::ranges::copy(tried_, scores.begin());
    return longest > close;
  }
  return false;
}

double SoftmaxLoss::objective(Scores rest, double reach, std::size_t label, Scores scores) {
  double square = 0;
  for (std::size_t c = 0; c < scores.size(); ++c) square += (scores[c] - rest[c]) * (scores[c] - rest[c]);
  return reach * value(scores, label) + square / 2;
}

// The matrix is diagonal, 1 + reach p, less reach p p'.
double SoftmaxLoss::find_step(Scores rest, double reach, std::size_t label, Scores scores) {
  double along = 0;
  double room = 0;
  for (std::size_t c = 0; c < scores.size(); ++c) {
    const double p = shares_[c];
    tried_[c] = reach * (p - (c == label ? 1.0 : 0.0)) + scores[c] - rest[c];  // the gradient
    step_[c] = -tried_[c] / (1 + reach * p);
    along += p * step_[c];
    room += p / (1 + reach * p);
  }
  double decrement = 0;
  for (std::size_t c = 0; c < scores.size(); ++c) {
    step_[c] += reach * shares_[c] / (1 + reach * shares_[c]) * (along / room);
    decrement -= tried_[c] * step_[c];
  }
  return decrement;
}

}  // namespace gristmill::solve::logistic
