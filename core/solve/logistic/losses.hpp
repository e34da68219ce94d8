// SPDX-License-Identifier: BSD-3-Clause
// The logistic loss of a row, and the step of coordinate descent: where its scores come to rest.
//
// Targets say how the labels of equal rows are spread over the classes; of a row with one label one target is 1. With
// everything else as it is, the scores of a row are rest + k(x, x) c, where c are its coefficients; at the optimum
// c = C slopes, the loss falling by the slopes at these scores. So the scores minimise
//
//   C loss(s) + |s - rest|^2 / (2 k(x, x)),
//
// which Newton's method does in a few rounds (Yu, Huang and Lin 2011 do it in the variables of the dual). What is found
// need not be exact: slopes at any scores are a point of the dual.
#pragma once
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace gristmill::solve::logistic {

using Scores = std::span<const double>;
using Targets = std::span<const double>;  // as many as scores; each from 0 to 1

// One per thread: losses hold scratch.
class Loss {
 public:
  Loss() = default;
  Loss(const Loss&) = delete;
  Loss& operator=(const Loss&) = delete;
  virtual ~Loss() = default;

  [[nodiscard]] virtual double value(Scores scores, Targets targets) = 0;
  // Minus the gradient: targets less probabilities.
  virtual void find_slopes(Scores scores, Targets targets, std::span<double> slopes) = 0;
  // Scores whose slopes are 0, up to rounding; finite.
  virtual void find_flat(Targets targets, std::span<double> scores) const = 0;
  // What minimises reach * loss(s) + |s - rest|^2 / 2, from any scores. reach: C k(x, x).
  virtual void settle(Scores rest, double reach, Targets targets, std::span<double> scores) = 0;
};

// log(1 + exp(s)) - t s: the only score and target are those of the second class.
class TwoClassLoss final : public Loss {
 public:
  [[nodiscard]] double value(Scores scores, Targets targets) override;
  void find_slopes(Scores scores, Targets targets, std::span<double> slopes) override;
  void find_flat(Targets targets, std::span<double> scores) const override;
  void settle(Scores rest, double reach, Targets targets, std::span<double> scores) override;
};

// log(sum of exp(s)) - t s, with targets that add up to 1: softmax.
class SoftmaxLoss final : public Loss {
 public:
  explicit SoftmaxLoss(std::size_t classes) : shares_(classes), step_(classes), tried_(classes) {}

  [[nodiscard]] double value(Scores scores, Targets targets) override;
  void find_slopes(Scores scores, Targets targets, std::span<double> slopes) override;
  void find_flat(Targets targets, std::span<double> scores) const override;
  void settle(Scores rest, double reach, Targets targets, std::span<double> scores) override;

 private:
  // Of what is minimised at these scores; shares_ become their probabilities.
  [[nodiscard]] double objective(Scores rest, double reach, Targets targets, Scores scores);
  // Newton's, at scores whose shares are known. Twice the decrease that it promises.
  double find_step(Scores rest, double reach, Targets targets, Scores scores);
  // Takes the part of the step that gains; false where nothing is left to gain.
  bool descend(Scores rest, double reach, Targets targets, std::span<double> scores, double& best);

  std::vector<double> shares_;
  std::vector<double> step_;
  std::vector<double> tried_;
};

[[nodiscard]] std::unique_ptr<Loss> loss_for(std::size_t outputs);

}  // namespace gristmill::solve::logistic
