// SPDX-License-Identifier: BSD-3-Clause
#include "solve/logistic/losses.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/exponential.hpp"

namespace gristmill::solve::logistic {
namespace {

constexpr double least = -700;  // logarithm of what counts as 0
constexpr int most_rounds = 100;
constexpr int most_halvings = 40;
constexpr double close = 1e-6;   // a step that small leaves its square
constexpr double enough = 1e-4;  // of the decrease that the slope promises

struct Shares {
  double first;
  double second;
};

// Of two classes, the second with this score.
Shares shares_at(double score) {
  const double e = exp_of_minus(std::abs(score));
  const double more = 1.0 / (1.0 + e);
  const double less = e / (1.0 + e);
  return score < 0 ? Shares{more, less} : Shares{less, more};
}

double slope_at(double score, double target) {
  const Shares shares = shares_at(score);
  return target * shares.first - (1 - target) * shares.second;
}

double log_of(double share) { return share > 0 ? std::max(-log_of_1_plus_any((1 - share) / share), least) : least; }

}  // namespace

std::unique_ptr<Loss> loss_for(std::size_t outputs) {
  if (outputs == 1) return std::make_unique<TwoClassLoss>();
  return std::make_unique<SoftmaxLoss>(outputs);
}

// --- two classes
// ------------------------------------------------------------------------------------------------------

double TwoClassLoss::value(Scores scores, Targets targets) {
  const double score = scores[0];
  const double certain = score > 0 ? (1 - targets[0]) * score : -targets[0] * score;
  return certain + log_of_1_plus(exp_of_minus(std::abs(score)));
}

void TwoClassLoss::find_slopes(Scores scores, Targets targets, std::span<double> slopes) {
  slopes[0] = slope_at(scores[0], targets[0]);
}

void TwoClassLoss::find_flat(Targets targets, std::span<double> scores) const {
  scores[0] = log_of(targets[0]) - log_of(1 - targets[0]);
}

// s with s = rest + reach * slope(s), which falls as s grows.
void TwoClassLoss::settle(Scores rest, double reach, Targets targets, std::span<double> scores) {
  double low = rest[0] - reach * (1 - targets[0]);
  double high = rest[0] + reach * targets[0];
  double score = std::clamp(scores[0], low, high);
  for (int round = 0; round < most_rounds; ++round) {
    const Shares shares = shares_at(score);
    const double excess = score - rest[0] - reach * slope_at(score, targets[0]);
    (excess > 0 ? high : low) = score;
    double next = score - excess / (1 + reach * shares.first * shares.second);
    if (next == score) break;  // at the minimum; half way to a bound would lead off it
    if (!(next > low && next < high)) next = low + (high - low) / 2;
    if (std::abs(next - std::exchange(score, next)) <= close) break;
  }
  scores[0] = score;
}

// --- several classes
// --------------------------------------------------------------------------------------------------

double SoftmaxLoss::value(Scores scores, Targets targets) {
  const auto most = static_cast<std::size_t>(std::ranges::max_element(scores) - scores.begin());
  const double top = scores[most];
  double others = 0;
  double missed = 0;
  for (std::size_t c = 0; c < scores.size(); ++c) {
    shares_[c] = exp_of_minus(top - scores[c]);
    missed += targets[c] * (top - scores[c]);
    if (c != most) others += shares_[c];
  }
  for (double& share : shares_) share /= 1 + others;
  return missed + log_of_1_plus_any(others);
}

void SoftmaxLoss::find_slopes(Scores scores, Targets targets, std::span<double> slopes) {
  (void)value(scores, targets);
  for (std::size_t c = 0; c < scores.size(); ++c) slopes[c] = targets[c] - shares_[c];
}

void SoftmaxLoss::find_flat(Targets targets, std::span<double> scores) const {
  std::ranges::transform(targets, scores.begin(), log_of);
}

void SoftmaxLoss::settle(Scores rest, double reach, Targets targets, std::span<double> scores) {
  double best = objective(rest, reach, targets, scores);
  for (int round = 0; round < most_rounds; ++round) {
    if (!descend(rest, reach, targets, scores, best)) return;
  }
}

bool SoftmaxLoss::descend(Scores rest, double reach, Targets targets, std::span<double> scores, double& best) {
  const double decrement = find_step(rest, reach, targets, scores);
  double longest = 0;
  for (const double step : step_) longest = std::max(longest, std::abs(step));
  double length = 1;
  for (int halving = 0; halving < most_halvings; ++halving, length /= 2) {
    for (std::size_t c = 0; c < scores.size(); ++c) tried_[c] = scores[c] + length * step_[c];
    const double reached = objective(rest, reach, targets, tried_);
    if (longest > close && !(reached <= best - enough * length * decrement)) continue;
    best = reached;
    std::ranges::copy(tried_, scores.begin());
    return longest > close;
  }
  return false;
}

double SoftmaxLoss::objective(Scores rest, double reach, Targets targets, Scores scores) {
  double square = 0;
  for (std::size_t c = 0; c < scores.size(); ++c) square += (scores[c] - rest[c]) * (scores[c] - rest[c]);
  return reach * value(scores, targets) + square / 2;
}

// The matrix is diagonal, 1 + reach p, less reach p p'.
double SoftmaxLoss::find_step(Scores rest, double reach, Targets targets, Scores scores) {
  double along = 0;
  double room = 0;
  for (std::size_t c = 0; c < scores.size(); ++c) {
    const double p = shares_[c];
    tried_[c] = reach * (p - targets[c]) + scores[c] - rest[c];  // the gradient
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
