// SPDX-License-Identifier: BSD-3-Clause
#include "solve/logistic/logistic_loss.hpp"

#include <algorithm>
#include <cmath>

namespace gristmill::solve::logistic {
namespace {

constexpr int most_rounds = 100;
constexpr int most_halvings = 40;
constexpr double close = 1e-6;  // a step that small leaves its square
constexpr double enough = 1e-4;  // of the decrease that the slope promises

}  // namespace

double settle_margin(double rest, double reach, double start) {
  double low = rest;  // doubts are between 0 and 1
  double high = rest + reach;
  double margin = std::clamp(start, low, high);
  for (int round = 0; round < most_rounds; ++round) {
    const double doubt = MarginLoss::doubt_at(margin);
    const double excess = margin - rest - reach * doubt;
    (excess > 0 ? high : low) = margin;
    double next = margin - excess / (1 + reach * doubt * (1 - doubt));
    if (!(next > low && next < high)) next = low + (high - low) / 2;
    const double step = next - margin;
    margin = next;
    if (std::abs(step) <= close) break;
  }
  return margin;
}

double SoftmaxLoss::at(std::span<const double> scores, std::size_t right, std::span<double> shares) {
  const auto most = static_cast<std::size_t>(std::ranges::max_element(scores) - scores.begin());
  const double top = scores[most];
  double others = 0;
  for (std::size_t c = 0; c < scores.size(); ++c) {
    shares[c] = exp_of_minus(top - scores[c]);
    if (c != most) others += shares[c];
  }
  for (double& share : shares) share /= 1 + others;
  return (top - scores[right]) + log_of_1_plus_any(others);
}

void ScoreSettler::settle(std::span<const double> rest, double reach, std::size_t right, std::span<double> scores) {
  double best = objective(rest, reach, right, scores);
  for (int round = 0; round < most_rounds; ++round) {
    const double decrement = set_step(rest, reach, right, scores);
    double longest = 0;
    for (const double step : step_) longest = std::max(longest, std::abs(step));
    double length = 1;
    for (int halving = 0; halving < most_halvings; ++halving, length /= 2) {
      for (std::size_t c = 0; c < scores.size(); ++c) tried_[c] = scores[c] + length * step_[c];
      const double reached = objective(rest, reach, right, tried_);
      if (longest > close && !(reached <= best - enough * length * decrement)) continue;
      best = reached;
      std::ranges::copy(tried_, scores.begin());
      break;
    }
    if (longest * length <= close) return;
  }
}

double ScoreSettler::objective(std::span<const double> rest, double reach, std::size_t right,
                               std::span<const double> scores) {
  double square = 0;
  for (std::size_t c = 0; c < scores.size(); ++c) square += (scores[c] - rest[c]) * (scores[c] - rest[c]);
  return reach * SoftmaxLoss::at(scores, right, shares_) + square / 2;
}

// The matrix is diagonal, 1 + reach p, less reach p p'.
double ScoreSettler::set_step(std::span<const double> rest, double reach, std::size_t right,
                              std::span<const double> scores) {
  double along = 0;
  double room = 0;
  for (std::size_t c = 0; c < scores.size(); ++c) {
    const double p = shares_[c];
    const double gradient = reach * (p - (c == right ? 1.0 : 0.0)) + scores[c] - rest[c];
    tried_[c] = gradient;
    step_[c] = -gradient / (1 + reach * p);
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
