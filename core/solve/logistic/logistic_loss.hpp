// SPDX-License-Identifier: BSD-3-Clause
// The logistic loss of an example, and the step of coordinate descent: where its scores come to rest.
//
// With everything else as it is, the scores of an example are rest + k(x, x) c, where c are its coefficients; at the
// optimum c = -C times the gradient of the loss. So the scores minimise
//
//   C loss(s) + |s - rest|^2 / (2 k(x, x)),
//
// which Newton's method does in a few rounds (Yu, Huang and Lin 2011 do it in the variables of the dual). What is found
// need not be exact: coefficients that belong to any scores are those of a point of the dual.
#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "base/exponential.hpp"

namespace gristmill::solve::logistic {

// Of two classes: log(1 + exp(-margin)), where the margin is the score of the right side.
struct MarginLoss {
  double loss;
  double doubt;  // of the right class: 1 less its probability, minus the slope of the loss

  [[nodiscard]] static MarginLoss at(double margin) {
    const double e = exp_of_minus(std::abs(margin));
    return {std::max(-margin, 0.0) + log_of_1_plus(e), doubt_of(margin, e)};
  }
  [[nodiscard]] static double doubt_at(double margin) { return doubt_of(margin, exp_of_minus(std::abs(margin))); }

 private:
  [[nodiscard]] static double doubt_of(double margin, double e) { return (margin < 0 ? 1.0 : e) / (1.0 + e); }
};

// The margin m with m = rest + reach * doubt(m); reach: C k(x, x). Starts from any margin.
[[nodiscard]] double settle_margin(double rest, double reach, double start);

// Of several classes: log(sum of exp(scores)) - the right one's.
class SoftmaxLoss {
 public:
  // The loss; `shares` becomes the probabilities.
  static double at(std::span<const double> scores, std::size_t right, std::span<double> shares);
};

// The same for scores, which are where to start from and become what is found. One per thread: it holds scratch.
class ScoreSettler {
 public:
  explicit ScoreSettler(std::size_t classes) : shares_(classes), step_(classes), tried_(classes) {}

  void settle(std::span<const double> rest, double reach, std::size_t right, std::span<double> scores);

 private:
  [[nodiscard]] double objective(std::span<const double> rest, double reach, std::size_t right,
                                 std::span<const double> scores);
  // Of Newton's method at these scores, whose shares are known. The decrease that it promises, twice.
  double set_step(std::span<const double> rest, double reach, std::size_t right, std::span<const double> scores);

  std::vector<double> shares_;
  std::vector<double> step_;
  std::vector<double> tried_;
};

}  // namespace gristmill::solve::logistic
