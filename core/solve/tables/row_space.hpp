// SPDX-License-Identifier: BSD-3-Clause
// Descent in the space of rows, for tables with many more weights than rows: iterations then take no pass over weights.
//
// Weights that descent reaches are c V0 + sum_i a_i phi(x_i), V0 being those it began with (the representer theorem,
// with a start that is not 0). A point is kept twice, by (a, c) and by its image: its scores, and its product with V0.
// The product of two points is that of the one's coefficients with the other's image, and both are linear; so
// limited-memory BFGS and the search along lines are those of weights, in two arrays of rows x outputs + 1 numbers
// each. The image of the gradient takes one product with the features and one with their transpose, as the gradient by
// weights does.
#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "solve/tables/feature_map.hpp"
#include "solve/tables/line.hpp"
#include "solve/tables/memory.hpp"
#include "solve/tables/workers.hpp"

namespace gristmill::solve::tables {

class RowSpace {
 public:
  // What is known of the weights to begin with: their scores, best intercepts and residuals there.
  struct Start {
    std::span<const double> weights;
    std::span<const double> scores;
    LinePoint point;
    std::span<const double> residuals;
  };

  // Borrows all but the scores.
  RowSpace(FeatureMap& map, LineSearch& search, Workers& workers, double C, const Start& start);

  // A step; false where none gains.
  [[nodiscard]] bool iterate();
  // Scores anew from coefficients, which have been added up from steps, and the best intercepts for them.
  void refresh();

  [[nodiscard]] const LinePoint& point() const noexcept { return at_; }  // its step says nothing
  [[nodiscard]] double gap() const noexcept { return gap_; }
  [[nodiscard]] std::vector<double> weights();

 private:
  using Vector = std::vector<double>;  // coefficients, then the image

  [[nodiscard]] std::span<const double> scores_of(const Vector& vector) const;
  [[nodiscard]] double product(const Vector& a, const Vector& b);
  void take(LinePoint point, double length);
  void set_gradient();

  FeatureMap& map_;
  LineSearch& search_;
  Workers& workers_;
  double C_;
  std::span<const double> start_;
  Vector start_scores_;
  LinePoint at_;
  Memory memory_;
  Vector residuals_;
  Vector where_;
  Vector gradient_;
  Vector direction_;
  Vector gathered_;  // features of rows times residuals: weights
  Vector image_;     // their scores
  double gap_ = 0;
};

}  // namespace gristmill::solve::tables
